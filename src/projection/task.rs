//! The task that folds what was touched: gathers for a moment, folds many traces at once, and tries again
//! while the store does not answer.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::{Notify, broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use crate::domain::ids::{Project, TraceId};
use crate::projection::error::ProjectionError;
use crate::projection::lines::{Writing, write_lines};
use crate::store::rows::Retention;
use crate::store::{Store, StoreError};

/// So many sets of changes a slow listener may be behind before it misses some.
const CHANGES_MAX: usize = 64;

/// How the task goes about it.
#[derive(Debug, Clone, Copy)]
pub struct ProjectionSettings {
    /// How long touches gather before they are folded: a run that arrives in pieces is folded once.
    pub gather: Duration,
    /// Most traces folded at once.
    pub traces_max: usize,
    /// The wait after the first failure; it doubles.
    pub backoff_min: Duration,
    /// The longest wait between attempts.
    pub backoff_max: Duration,
    /// How many days lines are kept after the last receipt: the longest of all records.
    pub kept_days: u16,
    /// What time it is, in nanoseconds since 1970.
    pub now_ns: fn() -> u64,
}

impl Default for ProjectionSettings {
    fn default() -> Self {
        Self {
            gather: Duration::from_millis(100),
            traces_max: 1_000,
            backoff_min: Duration::from_millis(100),
            backoff_max: Duration::from_secs(5),
            kept_days: Retention::default().longest_days(),
            now_ns: system_now_ns,
        }
    }
}

/// How far the derived tables are behind the records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lag {
    /// Traces that wait to be folded, or are being folded.
    pub traces: u64,
    /// Age of the oldest of them.
    pub oldest: Duration,
    /// Traces given up since the start: their lines are old or missing until they are touched or made again.
    pub failed: u64,
}

/// Runs whose lines were written, for live pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Whose they are.
    pub project: Project,
    /// The runs.
    pub run_ids: Vec<String>,
}

/// The task's handle. Clones are the same task.
#[derive(Clone)]
pub struct Projection {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    touched: Notify,
    changes: broadcast::Sender<Arc<Changed>>,
    failed: AtomicU64,
    stop: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    traces: BTreeMap<(Project, TraceId), Touch>,
    /// Being folded now: how many, and the oldest of them.
    folding: Option<(usize, Instant)>,
}

struct Touch {
    since: Instant,
    done: Vec<Arc<Countdown>>,
}

/// Tells one caller when the last of its traces is written.
struct Countdown(Mutex<Option<(usize, oneshot::Sender<()>)>>);

impl Countdown {
    fn one_less(&self) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match left.take() {
            // Whoever asked may be gone: then nobody has to hear.
            Some((1, done)) => done.send(()).unwrap_or_default(),
            Some((count, done)) => *left = Some((count - 1, done)),
            None => {}
        }
    }
}

impl Projection {
    /// Starts the task.
    pub fn start(store: Store, settings: ProjectionSettings) -> Self {
        let shared = Arc::new(Shared {
            waiting: Mutex::default(),
            touched: Notify::new(),
            changes: broadcast::channel(CHANGES_MAX).0,
            failed: AtomicU64::new(0),
            stop: CancellationToken::new(),
        });
        tokio::spawn(run(store, settings, shared.clone()));
        Self { shared }
    }

    /// Has these traces folded. Resolves when their runs and actions are written; never before, however long
    /// the store does not answer. Touching again what is written already changes nothing.
    pub async fn touch(&self, project: &Project, traces: &[TraceId]) {
        if traces.is_empty() {
            return;
        }
        let (done, written) = oneshot::channel();
        let countdown = Arc::new(Countdown(Mutex::new(Some((traces.len(), done)))));
        {
            let mut waiting = self.shared.lock();
            for trace in traces {
                let fresh = || Touch { since: Instant::now(), done: Vec::new() };
                let touch = waiting.traces.entry((project.clone(), *trace)).or_insert_with(fresh);
                touch.done.push(countdown.clone());
            }
        }
        self.shared.touched.notify_one();
        if written.await.is_err() {
            // The task was stopped: what it did not write is written after the next start.
            std::future::pending::<()>().await;
        }
    }

    /// How far behind it is.
    pub fn lag(&self) -> Lag {
        let waiting = self.shared.lock();
        let oldest = waiting.traces.values().map(|touch| touch.since).min();
        let folding = waiting.folding.map(|(_, since)| since);
        let oldest = oldest.into_iter().chain(folding).min();
        let count = waiting.traces.len() + waiting.folding.map_or(0, |(count, _)| count);
        Lag {
            traces: count as u64,
            oldest: oldest.map(|since| since.elapsed()).unwrap_or_default(),
            failed: self.shared.failed.load(Ordering::Relaxed),
        }
    }

    /// Hears of every run whose line is written from now on.
    pub fn changes(&self) -> broadcast::Receiver<Arc<Changed>> {
        self.shared.changes.subscribe()
    }

    /// Stops the task after what it is doing.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest project's traces, as many as may be folded at once.
    fn take(&self, traces_max: usize) -> Option<(Project, BTreeMap<TraceId, Touch>)> {
        let mut waiting = self.lock();
        let ((project, _), _) = waiting.traces.iter().min_by_key(|(_, touch)| touch.since)?;
        let project = project.clone();
        let of_project = waiting.traces.keys().filter(|(owner, _)| *owner == project);
        let keys: Vec<_> = of_project.take(traces_max).cloned().collect();
        let taken: BTreeMap<TraceId, Touch> = keys
            .into_iter()
            .filter_map(|key| waiting.traces.remove(&key).map(|touch| (key.1, touch)))
            .collect();
        let oldest = taken.values().map(|touch| touch.since).min()?;
        waiting.folding = Some((taken.len(), oldest));
        Some((project, taken))
    }

    /// Writes until it is written. A set that can't be read or folded at once is halved; one trace that
    /// can't be is counted and left, so that it does not hold up all others.
    async fn persist(
        &self,
        store: &Store,
        settings: &ProjectionSettings,
        project: &Project,
        traces: Vec<TraceId>,
    ) {
        let mut pieces = vec![traces];
        let mut backoff = settings.backoff_min;
        while let Some(traces) = pieces.pop() {
            let name = name();
            let writing = Writing { now_ns: (settings.now_ns)(), kept_days: settings.kept_days, name: &name };
            match write_lines(store, project, &traces, writing).await {
                Ok(written) => {
                    backoff = settings.backoff_min;
                    let changed = Changed { project: project.clone(), run_ids: written.run_ids };
                    // Nobody need listen.
                    self.changes.send(Arc::new(changed)).map(drop).unwrap_or_default();
                }
                Err(error) if halves(&error) && traces.len() > 1 => {
                    let (one, other) = traces.split_at(traces.len() / 2);
                    pieces.extend([one.to_vec(), other.to_vec()]);
                }
                Err(error) if halves(&error) => {
                    let trace = traces.first().copied().unwrap_or_default();
                    tracing::error!(%error, trace.id = %trace, "a run is not folded; its line is missing");
                    self.failed.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    tracing::warn!(%error, "derived tables could not be written; trying again");
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(settings.backoff_max);
                    pieces.push(traces);
                }
            }
        }
    }
}

async fn run(store: Store, settings: ProjectionSettings, shared: Arc<Shared>) {
    loop {
        let Some((project, taken)) = shared.take(settings.traces_max) else {
            tokio::select! {
                () = shared.touched.notified() => tokio::time::sleep(settings.gather).await,
                () = shared.stop.cancelled() => return,
            }
            continue;
        };
        let traces: Vec<TraceId> = taken.keys().copied().collect();
        let work = shared.persist(&store, &settings, &project, traces);
        tokio::select! {
            () = work => {}
            () = shared.stop.cancelled() => return,
        }
        for touch in taken.into_values() {
            touch.done.iter().for_each(|done| done.one_less());
        }
        shared.lock().folding = None;
    }
}

/// A name of its own for every writing: equal lines written later must not be taken for a repeated insert.
fn name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let dice = getrandom::u64().unwrap_or_default();
    format!("projection {dice:016x} {}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

fn system_now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether less at once may do.
fn halves(error: &ProjectionError) -> bool {
    match error {
        ProjectionError::Broken => true,
        ProjectionError::Store(error) => match error {
            StoreError::Unreadable { .. } | StoreError::Refused(_) | StoreError::TooSlow { .. } => true,
            StoreError::Unreachable { .. }
            | StoreError::Busy(_)
            | StoreError::Unknown { .. }
            | StoreError::Denied(_)
            | StoreError::Missing
            | StoreError::Settings(_)
            | StoreError::Engine(_) => false,
        },
    }
}
