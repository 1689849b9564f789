//! A listener on a free port, over an inside that remembers what it took.
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prometheus_client::registry::Registry;
use recount::access::Access;
use recount::ingest::{
    Answer, DoorSettings, Export, Format, Intake, Meters, Refusal, Signal, TurnedAway, router,
};
use recount::otlp::{
    Decoded, decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf,
    read_metrics_json, read_metrics_protobuf,
};
use recount::server::{ServeLimits, serve};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What came inside.
#[derive(Default)]
pub(crate) struct Inside {
    /// Names of the records.
    pub(crate) names: Mutex<Vec<String>>,
    /// The projects of the requests, in order.
    pub(crate) projects: Mutex<Vec<String>>,
    /// Answered to everything, when set.
    pub(crate) refusal: Mutex<Option<Refusal>>,
}

impl Inside {
    fn read(&self, mut export: Export) -> Result<Answer, Refusal> {
        if let Some(refusal) = self.refusal.lock().unwrap().clone() {
            return Err(refusal);
        }
        self.projects.lock().unwrap().push(export.sender.project.0.clone());
        let body = &export.packed.unpack()?;
        let (names, rejected, message) = match (export.signal, export.format) {
            (Signal::Traces, Format::Json) => told(decode_traces_json(body)?, |span| &span.name),
            (Signal::Traces, Format::Protobuf) => told(decode_traces_protobuf(body)?, |span| &span.name),
            (Signal::Logs, Format::Json) => told(decode_logs_json(body)?, |log| &log.event_name),
            (Signal::Logs, Format::Protobuf) => told(decode_logs_protobuf(body)?, |log| &log.event_name),
            (Signal::Metrics, Format::Json) => {
                (Vec::new(), read_metrics_json(body)?.data_points, String::new())
            }
            (Signal::Metrics, Format::Protobuf) => {
                (Vec::new(), read_metrics_protobuf(body)?.data_points, String::new())
            }
        };
        self.names.lock().unwrap().extend(names);
        Ok(Answer { rejected, message })
    }
}

fn told<T>(decoded: Decoded<T>, name: fn(&T) -> &String) -> (Vec<String>, u64, String) {
    let names = decoded.items.iter().map(|item| name(item).clone()).collect();
    let reason = decoded.refused.first().map(|refused| refused.reason.clone());
    let rejected = decoded.refused.iter().map(|refused| refused.items).sum();
    (names, rejected, reason.or(decoded.warning).unwrap_or_default())
}

impl Intake for Inside {
    fn take(&self, export: Export) -> Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + '_>> {
        Box::pin(async move { self.read(export) })
    }

    fn turned_away(&self, _away: TurnedAway) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// A running listener; stops when dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) inside: Arc<Inside>,
    pub(crate) stop: CancellationToken,
    pub(crate) served: Option<tokio::task::JoinHandle<usize>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Limits that make waiting short.
pub(crate) fn impatient() -> (DoorSettings, ServeLimits) {
    let door = DoorSettings {
        body_idle_timeout: Duration::from_millis(300),
        body_timeout: Duration::from_millis(1_500),
        ..DoorSettings::default()
    };
    let serve = ServeLimits {
        header_timeout: Duration::from_millis(400),
        idle_timeout: Duration::from_secs(2),
        stop_within: Duration::from_secs(1),
        ..ServeLimits::default()
    };
    (door, serve)
}

/// Listens with default limits.
pub(crate) async fn start() -> Server {
    start_with(DoorSettings::default(), ServeLimits::default()).await
}

/// Listens with these limits.
pub(crate) async fn start_with(door: DoorSettings, limits: ServeLimits) -> Server {
    start_for(Access::development(), door, limits).await
}

/// Listens for those who may come in.
pub(crate) async fn start_for(access: Access, door: DoorSettings, limits: ServeLimits) -> Server {
    let inside = Arc::new(Inside::default());
    let meters = Meters::new(&mut Registry::default());
    let router = router(&door, access, meters, inside.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let served = tokio::spawn(serve(listener, router, limits, stop.clone()));
    Server { address, inside, stop, served: Some(served) }
}

impl Server {
    /// Names of the records that came inside, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = self.inside.names.lock().unwrap().clone();
        names.sort();
        names
    }

    /// Everything is refused with this from now on.
    pub(crate) fn refuse(&self, refusal: Refusal) {
        *self.inside.refusal.lock().unwrap() = Some(refusal);
    }
}
