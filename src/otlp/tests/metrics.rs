//! Metrics are counted alike in both encodings, and tell of spans that an SDK lost.
use std::fs;
use std::path::Path;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;

use crate::otlp::{DecodeError, Lost, read_metrics_json, read_metrics_protobuf};

#[test]
fn captured_metrics_are_counted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let protobuf = read("pydantic-ai-2.68.0-instrv5-grpc/001-metrics.pb");
    let json = read("pydantic-ai-2.68.0-instrv5-grpc/001-metrics.decoded.json");
    let told = read_metrics_protobuf(&protobuf).unwrap();
    assert!(told.data_points > 0 && told.lost.is_empty());
    assert_eq!(told, read_metrics_json(&json).unwrap());
    assert!(read_metrics_json(&read("claude-code-2.1.197-llm429/005-metrics.json")).unwrap().data_points > 0);
}

#[test]
fn lost_spans_are_read_and_broken_bodies_refused() {
    let json = br#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
        {"name":"otel.sdk.processor.span.processed","sum":{"aggregationTemporality":2,"isMonotonic":true,
        "dataPoints":[{"asInt":"90"},
        {"asInt":"7","attributes":[{"key":"error.type","value":{"stringValue":"queue_full"}}]}]}}]}],
        "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"agent-x"}}]}}]}"#;
    let lost = Lost { service: "agent-x".into(), reason: "queue_full".into(), spans: 7, cumulative: true };
    let told = read_metrics_json(json).unwrap();
    assert_eq!((told.data_points, told.lost.as_slice()), (2, &[lost][..]));
    let official: ExportMetricsServiceRequest = serde_json::from_slice(json).unwrap();
    assert_eq!(read_metrics_protobuf(&official.encode_to_vec()).unwrap(), told);
    assert_eq!(read_metrics_protobuf(b"").unwrap().data_points, 0);
    assert_eq!(read_metrics_json(b" ").unwrap().data_points, 0);
    assert_eq!(read_metrics_protobuf(json), Err(DecodeError::LooksLikeJson));
    assert!(matches!(read_metrics_json(b"{\"resourceMetrics\":[{]}"), Err(DecodeError::NotJson { .. })));
}
