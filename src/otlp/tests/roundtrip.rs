//! Whatever the official types encode is read back; whatever bytes come, nothing panics.
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Event as ProtoEvent, Link as ProtoLink};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status as ProtoStatus};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Status;
use crate::domain::step::{Dropped, Event, Link, ScopeInfo};
use crate::domain::value::Value;
use crate::otlp::span::WireSpan;
use crate::otlp::{decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf};

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Empty),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1e300..1e300).prop_map(Value::Double),
        ".{0,12}".prop_map(Value::String),
        vec(any::<u8>(), 0..12).prop_map(Value::Bytes),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((".{0,6}", inner), 0..4).prop_map(Value::Map),
        ]
    })
}

fn lists() -> impl Strategy<Value = Vec<(String, Value)>> {
    vec((".{0,8}", values()), 0..5)
}

prop_compose! {
    fn events()(name in ".{0,8}", at_ns in any::<u64>(), attributes in lists()) -> Event {
        Event { name, at_ns, attributes }
    }
}

prop_compose! {
    fn links()(trace in any::<[u8; 16]>(), span in any::<[u8; 8]>(), attributes in lists()) -> Link {
        Link { trace_id: TraceId(trace), span_id: SpanId(span), attributes }
    }
}

prop_compose! {
    fn spans()(
        (trace, span, parent) in (1_u128.., 1_u64.., any::<Option<u64>>()),
        (trace_state, name, status_message) in (".{0,8}", ".{0,8}", ".{0,8}"),
        (kind, started_ns, ended_ns) in (0..6_i32, any::<u64>(), any::<u64>()),
        (attributes, events, links) in (lists(), vec(events(), 0..3), vec(links(), 0..3)),
        status in prop_oneof![Just(Status::Unset), Just(Status::Ok), Just(Status::Error)],
        dropped in any::<[u32; 3]>(),
    ) -> WireSpan {
        WireSpan {
            trace_id: TraceId(trace.to_be_bytes()),
            span_id: SpanId(span.to_be_bytes()),
            parent_span_id: parent.filter(|id| *id > 0).map(|id| SpanId(id.to_be_bytes())),
            dropped: Dropped { attributes: dropped[0], events: dropped[1], links: dropped[2] },
            trace_state, name, kind, started_ns, ended_ns, attributes, events, links, status, status_message,
            ..WireSpan::default()
        }
    }
}

fn any_value(value: &Value) -> AnyValue {
    let value = match value {
        Value::Empty | Value::Framed(_) => None,
        Value::Bool(truth) => Some(Any::BoolValue(*truth)),
        Value::Int(int) => Some(Any::IntValue(*int)),
        Value::Double(double) => Some(Any::DoubleValue(*double)),
        Value::String(text) => Some(Any::StringValue(text.clone())),
        Value::Bytes(bytes) => Some(Any::BytesValue(bytes.clone())),
        Value::Array(values) => {
            Some(Any::ArrayValue(ArrayValue { values: values.iter().map(any_value).collect() }))
        }
        Value::Map(entries) => Some(Any::KvlistValue(KeyValueList { values: key_values(entries) })),
    };
    AnyValue { value }
}

fn key_values(entries: &[(String, Value)]) -> Vec<KeyValue> {
    let pair = |(key, value): &(String, Value)| KeyValue {
        key: key.clone(),
        value: Some(any_value(value)),
        ..KeyValue::default()
    };
    entries.iter().map(pair).collect()
}

fn official(span: &WireSpan) -> Span {
    let event = |event: &Event| ProtoEvent {
        time_unix_nano: event.at_ns,
        name: event.name.clone(),
        attributes: key_values(&event.attributes),
        ..ProtoEvent::default()
    };
    let link = |link: &Link| ProtoLink {
        trace_id: link.trace_id.0.to_vec(),
        span_id: link.span_id.0.to_vec(),
        attributes: key_values(&link.attributes),
        ..ProtoLink::default()
    };
    let code = match span.status {
        Status::Unset => 0,
        Status::Ok => 1,
        Status::Error => 2,
    };
    Span {
        trace_id: span.trace_id.0.to_vec(),
        span_id: span.span_id.0.to_vec(),
        parent_span_id: span.parent_span_id.map(|id| id.0.to_vec()).unwrap_or_default(),
        trace_state: span.trace_state.clone(),
        name: span.name.clone(),
        kind: span.kind,
        start_time_unix_nano: span.started_ns,
        end_time_unix_nano: span.ended_ns,
        attributes: key_values(&span.attributes),
        dropped_attributes_count: span.dropped.attributes,
        events: span.events.iter().map(event).collect(),
        dropped_events_count: span.dropped.events,
        links: span.links.iter().map(link).collect(),
        dropped_links_count: span.dropped.links,
        status: Some(ProtoStatus { message: span.status_message.clone(), code }),
        ..Span::default()
    }
}

/// A request of the official types with these spans.
pub(crate) fn request(spans: &[WireSpan], resource: &[(String, Value)]) -> ExportTraceServiceRequest {
    let scope = InstrumentationScope { name: "lib".to_owned(), ..InstrumentationScope::default() };
    let scope_spans = ScopeSpans {
        scope: Some(scope),
        spans: spans.iter().map(official).collect(),
        ..ScopeSpans::default()
    };
    let resource = Resource { attributes: key_values(resource), ..Resource::default() };
    let resource_spans = ResourceSpans {
        resource: Some(resource),
        scope_spans: vec![scope_spans],
        ..ResourceSpans::default()
    };
    ExportTraceServiceRequest { resource_spans: vec![resource_spans] }
}

proptest! {
    #[test]
    fn what_the_official_types_encode_is_read_back(
        spans in vec(spans(), 0..4), resource in lists(),
    ) {
        let request = request(&spans, &resource);
        let scope = std::sync::Arc::new(ScopeInfo { name: "lib".to_owned(), ..ScopeInfo::default() });
        let resource = std::sync::Arc::new(resource);
        let expected: Vec<WireSpan> = spans
            .into_iter()
            .map(|span| WireSpan { resource: resource.clone(), scope: scope.clone(), ..span })
            .collect();
        let protobuf = decode_traces_protobuf(&request.encode_to_vec()).unwrap();
        prop_assert_eq!(&protobuf.items, &expected);
        prop_assert!(protobuf.refused.is_empty());
        let json = decode_traces_json(&serde_json::to_vec(&request).unwrap()).unwrap();
        prop_assert_eq!(&json.items, &expected);
        prop_assert!(json.refused.is_empty());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200), text in "[\\[\\]{}\",:a-c0-9\\\\. ]{0,80}") {
        for body in [&bytes, text.as_bytes()] {
            drop((decode_traces_protobuf(body), decode_logs_protobuf(body)));
            drop((decode_traces_json(body), decode_logs_json(body)));
            let wrapped = [b"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[", body, b"]}]}]}"].concat();
            drop(decode_traces_json(&wrapped));
        }
    }

    #[test]
    fn damage_never_panics_and_no_more_comes_out_than_went_in(
        spans in vec(spans(), 1..4), at in any::<prop::sample::Index>(),
        byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let request = request(&spans, &[]);
        for json in [false, true] {
            let mut body = if json { serde_json::to_vec(&request).unwrap() } else { request.encode_to_vec() };
            let at = at.index(body.len());
            if cut { body.truncate(at) } else { body[at] = byte }
            let decoded = if json { decode_traces_json(&body) } else { decode_traces_protobuf(&body) };
            if let Ok(decoded) = decoded {
                prop_assert!(decoded.items.len() <= spans.len());
                // Cut anywhere but at its very start, every loss shows.
                let told = !decoded.refused.is_empty() || decoded.warning.is_some();
                prop_assert!(decoded.items.len() == spans.len() || told || !cut || at == 0);
            }
        }
    }
}
