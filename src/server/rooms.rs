//! The rooms of a server, joined: the way of a span and the way of a page.
use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use bytes::Bytes;
use prometheus_client::registry::Registry;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, SecretHash};
use crate::config::{Setting, Settings, Source};
use crate::conventions::Conventions;
use crate::domain::ids::{Project, TraceId};
use crate::domain::lifecycle::LifecycleKind;
use crate::evidence::KeyFile;
use crate::ingest::{
    Ack, DoorSettings, Drain, DrainSettings, Keeper, Ledger, Meters, Pipeline, Quotas, Receiver, Stored,
    router,
};
use crate::log::{Log, LogSettings, Recovery};
use crate::notices::{Endpoint, Gauges, Notices, NoticesSettings, Rule, try_endpoints};
use crate::projection::{Eraser, Projection, ProjectionSettings, Sequencer};
use crate::redaction::{InForce, Rulebook};
use crate::server::access::{open_access, watch_access};
use crate::server::addresses::Addresses;
use crate::server::changes;
use crate::server::chronicle::{keep_chronicle, last_alive_ns};
use crate::server::eraser::eraser;
use crate::server::error::StartError;
use crate::server::expiry;
use crate::server::local::Local;
use crate::server::prepare::{migrate, now_ns, open_keys, open_store, record};
use crate::server::record::recorder;
use crate::server::reload;
use crate::server::signing::{sequence, sequencer};
use crate::server::status::Figures;
use crate::server::typed::rules_as_typed;
use crate::server::watch::Watch;
use crate::store::Store;
use crate::store::queries::unfolded;
use crate::store::rows::{Encoder, segment_header};
use crate::web::{
    AlertDesk, Desk, EntityTools, Hook, Live, OpenCount, Provider, Record, Ruled, Tried, WebSettings,
    WebState, routes,
};

/// Bodies remembered as stored, so that an agent's history is not inserted again with each of its calls.
const BODIES_REMEMBERED_MAX: usize = 500_000;
/// How far back the start looks for what was appended and not folded.
const CATCH_UP_NS: u64 = 7 * 24 * 3600 * 1_000_000_000;
/// Between two looks at the queue of unknowns.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// With `ack = "store"`: how long a sender waits for the insert.
const STORE_ACK_WITHIN: Duration = Duration::from_secs(8);

/// Everything behind the ports.
pub struct Rooms {
    store: Store,
    log: Log,
    drain: Drain,
    projection: Projection,
    notices: Notices,
    otlp: Router,
    web: (Router, Live),
    figures: Arc<Figures>,
    stop: CancellationToken,
    data_dir: PathBuf,
    watches: tokio::sync::Mutex<Vec<JoinHandle<()>>>,
}

impl Rooms {
    /// Opens the store, the keys and the log, and starts the drain.
    ///
    /// # Errors
    /// A [`StartError`]; nothing is left running.
    pub(in crate::server) async fn open(settings: &Settings, at: Addresses) -> Result<Self, StartError> {
        let rules = Arc::new(InForce::new(Rulebook::new(&settings.redaction)?, now_ns()));
        let store = open_store(settings).await?;
        match Self::over(settings, at, store.clone(), rules).await {
            Ok(rooms) => Ok(rooms),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    async fn over(
        settings: &Settings,
        at: Addresses,
        store: Store,
        rules: Arc<InForce>,
    ) -> Result<Self, StartError> {
        let started_ns = now_ns();
        let answering = migrate(&store).await?;
        let keys = open_keys(&store, &settings.data_dir, answering).await?;
        let access = open_access(&store, settings, answering).await?;
        let (log, recovery) = Log::open(log_settings(settings))?;
        let stop = CancellationToken::new();
        let watch = Watch::start(store.clone(), answering, stop.clone()).await;
        let encoder = Arc::new(Encoder::new(settings.retention.clone(), BODIES_REMEMBERED_MAX));
        let projection = start_folding(settings, &store);
        let sink = Stored::new(store.clone(), encoder.clone(), follow(projection.clone()));
        let drain = Drain::start(log.clone(), Arc::new(sink), DrainSettings::default());
        let ack = if settings.ack_after_store { Ack::Store { patience: STORE_ACK_WITHIN } } else { Ack::Log };
        let keeper = Keeper::new(log.clone(), ack, drain.progress());
        let mut registry = Registry::default();
        let meters = Meters::new(&mut registry);
        let notices = tell(settings, &store, Gauges::new(&mut registry));
        let pipeline = pipeline(settings, rules.clone(), (encoder, keys));
        let desk = desk(&rules, &pipeline);
        let changed = pipeline.clone();
        let receiver = Receiver::new(pipeline.clone(), keeper.clone(), meters.clone());
        let otlp = router(&door(settings), access.clone(), meters.clone(), Arc::new(receiver));
        let progress = drain.progress();
        let sequencer = sequencer(settings, at, &store)?;
        let figures = Arc::new(Figures {
            started_ns,
            log: log.clone(),
            progress,
            keeper,
            projection: projection.clone(),
            meters,
            watch,
            registry,
            sequencer: sequencer.clone(),
        });
        let alive_ns = last_alive_ns(&settings.data_dir);
        let mut watches = vec![
            watch_access(access.clone(), store.clone(), settings, stop.clone()),
            keep_chronicle(figures.clone(), store.clone(), settings.data_dir.clone(), stop.clone()),
        ];
        let local = Local::new(at.ui).map_err(StartError::Random)?;
        let record = recorder(pipeline, figures.keeper.clone(), store.clone());
        let who = Who { access, local_key: local.hash(), record };
        watches.push(tokio::spawn(sequence(sequencer.clone(), stop.clone())));
        let eraser = eraser(&store, (&projection, &sequencer), &changed, &log, stop.clone());
        let entities = entity_tools(settings, sequencer, eraser);
        let web = web_router(settings, at, (&store, entities, who), (desk, figures.clone()));
        report(&store, &recovery, (answering, alive_ns)).await;
        if answering {
            catch_up(&store, &projection).await;
            reload::announce(&store, &rules).await;
            changes::announce(&store, settings, &changed.keys).await;
        }
        expiry::watch(store.clone(), stop.clone());
        reload::watch(store.clone(), rules, settings.config.clone(), stop.clone());
        local.leave(&settings.data_dir);
        Ok(Self {
            store,
            log,
            drain,
            projection,
            notices,
            otlp,
            web,
            figures,
            stop,
            data_dir: settings.data_dir.clone(),
            watches: tokio::sync::Mutex::new(watches),
        })
    }

    /// The OTLP paths, for both OTLP ports.
    pub(in crate::server) fn otlp_router(&self) -> Router {
        self.otlp.clone()
    }

    /// The pages and the API.
    pub(in crate::server) fn web_router(&self) -> Router {
        self.web.0.clone()
    }

    /// Lets go of pages that only listen, so that the ports can close.
    pub(in crate::server) fn end_live(&self) {
        self.web.1.end();
    }

    /// Where all records are now.
    pub fn ledger(&self) -> Ledger {
        self.figures.keeper.ledger()
    }

    /// The store, for whoever runs beside the server in its process.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits until nothing waits in the log; `false` when it still does after so long.
    pub async fn drained(&self, within: Duration) -> bool {
        let begun = Instant::now();
        while self.ledger().waiting > 0 || self.log.stats().frames > 0 {
            if begun.elapsed() > within {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        true
    }

    /// Stops everything in order. What the store has not confirmed stays in the log.
    pub(in crate::server) async fn close(&self) {
        Local::take_away(&self.data_dir);
        self.drain.stop().await;
        self.projection.stop();
        self.notices.stop();
        self.stop.cancel();
        for watch in self.watches.lock().await.drain(..) {
            if watch.await.is_err() {
                tracing::error!("a watch was broken off");
            }
        }
        self.figures.sequencer.give_back().await;
        if let Err(error) = record(&self.store, LifecycleKind::Stopped, Vec::new()).await {
            tracing::warn!(%error, "the stop could not be recorded");
        }
        self.store.close().await;
    }
}

/// Who may send, by address and by origin.
/// What turns bodies into rows, under the rules in force.
fn pipeline(
    settings: &Settings,
    rules: Arc<InForce>,
    (encoder, keys): (Arc<Encoder>, KeyFile),
) -> Arc<Pipeline> {
    Arc::new(Pipeline {
        conventions: Conventions::new(settings.tools.clone()),
        quotas: Quotas::new(settings.quotas.clone()),
        sampling: settings.sampling.clone(),
        rules,
        encoder,
        keys,
    })
}

fn door(settings: &Settings) -> DoorSettings {
    let (hosts, cors_origins) = (settings.hosts.clone(), settings.cors_origins.clone());
    DoorSettings { hosts, cors_origins, ..DoorSettings::default() }
}

/// Starts what folds runs and keys.
fn start_folding(settings: &Settings, store: &Store) -> Projection {
    let kept_days = settings.retention.longest().longest_days();
    Projection::start(store.clone(), ProjectionSettings { kept_days, ..ProjectionSettings::default() })
}

/// What the pages of accounts and other entities need of the settings.
fn entity_tools(settings: &Settings, sequencer: Sequencer, eraser: Eraser) -> EntityTools {
    EntityTools {
        sequencer: Some(sequencer),
        eraser: Some(eraser),
        aliases: Arc::new(settings.aliases.clone()),
        rules: Arc::new(settings.tools.clone()),
    }
}

/// Has what was appended to cases just before the last stop folded: lists would miss it for ever.
async fn catch_up(store: &Store, projection: &Projection) {
    let from_ns = now_ns().saturating_sub(CATCH_UP_NS);
    match unfolded(store, from_ns).await {
        Ok(appended) => {
            let projection = projection.clone();
            tokio::spawn(async move {
                for (project, traces) in appended {
                    projection.touch(&project, &traces).await;
                }
            });
        }
        Err(error) => tracing::warn!(%error, "what was appended to cases last may be missing in lists"),
    }
}

/// Has the queue of unknowns looked at, for gauges and webhooks.
fn tell(settings: &Settings, store: &Store, gauges: Gauges) -> Notices {
    let told = NoticesSettings {
        endpoints: settings.webhooks.clone(),
        rules: settings.alerts.clone(),
        tools: settings.tools.clone(),
        every: LOOK_EVERY,
        backoff: LOOK_EVERY,
        kept_days: settings.retention.longest().activity_days,
        shared: store.engine().is_none(),
        now_ns,
    };
    Notices::start(store.clone(), told, gauges)
}

fn log_settings(settings: &Settings) -> LogSettings {
    let mut log = LogSettings::new(settings.data_dir.join("log"), Bytes::from(segment_header()));
    log.bytes_max = settings.log_bytes_max.unwrap_or(log.bytes_max);
    log
}

/// What the drain waits for after rows are stored.
type Following = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Has the projection follow what the drain stores.
fn follow(projection: Projection) -> impl Fn(Vec<(Project, TraceId)>) -> Following + Send + Sync + 'static {
    move |touched| {
        let projection = projection.clone();
        Box::pin(async move {
            let mut projects: BTreeMap<Project, Vec<TraceId>> = BTreeMap::new();
            for (project, trace) in touched {
                projects.entry(project).or_default().push(trace);
            }
            for (project, traces) in projects {
                projection.touch(&project, &traces).await;
            }
        })
    }
}

/// What the pages need of redaction.
fn desk(rules: &Arc<InForce>, pipeline: &Arc<Pipeline>) -> Desk {
    let pipeline = Arc::clone(pipeline);
    Desk {
        rules: Arc::clone(rules),
        read: rules_as_typed,
        keys: Arc::new(move |project| pipeline.keys.pseudonym_keys(project)),
    }
}

/// Who may look, and the record of who did.
struct Who {
    access: Access,
    local_key: SecretHash,
    record: Record,
}

fn web_router(
    settings: &Settings,
    at: Addresses,
    (store, entities, who): (&Store, EntityTools, Who),
    (desk, figures): (Desk, Arc<Figures>),
) -> (Router, Live) {
    let metered = figures.clone();
    let projection = figures.projection.clone();
    let live = Live::new(projection.clone());
    let router = routes(WebState {
        store: store.clone(),
        access: who.access,
        record: who.record,
        local_key: who.local_key,
        provider: settings.oidc.clone().map(|oidc| Arc::new(Provider::new(oidc))),
        settings: Arc::new(WebSettings {
            base_path: settings.base_path.clone(),
            hosts: settings.hosts.clone(),
            https: settings.https,
            proxy: settings.proxy.clone(),
            retention: settings.retention.clone(),
            otlp_http: at.otlp_http.to_string(),
            otlp_grpc: at.otlp_grpc.to_string(),
            prices: settings.prices.clone(),
            tools: settings.tools.clone(),
            retention_set: retention_set(settings),
        }),
        touch: Arc::new(move |project, traces| {
            let projection = projection.clone();
            Box::pin(async move { projection.touch(&project, &traces).await })
        }),
        entities,
        status: Arc::new(move || figures.status()),
        desk,
        metrics: Arc::new(move || metered.metrics()),
        alerts: alert_desk(settings),
        live: live.clone(),
        open: OpenCount::default(),
    });
    (router, live)
}

/// What the page of alerts needs of the settings.
fn alert_desk(settings: &Settings) -> AlertDesk {
    let ruled = |rule: &Rule| Ruled {
        name: rule.name().to_owned(),
        sentence: rule.sentence(),
        to: rule.to().to_vec(),
    };
    let hook = |endpoint: &Endpoint| Hook { name: endpoint.name(), shape: endpoint.shape().word() };
    let endpoints = settings.webhooks.clone();
    AlertDesk {
        rules: settings.alerts.iter().map(ruled).collect(),
        hooks: settings.webhooks.iter().map(hook).collect(),
        test: Arc::new(move || {
            let endpoints = endpoints.clone();
            Box::pin(async move {
                let tried = try_endpoints(&endpoints, now_ns()).await;
                let one = |(name, wrong): (String, Option<String>)| Tried {
                    name,
                    wrong: wrong.unwrap_or_default(),
                };
                tried.into_iter().map(one).collect()
            })
        }),
    }
}

/// Whether somebody decided how long records are kept, rather than left it at its default.
fn retention_set(settings: &Settings) -> bool {
    let set = |setting: &Setting| setting.name.starts_with("retention.") && setting.source != Source::Default;
    settings.shown.iter().any(set)
}

/// Records the start, and what the log had to be repaired for.
async fn report(store: &Store, recovery: &Recovery, (answering, alive_ns): (bool, Option<u64>)) {
    for aside in &recovery.set_aside {
        let (segment, reason) = (&aside.name, &aside.reason);
        tracing::error!(%segment, %reason, "a damaged segment of the log was set aside");
    }
    if !answering {
        return;
    }
    let mut events = vec![(
        LifecycleKind::Started,
        vec![
            ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("frames_recovered".to_owned(), recovery.frames.to_string()),
            ("bytes_truncated".to_owned(), recovery.truncated_bytes.to_string()),
        ],
    )];
    if let Some(at) = alive_ns.and_then(|at| jiff::Timestamp::from_nanosecond(i128::from(at)).ok()) {
        let detail = vec![
            ("reason".to_owned(), "the process ended without a stop".to_owned()),
            ("last_alive".to_owned(), at.to_string()),
        ];
        events.push((LifecycleKind::Gap, detail));
    }
    events.extend(recovery.set_aside.iter().map(|aside| {
        let detail =
            vec![("segment".to_owned(), aside.name.clone()), ("reason".to_owned(), aside.reason.clone())];
        (LifecycleKind::Gap, detail)
    }));
    for (kind, detail) in events {
        if let Err(error) = record(store, kind, detail).await {
            tracing::warn!(%error, "the start could not be recorded");
        }
    }
}
