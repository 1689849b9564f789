//! Spans of acts as OTLP/JSON, and questions to the API.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::binary::{Serving, http};

/// A span being put together.
#[derive(Debug, Clone)]
pub(crate) struct Span(pub(crate) Value);

/// Seconds before now, as nanoseconds since 1970.
pub(crate) fn ago(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_nanos()).unwrap() - seconds * 1_000_000_000
}

impl Span {
    /// A span of a trace and run, 30 s long, that ended a minute ago.
    pub(crate) fn new(trace: u8, span: u8, run: &str, name: &str) -> Self {
        let span = Self(json!({
            "traceId": format!("{trace:02x}").repeat(16),
            "spanId": format!("{span:02x}").repeat(8),
            "name": name,
            "attributes": [],
        }));
        span.at(90, 60).with("recount.run.id", run)
    }

    /// An act of a step.
    pub(crate) fn act(trace: u8, span: u8, run: &str, step: &str) -> Self {
        let act = Self::new(trace, span, run, "issue_refund").with("recount.step.id", step);
        act.with("recount.step.kind", "act").with("gen_ai.tool.name", "issue_refund")
    }

    /// A look-up that found this.
    pub(crate) fn look(trace: u8, span: u8, run: &str, found: &str) -> Self {
        let look = Self::new(trace, span, run, "find_refunds").with("recount.step.kind", "reconcile");
        look.with("gen_ai.tool.name", "find_refunds").with("recount.action.outcome", found).at(50, 49)
    }

    /// From so many seconds ago to so many.
    pub(crate) fn at(mut self, start: u64, end: u64) -> Self {
        self.0["startTimeUnixNano"] = json!(ago(start).to_string());
        self.0["endTimeUnixNano"] = json!(ago(end).to_string());
        self
    }

    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        let attribute = json!({"key": key, "value": {"stringValue": value}});
        self.0["attributes"].as_array_mut().unwrap().push(attribute);
        self
    }

    /// A call to elsewhere below this span of its trace.
    pub(crate) fn call_below(mut self, span: u8) -> Self {
        self.0["kind"] = json!(3);
        self.0["parentSpanId"] = json!(format!("{span:02x}").repeat(8));
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.with("recount.action.key", key)
    }

    /// It went wrong in this way.
    pub(crate) fn fails(mut self, kind: &str) -> Self {
        self.0["status"] = json!({"code": 2});
        self.with("error.type", kind)
    }

    pub(crate) fn times_out(self) -> Self {
        self.fails("ReadTimeout")
    }

    pub(crate) fn status(mut self, code: u16) -> Self {
        let attribute = json!({"key": "http.response.status_code", "value": {"intValue": code}});
        self.0["attributes"].as_array_mut().unwrap().push(attribute);
        self
    }
}

/// Sends spans and waits until they are acknowledged.
pub(crate) fn send(serving: &Serving, spans: &[Span]) {
    let spans: Vec<&Value> = spans.iter().map(|span| &span.0).collect();
    let body = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    let head = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n";
    let (status, said) = http(&serving.otlp_http, head, body.as_bytes()).unwrap();
    assert_eq!(status, 200, "{said}");
}

/// POSTs JSON to the API: status and answer.
pub(crate) fn post(serving: &Serving, path: &str, body: &Value) -> (u16, Value) {
    let head = format!("POST /api/v1{path} HTTP/1.1\r\nContent-Type: application/json\r\n");
    let (status, said) = http(&serving.ui, &head, body.to_string().as_bytes()).unwrap();
    (status, serde_json::from_str(&said).unwrap_or(Value::Null))
}

/// The only open case of a run, once it is there.
pub(crate) fn open_case(serving: &Serving, run: &str) -> Value {
    let path = format!("/api/v1/cases?run={run}");
    let found = serving.eventually(&path, |answer| !answer["cases"].as_array().unwrap().is_empty());
    let cases = found["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1, "{found}");
    cases[0].clone()
}

/// A server whose tools have rules.
pub(crate) fn serving_with(folder: &Path, rules: &str) -> Serving {
    let file = folder.join("recount.toml");
    std::fs::write(&file, rules).unwrap();
    Serving::start(folder, &["--config", file.to_str().unwrap()])
}

pub(crate) fn id(case: &Value) -> &str {
    case["case_id"].as_str().unwrap()
}

/// The words under a name in a list of objects.
pub(crate) fn words<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[name].as_str().unwrap_or("-")).collect()
}
