//! The whole way in: what a sender was told OK about stands in the log, clean, and nothing else does.
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use bytes::Bytes;
use prometheus_client::registry::Registry;
use prost::Message;
use recount::conventions::{Conventions, ToolRules};
use recount::evidence::{KeyFile, KeyFilePolicy};
use recount::ingest::{
    Ack, Arrivals, DoorSettings, Format, Keeper, Meters, Pipeline, Progress, Quotas, Receiver, Refusal,
    Sampling, Signal, router,
};
use recount::log::{Log, LogSettings};
use recount::redaction::{AllSettings, InForce, Rulebook};
use recount::server::{ServeLimits, serve};
use recount::store::rows::{Encoder, Gathered, Retention, Table, segment_header};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::wire::client::{call, frame, gzip, post, send};
use crate::wire::http::spans;

struct Chain {
    address: SocketAddr,
    meters: Arc<Meters>,
    receiver: Arc<Receiver>,
    log: Log,
    _stop: DropGuard,
    _dir: TempDir,
}

/// A listener that keeps in a log of so many bytes.
async fn chain(log_bytes_max: u64) -> Chain {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = LogSettings::new(dir.path().join("log"), segment_header().into());
    settings.bytes_max = log_bytes_max;
    let (log, _) = Log::open(settings).unwrap();
    let meters = Meters::new(&mut Registry::default());
    let pipeline = Pipeline {
        conventions: Conventions::new(ToolRules::default()),
        quotas: Quotas::default(),
        sampling: Sampling::default(),
        rules: Arc::new(InForce::new(Rulebook::new(&AllSettings::default()).unwrap(), 0)),
        encoder: Arc::new(Encoder::new(Retention::default(), 1_000)),
        keys: KeyFile::open(&dir.path().join("keys"), KeyFilePolicy::MakeIfMissing).unwrap(),
    };
    let keeper = Keeper::new(log.clone(), Ack::Log, Arc::new(Progress::default()));
    let receiver = Arc::new(Receiver::new(Arc::new(pipeline), keeper, meters.clone()));
    let door = DoorSettings { request_bytes_max: 16 << 20, ..DoorSettings::default() };
    let router = router(&door, recount::access::Access::development(), meters.clone(), receiver.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(serve(listener, router, ServeLimits::default(), stop.clone()));
    Chain { address, meters, receiver, log, _stop: stop.drop_guard(), _dir: dir }
}

impl Chain {
    /// Rows in the log by table, and all bytes of them.
    async fn rows(&self) -> (Vec<(Table, usize)>, Vec<u8>) {
        let sealed = self.log.next_sealed().await.unwrap();
        let frames = sealed.frames().iter().map(|frame| (frame.sequence, &frame.payload[..]));
        let gathered = Gathered::of(sealed.header(), sealed.log_id().0, frames).unwrap();
        let rows = gathered.inserts.iter().map(|insert| (insert.table, insert.ends.len())).collect();
        let bytes = gathered.inserts.iter().flat_map(|insert| insert.bytes.to_vec()).collect();
        (rows, bytes)
    }
}

fn count(rows: &[(Table, usize)], table: Table) -> usize {
    rows.iter().filter(|(named, _)| *named == table).map(|(_, rows)| rows).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn ok_means_that_every_span_not_refused_is_in_the_log() {
    let chain = chain(1 << 30).await;
    let path = Signal::Traces.grpc_path();
    let message = spans(&["a", "b", "bearer sk-live-0123456789abcdefghijklmnop"]).encode_to_vec();
    assert_eq!(call(chain.address, path, &[], frame(0, &message)).await.grpc_status(), "0");
    let mut bad = spans(&["c", "d"]).encode_to_vec();
    let at = bad.iter().rposition(|byte| *byte == b'd').unwrap();
    bad[at] = 0xff;
    let reply = post(chain.address, "/v1/traces", "application/x-protobuf", bad).await;
    assert_eq!(reply.status, StatusCode::OK);
    let reply = post(chain.address, "/v1/traces", "application/json", "no json").await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let zeros = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"","spanId":"","name":"z"}]}]}]}"#;
    let reply = post(chain.address, "/v1/traces", "application/json", zeros).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.text().contains("the record was refused"), "{}", reply.text());
    let bomb = gzip(&vec![b' '; 20 << 20]);
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let reply = send(chain.address, axum::http::Method::POST, "/v1/logs", &headers, bomb).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    let reply = post(chain.address, "/v1/logs", "text/plain", "x").await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);

    assert_eq!(chain.meters.arrivals(), Arrivals { received: 6, refused: 2, kept: 4 });
    let (rows, bytes) = chain.rows().await;
    assert_eq!((count(&rows, Table::Steps), count(&rows, Table::Leaves)), (4, 4));
    assert_eq!(count(&rows, Table::Rejects), 5);
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("sk-live-0123456789"), "a secret is in the log");
    assert!(text.contains("not valid UTF-8") && text.contains("readable OTLP/JSON"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_log_pushes_back_and_nothing_is_called_kept() {
    let chain = chain(2 << 20).await;
    let large = spans(&vec!["x".repeat(4 << 10); 300]).encode_to_vec();
    let mut last = StatusCode::OK;
    for _ in 0..20 {
        let reply = post(chain.address, "/v1/traces", "application/x-protobuf", large.clone()).await;
        last = reply.status;
        if last != StatusCode::OK {
            assert_eq!(reply.header("retry-after"), "5");
            break;
        }
    }
    assert_eq!(last, StatusCode::SERVICE_UNAVAILABLE);
    let path = Signal::Traces.grpc_path();
    assert_eq!(call(chain.address, path, &[], frame(0, &large)).await.grpc_status(), "14");
    let arrivals = chain.meters.arrivals();
    assert_eq!(arrivals.received, arrivals.kept + arrivals.refused);
    assert!(arrivals.refused >= 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_request_becomes_several_frames_and_one_answer() {
    let chain = chain(1 << 30).await;
    let prompt = "€ und mehr ".repeat(100_000);
    let span = |number: u64| {
        serde_json::json!({ "traceId": "01".repeat(16), "spanId": format!("{number:016x}"), "name": "chat",
            "attributes": [{ "key": "gen_ai.tool.call.result", "value": { "stringValue": format!("{number}{prompt}") } }] })
    };
    let spans: Vec<_> = (1..=12).map(span).collect();
    let body = serde_json::json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] }).to_string();
    assert!(body.len() > 12 << 20);
    let answer = chain.receiver.import(Signal::Traces, Format::Json, Bytes::from(body)).await.unwrap();
    assert_eq!(answer.rejected, 0);
    let sealed = chain.log.next_sealed().await.unwrap();
    assert!(sealed.frames().len() > 1, "{}", sealed.frames().len());
    assert_eq!(chain.meters.arrivals(), Arrivals { received: 12, refused: 0, kept: 12 });
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_answered_and_not_kept() {
    let chain = chain(1 << 30).await;
    let path = format!(
        "{}/tests/fixtures/captures/pydantic-ai-2.68.0-instrv5-grpc/001-metrics.pb",
        env!("CARGO_MANIFEST_DIR")
    );
    let body = std::fs::read(path).unwrap();
    let reply = post(chain.address, "/v1/metrics", "application/x-protobuf", body.clone()).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert!(String::from_utf8_lossy(&reply.body).contains("metrics are not stored here"));
    assert_eq!(chain.meters.arrivals(), Arrivals::default());
    let json = chain.receiver.import(Signal::Metrics, Format::Json, Bytes::from(body)).await;
    assert!(matches!(json, Err(Refusal::Unreadable(_))));
}
