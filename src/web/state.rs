//! What the pages are served with: the store, the settings, and how to ask the server about itself.
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::HeaderMap;

use crate::access::{Access, Account, Grant, SecretHash, Who, hash};
use crate::conventions::ToolRules;
use crate::domain::activity::Activity;
use crate::domain::ids::{Project, TraceId};
use crate::domain::price::Prices;
use crate::store::Store;
use crate::store::rows::Retentions;
use crate::web::alerting::AlertDesk;
use crate::web::desk::Desk;
use crate::web::entity::tools::EntityTools;
use crate::web::link::Links;
use crate::web::live::Live;
use crate::web::open_count::OpenCount;
use crate::web::provider::client::Provider;

/// Everything handlers need. Cheap to clone.
#[derive(Clone)]
pub struct WebState {
    /// Where records are read from.
    pub store: Store,
    /// Who may come in.
    pub access: Access,
    /// How this room behaves.
    pub settings: Arc<WebSettings>,
    /// What the answers about entities are made with.
    pub entities: EntityTools,
    /// Records what somebody did. When it is done, it outlives the process.
    pub record: Record,
    /// Who else can say who somebody is.
    pub provider: Option<Arc<Provider>>,
    /// What whoever may read the data directory shows to be let in, while the server runs.
    pub local_key: SecretHash,
    /// How the server is doing now. Must be quick: pages call it.
    pub status: Arc<dyn Fn() -> ServerStatus + Send + Sync>,
    /// What pages need of redaction.
    pub desk: Desk,
    /// Has the runs of these traces folded again; resolves when lists show it.
    pub touch: Touch,
    /// The text of `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// The rules of alerts, and who hears of them.
    pub alerts: AlertDesk,
    /// What pages that follow are told by.
    pub live: Live,
    /// How many unknowns are open, for every page.
    pub open: OpenCount,
}

/// Has traces folded again.
pub type Touch = Arc<dyn Fn(Project, Vec<TraceId>) -> Touched + Send + Sync>;

/// Resolves when they are.
pub type Touched = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Records what somebody did.
pub type Record = Arc<dyn Fn(Activity) -> Recording + Send + Sync>;
type Recording = Pin<Box<dyn Future<Output = Result<(), NotRecorded>> + Send>>;

/// What somebody did could not be recorded, so nothing of it may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it could not be recorded")]
pub struct NotRecorded;

impl fmt::Debug for WebState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebState").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A proxy that is trusted to say who somebody is. It must take the header out of what others send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxySettings {
    /// The header, such as `x-forwarded-user`.
    pub header: String,
    /// Where the proxy's requests come from; from elsewhere the header means nothing.
    pub addresses: Vec<IpAddr>,
}

/// How this room behaves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WebSettings {
    /// The path below which a proxy serves the pages: empty, or `/x` without a trailing slash. Requests are
    /// answered with it and without it, so the proxy may cut it off or keep it.
    pub base_path: String,
    /// Host names that requests may be addressed to, beside loopback names and plain addresses.
    pub hosts: Vec<String>,
    /// How long what is received is kept.
    pub retention: Retentions,
    /// Browsers reach it over TLS, at a proxy: cookies are for TLS only.
    pub https: bool,
    /// A proxy that says who somebody is.
    pub proxy: Option<ProxySettings>,
    /// Where OTLP over HTTP is taken, shown to who has sent nothing yet: `127.0.0.1:4318`.
    pub otlp_http: String,
    /// Where OTLP over gRPC is taken.
    pub otlp_grpc: String,
    /// What the tokens of models cost.
    pub prices: Prices,
    /// What the operator says of tools: what to do with unknown outcomes.
    pub tools: ToolRules,
    /// Somebody decided how long records are kept, be it as long as they would be anyway.
    pub retention_set: bool,
}

impl WebState {
    /// The command line of whoever holds the data directory, when a request shows its key.
    pub(in crate::web) fn local(&self, headers: &HeaderMap) -> Option<Account> {
        let shown = headers.get("x-recount-local")?.to_str().ok()?;
        let fits = !self.local_key.0.is_empty() && hash("local", shown).matches(&self.local_key);
        // Whoever holds the data directory holds the keys of redaction too.
        let grants = ["admin@*", "revealer@*"].iter().filter_map(|text| Grant::parse(text).ok()).collect();
        fits.then(|| Account { who: Who::Person("command line".to_owned()), grants })
    }

    pub(in crate::web) fn links(&self) -> Links {
        Links::new(&self.settings.base_path)
    }
}

/// How the server is doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerStatus {
    /// Why the server does not take writes now, one reason each; empty when it does.
    pub not_ready: Vec<String>,
    /// When the server started, nanoseconds since 1970.
    pub started_ns: u64,
    /// Its version.
    pub version: String,
    /// Where the SQL runs: `embedded in <directory>` or `server at <host:port>`.
    pub store_place: String,
    /// The version of ClickHouse; empty when not asked yet.
    pub store_version: String,
    /// Since when the store has not answered, nanoseconds since 1970; `None` when it answers.
    pub store_unreachable_since_ns: Option<u64>,
    /// Who signs the log: `by this server`, or by which other one. Empty when there is nothing to say.
    pub signing: String,
    /// The log of rows not yet confirmed in the store.
    pub log: LogStatus,
    /// What came in since the start.
    pub ingest: IngestStatus,
    /// How far the lists are behind the records.
    pub projection: ProjectionStatus,
}

/// The state of the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogStatus {
    /// Bytes that wait.
    pub bytes: u64,
    /// Most bytes that may wait; beyond it requests are refused.
    pub bytes_max: u64,
    /// When the oldest waiting request was acknowledged, nanoseconds since 1970; `None` when none waits.
    pub oldest_ns: Option<u64>,
    /// Segments that wait.
    pub segments: u64,
    /// Segments set aside because they were damaged.
    pub set_aside: u64,
    /// Rows a second that reached the store lately.
    pub drained_rows_per_second: f64,
}

/// What came in since the start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IngestStatus {
    /// Spans and log records received.
    pub received: u64,
    /// Of these, acknowledged.
    pub kept: u64,
    /// Refused, one by one or with their whole request.
    pub refused: u64,
    /// Of the kept: confirmed by the store.
    pub stored: u64,
    /// Of the kept: in the log only, or not yet in the lists.
    pub waiting: u64,
    /// Of the kept: in files beside the log, because they are damaged or the store refuses them.
    pub set_aside: u64,
    /// Found in the log at the start; they are among the stored, waiting and set aside too.
    pub recovered: u64,
    /// Received, and neither kept nor refused yet.
    pub under_way: u64,
    /// By how many records the counts do not add up; 0 unless something is wrong with the server itself.
    pub unaccounted: u64,
}

/// How far the lists are behind the records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectionStatus {
    /// Traces that wait to be folded.
    pub waiting: u64,
    /// Age of the oldest of them, milliseconds.
    pub lag_ms: u64,
}
