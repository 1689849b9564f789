//! A kept span as OTLP/JSON: what was sent, after redaction.
use std::fmt::Write;

use crate::domain::kind::Status;
use crate::domain::step::{Event, Link};
use crate::domain::value::Value;
use crate::store::rows::StepRow;
use crate::web::value::write_text;

/// The span as an export of one span.
pub(in crate::web) fn span(row: &StepRow) -> String {
    let facts = &row.record.facts;
    let mut out = String::from("{\"resourceSpans\":[{\"resource\":{\"attributes\":");
    attributes(&mut out, &row.resource);
    out.push_str("},\"scopeSpans\":[{\"scope\":{\"name\":");
    write_text(&mut out, &row.scope.name);
    out.push_str(",\"version\":");
    write_text(&mut out, &row.scope.version);
    out.push_str(",\"attributes\":");
    attributes(&mut out, &row.scope.attributes);
    out.push_str("},\"spans\":[{");
    push(&mut out, format_args!("\"traceId\":\"{}\",\"spanId\":\"{}\"", facts.trace_id, facts.span_id));
    if let Some(parent) = facts.parent_span_id {
        push(&mut out, format_args!(",\"parentSpanId\":\"{parent}\""));
    }
    out.push_str(",\"name\":");
    write_text(&mut out, &facts.name);
    push(&mut out, format_args!(",\"startTimeUnixNano\":\"{}\"", facts.started_ns));
    push(&mut out, format_args!(",\"endTimeUnixNano\":\"{}\"", facts.ended_ns.unwrap_or_default()));
    out.push_str(",\"attributes\":");
    attributes(&mut out, &row.attributes);
    out.push_str(",\"events\":[");
    separated(&mut out, &row.events, event);
    out.push_str("],\"links\":[");
    separated(&mut out, &facts.links, link);
    out.push_str("],\"status\":{");
    let code = match facts.status {
        Status::Unset => 0,
        Status::Ok => 1,
        Status::Error => 2,
    };
    push(&mut out, format_args!("\"code\":{code},\"message\":"));
    write_text(&mut out, &facts.status_message);
    let dropped = &facts.dropped;
    push(
        &mut out,
        format_args!(
            "}},\"droppedAttributesCount\":{},\"droppedEventsCount\":{},\"droppedLinksCount\":{}}}]}}]}}]}}",
            dropped.attributes, dropped.events, dropped.links
        ),
    );
    out
}

fn event(out: &mut String, event: &Event) {
    push(out, format_args!("{{\"timeUnixNano\":\"{}\",\"name\":", event.at_ns));
    write_text(out, &event.name);
    out.push_str(",\"attributes\":");
    attributes(out, &event.attributes);
    out.push('}');
}

fn link(out: &mut String, link: &Link) {
    push(
        out,
        format_args!("{{\"traceId\":\"{}\",\"spanId\":\"{}\",\"attributes\":", link.trace_id, link.span_id),
    );
    attributes(out, &link.attributes);
    out.push('}');
}

fn attributes(out: &mut String, entries: &[(String, Value)]) {
    out.push('[');
    separated(out, entries, |out, (key, value)| {
        out.push_str("{\"key\":");
        write_text(out, key);
        out.push_str(",\"value\":");
        any_value(out, value);
        out.push('}');
    });
    out.push(']');
}

/// An OTLP `AnyValue`: integers are strings, as proto3 JSON has it.
fn any_value(out: &mut String, value: &Value) {
    match value {
        Value::Empty | Value::Framed(_) => out.push_str("{}"),
        Value::Bool(truth) => push(out, format_args!("{{\"boolValue\":{truth}}}")),
        Value::Int(int) => push(out, format_args!("{{\"intValue\":\"{int}\"}}")),
        Value::Double(double) if double.is_finite() => {
            push(out, format_args!("{{\"doubleValue\":{double:?}}}"))
        }
        Value::Double(double) => {
            let word = if double.is_nan() {
                "NaN"
            } else if *double > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            push(out, format_args!("{{\"doubleValue\":\"{word}\"}}"));
        }
        Value::String(text) => {
            out.push_str("{\"stringValue\":");
            write_text(out, text);
            out.push('}');
        }
        Value::Bytes(bytes) => {
            push(out, format_args!("{{\"bytesValue\":\"{}\"}}", data_encoding::BASE64.encode(bytes)));
        }
        Value::Array(items) => {
            out.push_str("{\"arrayValue\":{\"values\":[");
            separated(out, items, any_value);
            out.push_str("]}}");
        }
        Value::Map(entries) => {
            out.push_str("{\"kvlistValue\":{\"values\":");
            attributes(out, entries);
            out.push_str("}}");
        }
    }
}

fn separated<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
}

fn push(out: &mut String, text: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    write!(out, "{text}").unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_back_as_it_was() {
        let mut row = StepRow::default();
        row.record.facts.name = "tool \"x\"".to_owned();
        row.record.facts.status = Status::Error;
        row.attributes = vec![
            ("k".to_owned(), Value::Int(1)),
            ("k".to_owned(), Value::Array(vec![Value::Double(1.0), Value::Bool(true)])),
            ("m".to_owned(), Value::Map(vec![("a".to_owned(), Value::Bytes(vec![1, 2]))])),
        ];
        row.events = vec![Event { name: "e".to_owned(), at_ns: 7, attributes: Vec::new() }];
        let decoded = crate::otlp::decode_traces_json(span(&row).as_bytes()).unwrap();
        // Ids of a default row are zero, so the decoder refuses the span: give it some.
        assert_eq!(decoded.items.len() + decoded.refused.len(), 1);
        row.record.facts.trace_id.0 = [1; 16];
        row.record.facts.span_id.0 = [2; 8];
        let decoded = crate::otlp::decode_traces_json(span(&row).as_bytes()).unwrap();
        let read = &decoded.items[0];
        assert_eq!((read.name.as_str(), read.status), ("tool \"x\"", Status::Error));
        assert_eq!(read.attributes, row.attributes);
        assert_eq!(read.events, row.events);
    }
}
