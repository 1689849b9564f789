//! Sends one span to a running server, as the README says it: `cargo run --example send_span`.
#![expect(clippy::print_stdout, reason = "an example prints what it sent")]
use opentelemetry::trace::{Span, Tracer, TracerProvider};
use opentelemetry_otlp::WithExportConfig;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint("http://127.0.0.1:4317")
        .build()?;
    let provider =
        opentelemetry_sdk::trace::SdkTracerProvider::builder().with_batch_exporter(exporter).build();
    opentelemetry::global::set_tracer_provider(provider.clone());

    let mut span = provider.tracer("example").start("invoke_agent example");
    println!("{}", span.span_context().trace_id());
    span.end();
    provider.shutdown()?;
    Ok(())
}
