//! One entry of the log of faults over one transport: its requests, its ids, and what the server shows of it.
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use prost::Message;
use recount::ingest::Signal;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::bugs::shared::{Addresses, server};
use crate::wire::client::{Reply, call, frame, send};

/// A time of long ago enough, nanoseconds since 1970: the requests count from it.
pub(crate) const BASE_NS: u64 = 1_795_970_000_000_000_000;
pub(crate) const SECOND_NS: u64 = 1_000_000_000;
/// What is waited for has come by then, on a slow and busy machine too.
const PATIENCE: Duration = Duration::from_secs(180);
/// Keys of ids that several entries use: here each entry and transport has its own.
const OWN: [&str; 5] =
    ["recount.run.id", "recount.action.key", "session.id", "gen_ai.conversation.id", "thread_id"];

/// How a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    Json,
    Proto,
    Grpc,
}

/// An entry over a transport.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    entry: &'static str,
    pub(crate) via: Via,
    pub(crate) at: Addresses,
}

/// Tries an entry over every transport, with ids of its own for each.
pub(crate) fn each(entry: &'static str, test: impl Fn(&Case)) {
    for via in [Via::Json, Via::Proto, Via::Grpc] {
        test(&Case::over(entry, via));
    }
}

impl Case {
    pub(crate) fn over(entry: &'static str, via: Via) -> Self {
        Self { entry, via, at: server() }
    }

    /// On a server of its own.
    pub(crate) fn on(entry: &'static str, via: Via, at: Addresses) -> Self {
        Self { entry, via, at }
    }

    fn mark(&self) -> char {
        match self.via {
            Via::Json => 'a',
            Via::Proto => 'b',
            Via::Grpc => 'c',
        }
    }

    /// An id such as `r1`, as this entry sends it over this transport.
    pub(crate) fn own(&self, id: &str) -> String {
        format!("{}{}-{id}", self.entry.to_ascii_lowercase(), self.mark())
    }

    /// A trace of this entry, by its name there: `T1`.
    pub(crate) fn trace(&self, name: &str) -> String {
        format!("{}{}", self.mark(), &self.hash(name, 32)[1..])
    }

    /// A span of this entry, by its name there: `S1`.
    pub(crate) fn span(&self, name: &str) -> String {
        self.hash(name, 16)
    }

    fn hash(&self, name: &str, digits: usize) -> String {
        let hash = Sha256::digest(format!("{}:{name}", self.entry));
        let mut hex = String::new();
        hash.iter().for_each(|byte| write!(hex, "{byte:02x}").unwrap());
        hex[..digits].to_owned()
    }

    /// The body of a request of this entry, with the ids of this transport.
    pub(crate) fn request(&self, number: u32) -> Value {
        let name = format!("tests/fixtures/requests/{}-{number:02}.json", self.entry);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
        let mut body = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        self.make_own(&mut body);
        body
    }

    fn make_own(&self, value: &mut Value) {
        if let Value::Array(values) = value {
            values.iter_mut().for_each(|value| self.make_own(value));
            return;
        }
        let Value::Object(fields) = value else { return };
        let is_own = fields.get("key").and_then(Value::as_str).is_some_and(|key| OWN.contains(&key));
        let text = is_own.then(|| fields.get_mut("value")?.get_mut("stringValue")).flatten();
        if let Some(text) = text {
            *text = json!(self.own(text.as_str().unwrap()));
        }
        for (name, value) in fields {
            let id = value.as_str().filter(|id| id.len() == 32 && id.bytes().any(|digit| digit != b'0'));
            if let Some(id) = id.filter(|_| name == "traceId" || name == "trace_id") {
                *value = json!(format!("{}{}", self.mark(), &id[1..]));
            } else {
                self.make_own(value);
            }
        }
    }

    /// Sends a request of this entry.
    pub(crate) fn send(&self, number: u32) -> Reply {
        self.send_json(&self.request(number))
    }

    /// Sends spans in OTLP/JSON over this transport.
    pub(crate) fn send_json(&self, body: &Value) -> Reply {
        let protobuf = || serde_json::from_value::<ExportTraceServiceRequest>(body.clone()).unwrap();
        match self.via {
            Via::Json => self.post("application/json", body.to_string()),
            Via::Proto => self.post("application/x-protobuf", protobuf().encode_to_vec()),
            Via::Grpc => self.call(protobuf().encode_to_vec()),
        }
    }

    /// Sends spans made here: names, ids and whatever else each has.
    pub(crate) fn send_spans(&self, spans: &[Value]) {
        let resource = json!({ "attributes": [text("service.name", "agent-x")] });
        let body = json!({ "resourceSpans": [{ "resource": resource,
            "scopeSpans": [{ "spans": spans }] }] });
        self.all_taken(&self.send_json(&body));
    }

    /// Sends log records in OTLP/JSON.
    pub(crate) fn send_logs(&self, records: &[Value]) {
        let body = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] });
        let headers = [("content-type", "application/json")];
        let reply = block_on(send(self.at.http, Method::POST, "/v1/logs", &headers, body.to_string()));
        assert_eq!((reply.status, reply.text()), (StatusCode::OK, "{}"));
    }

    pub(crate) fn post(&self, media: &str, body: impl Into<Bytes>) -> Reply {
        block_on(send(self.at.http, Method::POST, "/v1/traces", &[("content-type", media)], body))
    }

    fn call(&self, message: Vec<u8>) -> Reply {
        block_on(call(self.at.grpc, Signal::Traces.grpc_path(), &[], frame(0, &message)))
    }

    /// How many spans the answer says were refused, and why.
    pub(crate) fn rejected(&self, reply: &Reply) -> (i64, String) {
        assert_eq!(reply.status, StatusCode::OK, "{self:?}: {}", String::from_utf8_lossy(&reply.body));
        let partial = match self.via {
            Via::Json => {
                let answer: Value = serde_json::from_slice(&reply.body).unwrap();
                let partial = &answer["partialSuccess"];
                let count = partial["rejectedSpans"].as_str().map_or(0, |count| count.parse().unwrap());
                return (count, partial["errorMessage"].as_str().unwrap_or_default().to_owned());
            }
            Via::Proto => ExportTraceServiceResponse::decode(reply.body.clone()).unwrap().partial_success,
            Via::Grpc => {
                assert_eq!(reply.grpc_status(), "0", "{:?} {:?}", reply.headers, reply.trailers);
                ExportTraceServiceResponse::decode(reply.body.slice(5..)).unwrap().partial_success
            }
        };
        partial.map_or((0, String::new()), |partial| (partial.rejected_spans, partial.error_message))
    }

    /// The answer says that everything was taken.
    pub(crate) fn all_taken(&self, reply: &Reply) {
        assert_eq!(self.rejected(reply), (0, String::new()), "{self:?}");
    }

    /// Sends these requests of the entry; each must be taken whole.
    pub(crate) fn sends(&self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            self.all_taken(&self.send(number));
        }
    }

    /// GET of a path of the pages or the API, redirects followed.
    pub(crate) fn get(&self, path: &str) -> Reply {
        let mut path = path.to_owned();
        for _ in 0..5 {
            let reply = block_on(send(self.at.ui, Method::GET, &path, &[], ""));
            if !reply.status.is_redirection() {
                return reply;
            }
            reply.header("location").clone_into(&mut path);
        }
        panic!("{path} leads in circles");
    }

    /// A page that must be there, once the list of runs has caught up.
    pub(crate) fn page(&self, path: &str) -> String {
        let begun = Instant::now();
        let mut reply = self.get(path);
        while reply.status == StatusCode::NOT_FOUND && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
            reply = self.get(path);
        }
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text());
        assert!(reply.header("content-type").starts_with("text/html"), "{path}");
        reply.text().to_owned()
    }

    /// The JSON at a path of the API.
    pub(crate) fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text());
        serde_json::from_slice(&reply.body).unwrap()
    }

    /// The run of this entry with this id, once it satisfies.
    pub(crate) fn run(&self, id: &str, satisfied: impl Fn(&Value) -> bool) -> Value {
        self.eventually(&format!("/api/v1/runs/{}", self.own(id)), satisfied)
    }

    /// The run of a trace of this entry, once it has this many attempts.
    pub(crate) fn traced(&self, trace: &str, count: u64) -> Value {
        let path = format!("/api/v1/traces/{}", self.trace(trace));
        self.eventually(&path, |run| run["attempt_count"].as_u64() == Some(count))
    }

    /// What a path of the API answers, once it satisfies.
    pub(crate) fn eventually(&self, path: &str, satisfied: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let reply = self.get(path);
            let answer = serde_json::from_slice(&reply.body).unwrap_or_default();
            if reply.status == StatusCode::OK && satisfied(&answer) {
                return answer;
            }
            assert!(reply.status.as_u16() < 500, "{path}: {}", reply.text());
            assert!(begun.elapsed() < PATIENCE, "{self:?} {path} stays {}", reply.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// One span as kept, with everything that is known of it.
    pub(crate) fn kept(&self, trace: &str, span: &str) -> Value {
        self.json(&format!("/api/v1/spans/{}/{}", self.trace(trace), self.span(span)))
    }

    /// One span as OTLP/JSON, as text.
    pub(crate) fn otlp(&self, trace: &str, span: &str) -> String {
        let path = format!("/api/v1/spans/{}/{}?format=otlp", self.trace(trace), self.span(span));
        self.get(&path).text().to_owned()
    }

    /// A span made here: ids by name, and one second in time.
    pub(crate) fn made(&self, trace: &str, span: &str, name: &str, attributes: &[Value]) -> Value {
        json!({ "traceId": self.trace(trace), "spanId": self.span(span), "name": name,
            "startTimeUnixNano": BASE_NS.to_string(), "endTimeUnixNano": (BASE_NS + SECOND_NS).to_string(),
            "attributes": attributes })
    }

    /// The attribute that puts a span into a run of this entry.
    pub(crate) fn in_run(&self, id: &str) -> Value {
        text("recount.run.id", &self.own(id))
    }
}

/// An attribute that is text.
pub(crate) fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// Whether a run has this many attempts in all.
pub(crate) fn attempts(count: u64) -> impl Fn(&Value) -> bool {
    move |run| run["attempt_count"].as_u64() == Some(count)
}

/// The step of a run with this id.
pub(crate) fn step<'a>(run: &'a Value, step_id: &str) -> &'a Value {
    let found = run["steps"].as_array().unwrap().iter().find(|step| step["step_id"] == step_id);
    found.unwrap_or_else(|| panic!("no step {step_id} in {run}"))
}

/// The steps of a run with this name.
pub(crate) fn named<'a>(run: &'a Value, name: &str) -> Vec<&'a Value> {
    run["steps"].as_array().unwrap().iter().filter(|step| step["name"] == name).collect()
}

/// One member of every element of a list.
pub(crate) fn all(list: &Value, member: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|element| element[member].clone()).collect()
}

/// Whether a run has a finding with this code.
pub(crate) fn found(run: &Value, code: &str) -> bool {
    run["finding_codes"].as_array().unwrap().iter().any(|found| found == code)
}

/// Waits for an answer, outside of any runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
