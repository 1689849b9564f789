//! The official Rust SDK sends in batches while its server is killed: what its exporter was told is kept is stored,
//! once, whether it tries again until the server is back or gives up.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry::KeyValue;
use opentelemetry::trace::{Span as _, Tracer as _, TracerProvider as _};
use opentelemetry_otlp::{RetryPolicy, WithExportConfig as _, WithTonicConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, SpanData, SpanExporter,
};

use crate::support::binary::Serving;

const SPANS: usize = 200;
/// Spans of a batch; the SDK has one batch under way at a time.
const BATCH: usize = 16;
const PATIENCE: Duration = Duration::from_secs(120);

/// What the exporter was told of the batches so far.
#[derive(Debug, Default)]
struct Told {
    acknowledged: Vec<String>,
    failed: usize,
}

/// The official exporter, and a note of what became of each batch.
#[derive(Debug)]
struct Noting {
    inner: opentelemetry_otlp::SpanExporter,
    told: Arc<Mutex<Told>>,
}

impl SpanExporter for Noting {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let ids: Vec<String> = batch.iter().map(|span| span.span_context.span_id().to_string()).collect();
        let result = self.inner.export(batch).await;
        let mut told = self.told.lock().unwrap();
        match &result {
            Ok(()) => told.acknowledged.extend(ids),
            Err(_) => told.failed += ids.len(),
        }
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// A provider as an application makes one, with small batches so that many are under way.
fn provider(grpc: &str, retry: RetryPolicy, told: &Arc<Mutex<Told>>) -> SdkTracerProvider {
    let inner = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(format!("http://{grpc}"))
        .with_timeout(PATIENCE)
        .with_retry_policy(retry)
        .build()
        .unwrap();
    let batches = BatchConfigBuilder::default()
        .with_max_export_batch_size(BATCH)
        .with_scheduled_delay(Duration::from_millis(50))
        .build();
    let exporter = Noting { inner, told: Arc::clone(told) };
    let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
    SdkTracerProvider::builder().with_span_processor(processor).build()
}

/// Ends so many spans of a run, some each second.
fn spans(provider: &SdkTracerProvider, run: &str, numbers: std::ops::Range<usize>) {
    let tracer = provider.tracer("it");
    for number in numbers {
        let mut span = tracer.start(format!("execute_tool look_up_{number}"));
        span.set_attribute(KeyValue::new("recount.run.id", run.to_owned()));
        span.set_attribute(KeyValue::new("gen_ai.operation.name", "execute_tool"));
        span.set_attribute(KeyValue::new("gen_ai.tool.name", format!("look_up_{number}")));
        span.end();
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until so many spans were acknowledged.
fn acknowledged(told: &Arc<Mutex<Told>>, at_least: usize) {
    let begun = Instant::now();
    while told.lock().unwrap().acknowledged.len() < at_least {
        assert!(begun.elapsed() < PATIENCE, "{:?}", told.lock().unwrap());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The spans of a run, once everything that was taken is stored; none twice.
fn stored(serving: &Serving, run: &str) -> BTreeSet<String> {
    let begun = Instant::now();
    let waits = ["recount_records_waiting 0\n", "recount_projection_waiting 0\n"];
    while !waits.iter().all(|line| serving.get("/metrics").1.contains(line)) {
        assert!(begun.elapsed() < PATIENCE, "not drained in time");
        std::thread::sleep(Duration::from_millis(50));
    }
    let shown = serving.json(&format!("/api/v1/runs/{run}"));
    let attempts =
        shown["steps"].as_array().unwrap().iter().flat_map(|step| step["attempts"].as_array().unwrap());
    let ids: Vec<String> = attempts.map(|attempt| attempt["span_id"].as_str().unwrap().to_owned()).collect();
    let once: BTreeSet<String> = ids.iter().cloned().collect();
    assert_eq!(once.len(), ids.len(), "a span is stored twice");
    once
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_sdk_tries_again_is_stored_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(dir.path(), &[]);
    let (grpc, told) = (serving.otlp_grpc.clone(), Arc::new(Mutex::new(Told::default())));
    let patient = RetryPolicy::recommended().with_max_retries(200).with_max_delay(Duration::from_millis(400));
    let provider = provider(&grpc, patient, &told);
    let run = "rust-sdk-tries-again";
    let serving = tokio::task::spawn_blocking(move || {
        spans(&provider, run, 0..SPANS / 2);
        acknowledged(&told, SPANS / 4);
        // Batches go on being made and sent while nobody is there to take them.
        serving.kill();
        spans(&provider, run, SPANS / 2..SPANS * 3 / 4);
        let serving = Serving::start(dir.path(), &["--otlp-grpc", &grpc]);
        spans(&provider, run, SPANS * 3 / 4..SPANS);
        provider.shutdown_with_timeout(PATIENCE).unwrap();
        let told = told.lock().unwrap();
        // A connection that breaks under a batch may be an error which the SDK does not try again (gRPC: UNKNOWN).
        let acknowledged: BTreeSet<String> = told.acknowledged.iter().cloned().collect();
        assert!(
            acknowledged.len() + told.failed == SPANS && told.failed <= BATCH,
            "each span is told of: {told:?}"
        );
        let stored = stored(&serving, run);
        assert!(acknowledged.is_subset(&stored), "{} are lost", acknowledged.difference(&stored).count());
        assert!(stored.len() <= acknowledged.len() + told.failed);
        drop(told);
        (serving, dir)
    });
    let (serving, _dir) = serving.await.unwrap();
    assert_eq!(serving.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_sdk_gave_up_was_never_called_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(dir.path(), &[]);
    let (grpc, told) = (serving.otlp_grpc.clone(), Arc::new(Mutex::new(Told::default())));
    let provider = provider(&grpc, RetryPolicy::disabled(), &told);
    let run = "rust-sdk-gives-up";
    let serving = tokio::task::spawn_blocking(move || {
        spans(&provider, run, 0..SPANS / 2);
        acknowledged(&told, SPANS / 4);
        serving.kill();
        spans(&provider, run, SPANS / 2..SPANS);
        // It stops while nobody is there: what it still had is lost, and it was told so.
        drop(provider.shutdown_with_timeout(PATIENCE));
        let serving = Serving::start(dir.path(), &["--otlp-grpc", &grpc]);
        let told = told.lock().unwrap();
        let acknowledged: BTreeSet<String> = told.acknowledged.iter().cloned().collect();
        assert!(
            told.failed > 0 && acknowledged.len() + told.failed == SPANS,
            "each span is told of: {told:?}"
        );
        let stored = stored(&serving, run);
        // A batch that was kept just before the kill, its answer lost, is stored and was told to have failed.
        assert!(
            acknowledged.is_subset(&stored),
            "{} of {} are lost",
            acknowledged.difference(&stored).count(),
            stored.len()
        );
        drop(told);
        (serving, dir)
    });
    let (serving, _dir) = serving.await.unwrap();
    assert_eq!(serving.stop(), Some(0));
}
