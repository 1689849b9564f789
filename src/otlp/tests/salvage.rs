//! One record that is bad never costs its neighbours, and is refused with its reason.
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;

use crate::domain::ids::{SpanId, TraceId};
use crate::domain::value::Value;
use crate::otlp::limits::{ITEMS_MAX, VALUE_BYTES_MAX, sha256};
use crate::otlp::span::WireSpan;
use crate::otlp::tests::roundtrip::request;
use crate::otlp::{DecodeError, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf};

fn span(number: u8) -> WireSpan {
    WireSpan {
        trace_id: TraceId([1; 16]),
        span_id: SpanId([number; 8]),
        name: format!("span-{number}"),
        ..WireSpan::default()
    }
}

fn ten() -> ExportTraceServiceRequest {
    let spans: Vec<_> = (1..=10).map(span).collect();
    request(&spans, &[("service.name".to_owned(), Value::String("agent-x".to_owned()))])
}

fn nested(depth: u32, map: bool) -> Value {
    (1..depth).fold(Value::Int(1), |value, _| match map {
        true => Value::Map(vec![("k".to_owned(), value)]),
        false => Value::Array(vec![value]),
    })
}

/// The body with the first occurrence of a text replaced by one of the same length.
fn replace(mut body: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = body.windows(from.len()).position(|window| window == from).unwrap();
    body[at..at + to.len()].copy_from_slice(to);
    body
}

#[test]
fn one_invalid_byte_costs_one_span() {
    let body = replace(ten().encode_to_vec(), b"span-4", b"span-\xff");
    let decoded = decode_traces_protobuf(&body).unwrap();
    assert_eq!(decoded.items.len(), 9);
    let [refused] = decoded.refused.as_slice() else { panic!("{:?}", decoded.refused) };
    assert_eq!((refused.class, refused.items), ("bad-utf8", 1));
    assert_eq!(refused.service.as_deref(), Some("agent-x"));
    assert_eq!(refused.reason, "`name` holds text that is not valid UTF-8; encode it before sending");
    let bytes = ten().resource_spans[0].scope_spans[0].spans[3].encode_to_vec();
    assert_eq!(refused.bytes, bytes.len() as u64);
    assert_eq!(refused.sha256, sha256(&replace(bytes, b"span-4", b"span-\xff")));

    let json = replace(serde_json::to_vec(&ten()).unwrap(), b"span-4", b"span-\xff");
    let decoded = decode_traces_json(&json).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused[0].class), (9, "bad-utf8"));
}

#[test]
fn a_resource_that_is_not_utf8_costs_nothing() {
    let body = replace(ten().encode_to_vec(), b"agent-x", b"agent-\xff");
    let decoded = decode_traces_protobuf(&body).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused.len()), (10, 0));
    assert_eq!(decoded.items[0].resource[0].1, Value::String("agent-\u{fffd}".to_owned()));
    assert!(decoded.warning.unwrap().contains("U+FFFD"));
}

#[test]
fn nesting_is_read_to_its_limit_and_then_refused_alone() {
    for (depth, map, kept) in [
        (31, true, 2),
        (33, true, 2),
        (48, false, 2),
        (64, true, 2),
        (64, false, 2),
        (65, true, 1),
        (65, false, 1),
        (90, true, 1),
    ] {
        let mut deep = span(1);
        deep.attributes.push(("a".to_owned(), nested(depth, map)));
        let request = request(&[deep, span(2)], &[]);
        for decoded in [
            decode_traces_protobuf(&request.encode_to_vec()).unwrap(),
            decode_traces_json(&serde_json::to_vec(&request).unwrap()).unwrap(),
        ] {
            assert_eq!(decoded.items.len(), kept, "{depth} {map}");
            assert!(decoded.refused.iter().all(|refused| refused.class == "too-deep"));
            assert_eq!(decoded.refused.len(), 2 - kept);
        }
    }
}

#[test]
fn a_tower_of_two_thousand_levels_is_refused_alone() {
    let level = |open: &str, close: &str| [open.repeat(2_000), close.repeat(2_000)].concat();
    let tower = level("{\"arrayValue\":{\"values\":[", "]}}");
    let body = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[
        {{"traceId":"{0}","spanId":"{1}","attributes":[{{"key":"a","value":{tower}}}]}},
        {{"traceId":"{0}","spanId":"{1}","futureThing":{2}}}]}}]}}]}}"#,
        "01".repeat(16),
        "02".repeat(8),
        level("[", "]"),
    );
    let decoded = decode_traces_json(body.as_bytes()).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused[0].class), (1, "too-deep"));
}

#[test]
fn ids_of_the_wrong_length_or_zero_are_refused_one_by_one() {
    let mut request = ten();
    let spans = &mut request.resource_spans[0].scope_spans[0].spans;
    spans[0].trace_id = Vec::new();
    spans[1].trace_id = vec![0; 16];
    spans[2].trace_id = vec![7; 8];
    spans[3].span_id = vec![0; 8];
    spans[4].parent_span_id = vec![1, 2, 3];
    spans[5].parent_span_id = vec![0; 8];
    let decoded = decode_traces_protobuf(&request.encode_to_vec()).unwrap();
    assert_eq!(decoded.items.len(), 5);
    assert_eq!(decoded.items[0].parent_span_id, None);
    assert!(decoded.refused.iter().all(|refused| refused.class == "bad-id"));
    assert_eq!(decoded.refused[2].reason, "`trace_id` has 8 bytes; 16 are expected");
}

#[test]
fn a_request_cut_short_keeps_what_is_whole() {
    let body = ten().encode_to_vec();
    let json = serde_json::to_vec(&ten()).unwrap();
    let after_fourth = |body: &[u8]| body.windows(6).position(|window| window == b"span-5").unwrap();
    for decoded in [
        decode_traces_protobuf(&body[..after_fourth(&body)]).unwrap(),
        decode_traces_json(&json[..after_fourth(&json)]).unwrap(),
    ] {
        assert_eq!((decoded.items.len(), decoded.refused.len()), (4, 1));
        assert_eq!(decoded.refused[0].class, "broken");
    }
    for body in [&body[..20], &body[..1]] {
        assert_eq!(decode_traces_protobuf(body), Err(DecodeError::NotProtobuf));
    }
    assert!(matches!(decode_traces_json(&json[..60]), Err(DecodeError::NotJson { .. })));
    // Cut exactly between two records nothing is broken but the lengths around them.
    let span_start = body.windows(2).rposition(|window| window == b"\x0a\x10").unwrap() - 2;
    let decoded = decode_traces_protobuf(&body[..span_start]).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused.len()), (9, 1));
}

#[test]
fn the_other_encoding_is_recognised() {
    let json = serde_json::to_vec(&ten()).unwrap();
    assert_eq!(decode_traces_protobuf(&json), Err(DecodeError::LooksLikeJson));
    assert_eq!(decode_traces_protobuf(b"\n  {}"), Err(DecodeError::LooksLikeJson));
    assert_eq!(decode_traces_json(&ten().encode_to_vec()), Err(DecodeError::LooksLikeProtobuf));
    for decoded in [decode_traces_json(b"\x1f\x8b\x08\0"), decode_traces_protobuf(b"\x1f\x8b\x08\0")] {
        assert_eq!(decoded, Err(DecodeError::LooksLikeGzip));
    }
    // Spans sent as logs: every record is of the wrong shape, none is taken for one.
    let logs = decode_logs_protobuf(&ten().encode_to_vec()).unwrap();
    assert_eq!((logs.items.len(), logs.refused.len()), (0, 10));
}

#[test]
fn a_long_value_is_cut_with_a_mark_and_its_neighbours_stay() {
    let mut long = span(2);
    let text = "€".repeat(VALUE_BYTES_MAX / 3 + 100);
    long.attributes.push(("tool.result".to_owned(), Value::String(text.clone())));
    let decoded = decode_traces_protobuf(&request(&[span(1), long, span(3)], &[]).encode_to_vec()).unwrap();
    assert_eq!(decoded.items.len(), 3);
    let cut = &decoded.items[1].cut;
    assert_eq!((cut[0].at.as_str(), cut[0].bytes), ("tool.result", text.len() as u64));
    let Value::String(kept) = &decoded.items[1].attributes[0].1 else { panic!() };
    assert!(kept.ends_with(&format!("€… [cut: {} bytes, sha256 {}]", text.len(), sha256(text.as_bytes()))));
}

#[test]
fn more_records_than_a_request_may_have_are_counted_not_read() {
    let spans = vec![span(1); usize::try_from(ITEMS_MAX).unwrap() + 7];
    let decoded = decode_traces_protobuf(&request(&spans, &[]).encode_to_vec()).unwrap();
    assert_eq!(decoded.items.len() as u64, ITEMS_MAX);
    let [refused] = decoded.refused.as_slice() else { panic!() };
    assert_eq!((refused.class, refused.items), ("too-many", 7));
}

#[test]
fn a_small_request_cannot_unfold_without_end() {
    // Two bytes on the wire make one empty value in memory.
    let empty_values = [0x0a, 0x00].repeat(12 << 20);
    let field = |number: u8, body: &[u8]| {
        let mut field = vec![number << 3 | 2];
        prost::encoding::encode_varint(body.len() as u64, &mut field);
        [field, body.to_vec()].concat()
    };
    let value = field(5, &empty_values);
    let attribute = field(9, &[field(1, b"a"), field(2, &value)].concat());
    let ids = [field(1, &[1; 16]), field(2, &[2; 8])].concat();
    let spans = [field(2, &[ids.clone(), attribute].concat()), field(2, &ids)].concat();
    let decoded = decode_traces_protobuf(&field(1, &field(2, &spans))).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused[0].class), (0, "too-large"));
}
