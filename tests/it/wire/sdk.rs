//! The official Rust SDK over gRPC.
use opentelemetry::trace::{Tracer, TracerProvider};
use opentelemetry_otlp::WithExportConfig;
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::wire::server::start;

#[tokio::test(flavor = "multi_thread")]
async fn the_official_sdk_is_served() {
    let server = start().await;
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(format!("http://{}", server.address))
        .build()
        .unwrap();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).build();
    let tracer = provider.tracer("it");
    for name in ["one", "two", "three"] {
        tracer.start(name);
    }
    tokio::task::spawn_blocking(move || provider.force_flush().unwrap()).await.unwrap();
    assert_eq!(server.names(), ["one", "three", "two"]);
}
