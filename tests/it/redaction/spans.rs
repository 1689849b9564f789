//! Spans as an agent sends them.
use serde_json::{Value, json};

use crate::support::binary::{Serving, http};

/// One span with these text attributes.
pub(crate) fn span(trace: u64, at: u64, parent: Option<u64>, attributes: &[(&str, &str)]) -> Value {
    let attributes: Vec<Value> =
        attributes.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect();
    let start = 1_795_970_000_000_000_000_u64 + at * 1_000_000;
    json!({
        "traceId": format!("{trace:032x}"), "spanId": format!("{at:016x}"),
        "parentSpanId": parent.map(|parent| format!("{parent:016x}")).unwrap_or_default(),
        "name": "step", "attributes": attributes,
        "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 1000).to_string(),
    })
}

/// Sends them in one request; the status of the answer.
pub(crate) fn sent(at: &str, spans: &[Value]) -> u16 {
    let body = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    let head = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n";
    http(at, head, body.as_bytes()).map_or(0, |(status, _)| status)
}

/// Posts JSON to the API.
pub(crate) fn posted(serving: &Serving, path: &str, body: &Value) -> (u16, Value) {
    let head = format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\n");
    let (status, body) = http(&serving.ui, &head, body.to_string().as_bytes()).unwrap();
    (status, serde_json::from_str(&body).unwrap_or_default())
}
