//! The official OpenTelemetry SDK, as any agent sets it up: a tracer and a logger per worker, over gRPC.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::logs::LoggerProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{LogExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::{SdkLogger, SdkLoggerProvider};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

use crate::demo::error::DemoError;

const SEND_TIMEOUT: Duration = Duration::from_secs(20);
const SCOPE: &str = "lindgren.support";

/// The SDKs of all workers.
#[derive(Debug)]
pub(super) struct Telemetry {
    endpoint: String,
    senders: Mutex<BTreeMap<String, Arc<Sender>>>,
}

/// The SDK of one worker.
#[derive(Debug)]
pub(super) struct Sender {
    /// Makes spans.
    pub(super) tracer: SdkTracer,
    /// Makes log records.
    pub(super) logger: SdkLogger,
    traces: SdkTracerProvider,
    logs: SdkLoggerProvider,
    endpoint: String,
}

impl Telemetry {
    /// Sends to this OTLP/gRPC endpoint, such as `http://127.0.0.1:4317`.
    pub(super) fn new(endpoint: String) -> Self {
        Self { endpoint, senders: Mutex::default() }
    }

    /// The SDK of a worker of a service; made once.
    pub(super) fn of(&self, service: &'static str, worker: &str) -> Result<Arc<Sender>, DemoError> {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{service}/{worker}");
        if let Some(sender) = senders.get(&name) {
            return Ok(Arc::clone(sender));
        }
        let sender = Arc::new(Sender::new(&self.endpoint, service, worker)?);
        senders.insert(name, Arc::clone(&sender));
        Ok(sender)
    }
}

impl Sender {
    fn new(endpoint: &str, service: &'static str, worker: &str) -> Result<Self, DemoError> {
        let failed = |error: &dyn std::error::Error| DemoError::Exporter {
            endpoint: endpoint.to_owned(),
            reason: error.to_string(),
        };
        let spans = SpanExporter::builder().with_tonic().with_endpoint(endpoint).with_timeout(SEND_TIMEOUT);
        let records = LogExporter::builder().with_tonic().with_endpoint(endpoint).with_timeout(SEND_TIMEOUT);
        let spans = spans.build().map_err(|error| failed(&error))?;
        let records = records.build().map_err(|error| failed(&error))?;
        let resource = Resource::builder()
            .with_service_name(service)
            .with_attributes([
                KeyValue::new("service.version", "2.3.1"),
                KeyValue::new("service.instance.id", worker.to_owned()),
                KeyValue::new("deployment.environment.name", "demo"),
            ])
            .build();
        let traces =
            SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build();
        let logs = SdkLoggerProvider::builder().with_batch_exporter(records).with_resource(resource).build();
        Ok(Self {
            tracer: traces.tracer(SCOPE),
            logger: logs.logger(SCOPE),
            traces,
            logs,
            endpoint: endpoint.to_owned(),
        })
    }

    /// Returns once everything ended so far is with the server.
    pub(super) async fn flush(&self) -> Result<(), DemoError> {
        let (traces, logs) = (self.traces.clone(), self.logs.clone());
        let sent = tokio::task::spawn_blocking(move || traces.force_flush().and(logs.force_flush())).await?;
        sent.map_err(|error| DemoError::NotSent {
            endpoint: self.endpoint.clone(),
            reason: error.to_string(),
        })
    }
}
