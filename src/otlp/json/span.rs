//! Spans in JSON.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Status;
use crate::domain::step::{Event, Link};
use crate::otlp::error::DecodeError;
use crate::otlp::fault::Fault;
use crate::otlp::gather::Frame;
use crate::otlp::json::attributes::read_attributes;
use crate::otlp::json::envelope::{Signal, decode};
use crate::otlp::json::fields::{id, name, number, text, word};
use crate::otlp::json::reader::Reader;
use crate::otlp::reading::Reading;
use crate::otlp::span::{Decoded, WireSpan};

const SIGNAL: Signal<WireSpan> = Signal {
    top: "resourceSpans",
    top_also: &["resource_spans"],
    scopes: &["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"],
    records: &["spans"],
    read: read_span,
};

/// Reads an `ExportTraceServiceRequest` in OTLP/JSON.
///
/// # Errors
/// When not one record could be read and the body is not what it was announced to be.
pub fn decode_traces_json(body: &[u8]) -> Result<Decoded<WireSpan>, DecodeError> {
    decode(body, &SIGNAL)
}

const KINDS: &[&str] = &["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUSES: &[&str] = &["UNSET", "OK", "ERROR"];

fn read_span(reader: &mut Reader<'_>, frame: &Frame, reading: &mut Reading<'_>) -> Result<WireSpan, Fault> {
    let mut span =
        WireSpan { resource: frame.resource.clone(), scope: frame.scope.clone(), ..WireSpan::default() };
    let mut dropped_below = 0_u32;
    reader.object(|reader, key| {
        match key {
            "traceId" | "trace_id" => span.trace_id = TraceId(id(reader, reading, "traceId")?),
            "spanId" | "span_id" => span.span_id = SpanId(id(reader, reading, "spanId")?),
            "parentSpanId" | "parent_span_id" => {
                let parent = SpanId(id(reader, reading, "parentSpanId")?);
                span.parent_span_id = (!parent.is_zero()).then_some(parent);
            }
            "traceState" | "trace_state" => span.trace_state = name(reader, reading, "traceState")?,
            "name" => span.name = name(reader, reading, "name")?,
            "kind" => span.kind = word(reader, "kind", "SPAN_KIND_", KINDS)?,
            "startTimeUnixNano" | "start_time_unix_nano" => {
                span.started_ns = number(reader, "startTimeUnixNano")?;
            }
            "endTimeUnixNano" | "end_time_unix_nano" => span.ended_ns = number(reader, "endTimeUnixNano")?,
            "attributes" => read_attributes(reader, reading, &mut span.attributes)?,
            "events" => {
                reader.array(|reader| {
                    let (event, dropped) = read_event(reader, reading)?;
                    span.events.push(event);
                    dropped_below = dropped_below.saturating_add(dropped);
                    Ok(())
                })?;
            }
            "links" => {
                reader.array(|reader| {
                    let (link, dropped) = read_link(reader, reading)?;
                    span.links.push(link);
                    dropped_below = dropped_below.saturating_add(dropped);
                    Ok(())
                })?;
            }
            "status" => read_status(reader, reading, &mut span)?,
            _ => read_dropped(reader, key, &mut span)?,
        }
        Ok(())
    })?;
    if span.trace_id.is_zero() {
        return Err(Fault::IdZero { field: "traceId" });
    }
    if span.span_id.is_zero() {
        return Err(Fault::IdZero { field: "spanId" });
    }
    span.dropped.attributes = span.dropped.attributes.saturating_add(dropped_below);
    span.cut = std::mem::take(&mut reading.cut);
    span.left_out.attributes = reading.attributes_left_out;
    Ok(span)
}

fn read_dropped(reader: &mut Reader<'_>, key: &str, span: &mut WireSpan) -> Result<(), Fault> {
    match key {
        "droppedAttributesCount" | "dropped_attributes_count" => {
            span.dropped.attributes = number(reader, "droppedAttributesCount")?;
        }
        "droppedEventsCount" | "dropped_events_count" => {
            span.dropped.events = number(reader, "droppedEventsCount")?;
        }
        "droppedLinksCount" | "dropped_links_count" => {
            span.dropped.links = number(reader, "droppedLinksCount")?;
        }
        _ => drop(reader.skip()),
    }
    Ok(())
}

fn read_event(reader: &mut Reader<'_>, reading: &mut Reading<'_>) -> Result<(Event, u32), Fault> {
    reading.budget.value(0)?;
    let (mut event, mut dropped) = (Event::default(), 0);
    reader.object(|reader, key| {
        match key {
            "timeUnixNano" | "time_unix_nano" => event.at_ns = number(reader, "events.timeUnixNano")?,
            "name" => event.name = name(reader, reading, "events.name")?,
            "attributes" => read_attributes(reader, reading, &mut event.attributes)?,
            "droppedAttributesCount" | "dropped_attributes_count" => {
                dropped = number(reader, "events.droppedAttributesCount")?;
            }
            _ => drop(reader.skip()),
        }
        Ok(())
    })?;
    Ok((event, dropped))
}

/// A link whose ids are not whole keeps its attributes: a span is not refused for what it points at.
fn read_link(reader: &mut Reader<'_>, reading: &mut Reading<'_>) -> Result<(Link, u32), Fault> {
    reading.budget.value(0)?;
    let (mut link, mut dropped) = (Link::default(), 0);
    reader.object(|reader, key| {
        match key {
            "traceId" | "trace_id" => {
                link.trace_id = lenient(id(reader, reading, "links.traceId")).map(TraceId)?;
            }
            "spanId" | "span_id" => {
                link.span_id = lenient(id(reader, reading, "links.spanId")).map(SpanId)?;
            }
            "attributes" => read_attributes(reader, reading, &mut link.attributes)?,
            "droppedAttributesCount" | "dropped_attributes_count" => {
                dropped = number(reader, "links.droppedAttributesCount")?;
            }
            _ => drop(reader.skip()),
        }
        Ok(())
    })?;
    if link.trace_id.is_zero() || link.span_id.is_zero() {
        reading.remarks.insert("a link has an id that is missing, zero or of the wrong length");
    }
    Ok((link, dropped))
}

/// An id that does not count when it is malformed; JSON that is broken still does.
fn lenient<const N: usize>(id: Result<[u8; N], Fault>) -> Result<[u8; N], Fault> {
    match id {
        Err(Fault::IdNotHex { .. }) => Ok([0; N]),
        id => id,
    }
}

fn read_status(reader: &mut Reader<'_>, reading: &mut Reading<'_>, span: &mut WireSpan) -> Result<(), Fault> {
    reader.object(|reader, key| {
        match key {
            "code" => {
                span.status = match word(reader, "status.code", "STATUS_CODE_", STATUSES)? {
                    1 => Status::Ok,
                    2 => Status::Error,
                    _ => Status::Unset,
                }
            }
            "message" => {
                let text = text(reader, reading, "status.message")?;
                span.status_message = reading.text(text)?;
                reading.cuts_in("status.message");
            }
            _ => drop(reader.skip()),
        }
        Ok(())
    })
}
