//! A canary in every string and key of the OTLP messages, over every way in: none may be found anywhere after.
//!
//! The messages are spelt out field by field, without `..`: a new field of the protocol has to be planted here.
#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, EntityRef, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Event, Link};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use prost::Message;

use crate::support::binary::{Serving, http, run};
use crate::wire::client::{call, frame};

/// Plants numbered canaries; the number says where one came from.
struct Planter {
    planted: u32,
    trace: u8,
}

impl Planter {
    fn text(&mut self) -> String {
        self.planted += 1;
        format!("a CANARY-{}-{} b", self.trace, self.planted)
    }

    fn value(&mut self, value: Value) -> Option<AnyValue> {
        self.planted += 1;
        Some(AnyValue { value: Some(value) })
    }

    fn pair(&mut self, key: String, value: Value) -> KeyValue {
        KeyValue { key, value: self.value(value), key_strindex: 0 }
    }

    fn pairs(&mut self) -> Vec<KeyValue> {
        let json = format!("{{\"{}\":{{\"x\":[\"{}\"]}}}}", self.text(), self.text());
        let stringified = serde_json::Value::from(json.clone()).to_string();
        let inner = vec![self.text_pair()];
        let list = vec![AnyValue { value: Some(Value::StringValue(self.text())) }];
        let values = [
            Value::BytesValue(self.text().into_bytes()),
            Value::ArrayValue(ArrayValue { values: list }),
            Value::KvlistValue(KeyValueList { values: inner }),
            Value::StringValue(json),
            Value::StringValue(stringified),
            Value::BoolValue(true),
            Value::IntValue(7),
            Value::DoubleValue(0.5),
            Value::StringValueStrindex(0),
        ];
        let mut pairs: Vec<KeyValue> = values
            .into_iter()
            .map(|value| {
                let key = self.text();
                self.pair(key, value)
            })
            .collect();
        pairs.push(self.text_pair());
        pairs
    }

    fn text_pair(&mut self) -> KeyValue {
        let (key, text) = (self.text(), self.text());
        self.pair(key, Value::StringValue(text))
    }

    /// What the conventions read, each with a canary in it.
    fn told(&mut self) -> Vec<KeyValue> {
        let keys = [
            "gen_ai.tool.name",
            "gen_ai.tool.call.id",
            "gen_ai.tool.call.arguments",
            "gen_ai.tool.call.result",
            "gen_ai.input.messages",
            "gen_ai.request.model",
            "error.type",
            "exception.message",
            "recount.run.id",
            "recount.step.id",
            "recount.action.key",
            "recount.action.target",
            "recount.account.id",
            "recount.user.id",
            "recount.worker.id",
            "session.id",
            "enduser.id",
            "http.request.method",
            "url.full",
        ];
        keys.map(|key| {
            let text = self.text();
            self.pair(key.to_owned(), Value::StringValue(text))
        })
        .to_vec()
    }

    fn resource(&mut self) -> Option<Resource> {
        let entity = EntityRef {
            schema_url: self.text(),
            r#type: self.text(),
            id_keys: vec![self.text()],
            description_keys: vec![self.text()],
        };
        let mut attributes = self.pairs();
        let name = self.text();
        attributes.push(self.pair("service.name".to_owned(), Value::StringValue(name)));
        Some(Resource { attributes, dropped_attributes_count: 0, entity_refs: vec![entity] })
    }

    fn scope(&mut self) -> Option<InstrumentationScope> {
        Some(InstrumentationScope {
            name: self.text(),
            version: self.text(),
            attributes: self.pairs(),
            dropped_attributes_count: 0,
        })
    }

    fn span(&mut self, span: u8) -> Span {
        Span {
            trace_id: vec![self.trace; 16],
            span_id: vec![span; 8],
            trace_state: format!("k={}", self.text()),
            parent_span_id: Vec::new(),
            flags: 1,
            name: self.text(),
            kind: 3,
            start_time_unix_nano: 1_795_970_000_000_000_000,
            end_time_unix_nano: 1_795_970_000_500_000_000,
            attributes: [self.told(), self.pairs()].concat(),
            dropped_attributes_count: 0,
            events: vec![Event {
                time_unix_nano: 1_795_970_000_100_000_000,
                name: self.text(),
                attributes: self.pairs(),
                dropped_attributes_count: 0,
            }],
            dropped_events_count: 0,
            links: vec![Link {
                trace_id: vec![9; 16],
                span_id: vec![9; 8],
                trace_state: format!("k={}", self.text()),
                attributes: self.pairs(),
                dropped_attributes_count: 0,
                flags: 0,
            }],
            dropped_links_count: 0,
            status: Some(Status { message: self.text(), code: 2 }),
        }
    }

    fn traces(&mut self) -> ExportTraceServiceRequest {
        let refused = Span { trace_id: Vec::new(), ..self.span(2) };
        let scope_spans =
            ScopeSpans { scope: self.scope(), spans: vec![self.span(1), refused], schema_url: self.text() };
        let group = ResourceSpans {
            resource: self.resource(),
            scope_spans: vec![scope_spans],
            schema_url: self.text(),
        };
        ExportTraceServiceRequest { resource_spans: vec![group] }
    }

    fn logs(&mut self) -> ExportLogsServiceRequest {
        let body = self.text();
        let record = LogRecord {
            time_unix_nano: 1_795_970_000_000_000_000,
            observed_time_unix_nano: 1_795_970_000_000_000_000,
            severity_number: 9,
            severity_text: self.text(),
            body: self.value(Value::StringValue(body)),
            attributes: [self.told(), self.pairs()].concat(),
            dropped_attributes_count: 0,
            flags: 0,
            trace_id: vec![self.trace; 16],
            span_id: vec![1; 8],
            event_name: self.text(),
        };
        let scope_logs =
            ScopeLogs { scope: self.scope(), log_records: vec![record], schema_url: self.text() };
        let group =
            ResourceLogs { resource: self.resource(), scope_logs: vec![scope_logs], schema_url: self.text() };
        ExportLogsServiceRequest { resource_logs: vec![group] }
    }
}

fn planter(trace: u8) -> Planter {
    Planter { planted: 0, trace }
}

const RULES: &str = "[redaction]\npacks = [\"email\"]\n[[redaction.rules]]\nid = \"canary\"\ntype = \"pattern\"\n\
                     pattern = \"C[A]NARY-[0-9]+-[0-9]+\"\n";
/// As text, as numbers of bytes, and as base64 at each of its three offsets.
const FORMS: [&str; 5] = ["CANARY", "67, 65, 78, 65", "Q0FOQVJZ", "NBTkFSWS", "DQU5BUlkt"];

fn assert_clean(what: &str, bytes: &[u8]) {
    for form in FORMS {
        let found = memchr::memmem::find(bytes, form.as_bytes());
        let shown = found.map(|at| {
            let around = &bytes[at.saturating_sub(60)..(at + 40).min(bytes.len())];
            String::from_utf8_lossy(around).into_owned()
        });
        assert_eq!(shown, None, "{what} has {form}");
    }
}

fn assert_clean_below(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes += assert_clean_below(&path);
        } else if let Ok(held) = std::fs::read(&path) {
            assert_clean(&path.display().to_string(), &held);
            bytes += held.len() as u64;
        }
    }
    bytes
}

/// Sends everything in every way; every answer is looked at.
async fn send_all(serving: &Serving, folder: &Path) {
    let post = |path: &str, media: &str, body: &[u8]| {
        let head = format!("POST {path} HTTP/1.1\r\nContent-Type: {media}\r\n");
        let (status, answer) = http(&serving.otlp_http, &head, body).unwrap();
        assert_clean(&format!("the answer {status} of {path}"), answer.as_bytes());
        status
    };
    let (json, protobuf) = ("application/json", "application/x-protobuf");
    assert_eq!(post("/v1/traces", protobuf, &planter(1).traces().encode_to_vec()), 200);
    assert_eq!(post("/v1/traces", json, &serde_json::to_vec(&planter(2).traces()).unwrap()), 200);
    assert_eq!(post("/v1/logs", protobuf, &planter(3).logs().encode_to_vec()), 200);
    assert_eq!(post("/v1/logs", json, &serde_json::to_vec(&planter(4).logs()).unwrap()), 200);
    let grpc = serving.otlp_grpc.parse().unwrap();
    for (service, body) in [
        ("trace.v1.TraceService", planter(5).traces().encode_to_vec()),
        ("logs.v1.LogsService", planter(6).logs().encode_to_vec()),
        ("trace.v1.TraceService", b"\x0a\x99CANARY-7-1 is no message".to_vec()),
    ] {
        let path = format!("/opentelemetry.proto.collector.{service}/Export");
        let reply = call(grpc, &path, &[], frame(0, &body)).await;
        assert_clean(&path, &reply.body);
        assert_clean(&path, format!("{:?} {:?}", reply.headers, reply.trailers).as_bytes());
    }
    // One byte that is no UTF-8, right after a canary: the other spans are salvaged.
    let mut broken = planter(8).traces().encode_to_vec();
    let at = broken.windows(10).position(|window| window == b"CANARY-8-9").unwrap();
    broken[at + 8] = 0xff;
    post("/v1/traces", protobuf, &broken);
    for (path, media, body) in [
        ("/v1/traces", json, "{\"resourceSpans\":\"CANARY-9-1\"}"),
        ("/v1/traces", json, "CANARY-9-2"),
        ("/v1/traces", "text/CANARY-9-3", "CANARY-9-4"),
        (
            "/v1/metrics",
            json,
            "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"CANARY-9-5\"}]}]}]}",
        ),
        ("/v1/CANARY-9-6", json, "{}"),
    ] {
        post(path, media, body.as_bytes());
    }
    let capture = folder.join("capture-traces.json");
    std::fs::write(&capture, serde_json::to_vec(&planter(10).traces()).unwrap()).unwrap();
    let to = format!("http://{}", serving.otlp_http);
    let imported = run(&["import", "--to", &to, capture.to_str().unwrap()]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    assert_clean("what import says", &[imported.stdout, imported.stderr].concat());
}

#[tokio::test]
async fn no_canary_is_found_anywhere_whatever_way_it_came() {
    let (data, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (config, logged) = (beside.path().join("recount.toml"), beside.path().join("stderr"));
    std::fs::write(&config, RULES).unwrap();
    let config = ["--config", config.to_str().unwrap()];
    let dir = data.path().to_str().unwrap();
    let made = run(&["redact", "key", "new", "--data-dir", dir]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    // The store is down, so every row waits in the log, not compressed.
    let nowhere = [&config[..], &["--clickhouse-url", "http://127.0.0.1:9/recount"]].concat();
    let stderr = Stdio::from(File::create(&logged).unwrap());
    let mut serving = Serving::start_saying(data.path(), &nowhere, ("trace", stderr));
    send_all(&serving, beside.path()).await;
    assert_clean("/metrics", serving.get("/metrics").1.as_bytes());
    serving.kill();
    let held = assert_clean_below(data.path());
    assert!(held > 50_000, "only {held} bytes wait");
    assert_clean("the log of the process", &std::fs::read(&logged).unwrap());

    // The store is there: what waited is stored and shown.
    let stderr = Stdio::from(File::create(&logged).unwrap());
    let serving = Serving::start_saying(data.path(), &config, ("trace", stderr));
    let traces = [1, 2, 5, 10];
    let listed = serving.eventually("/api/v1/runs?limit=500", |answer| {
        answer["runs"].as_array().unwrap().len() >= traces.len()
    });
    assert!(listed.to_string().contains("canary("), "what identifies became a pseudonym: {listed}");
    let mut pages = vec!["/runs", "/status", "/redaction", "/metrics", "/readyz", "/api/v1/rejects"];
    pages.extend(["/api/v1/findings", "/about/conventions"]);
    let mut pages: Vec<String> = pages.into_iter().map(str::to_owned).collect();
    for trace in traces {
        let id = format!("{trace:02x}").repeat(16);
        let span = format!("/api/v1/spans/{id}/0101010101010101");
        pages.extend([span.clone(), format!("{span}?format=otlp"), format!("/traces/{id}")]);
    }
    for run in listed["runs"].as_array().unwrap() {
        let id: String = url_encoded(run["run_id"].as_str().unwrap());
        pages.push(format!("/api/v1/runs/{id}"));
        let tabs = ["happened", "model", "saw", "proposed", "gate", "raw"];
        pages.extend(tabs.map(|tab| format!("/runs/{id}?tab={tab}")));
    }
    for page in &pages {
        let (status, body) = serving.get(page);
        assert!(status < 400, "{page}: {status} {body}");
        assert_clean(page, body.as_bytes());
    }
    let otlp = serving.get(&format!("/api/v1/spans/{}/0101010101010101?format=otlp", "01".repeat(16))).1;
    assert!(otlp.matches("redacted:canary").count() > 50, "{otlp}");
    let coverage =
        serving.json(&format!("/api/v1/runs/{}", url_encoded(listed["runs"][0]["run_id"].as_str().unwrap())));
    assert!(coverage["completeness"]["redacted"].as_u64().unwrap() > 50, "{coverage}");
    assert_eq!(serving.stop(), Some(0));
    assert_clean_below(data.path());
    assert_clean("the log of the process", &std::fs::read(&logged).unwrap());
}

fn url_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}
