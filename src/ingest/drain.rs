//! Empties the log into the store: what gathered while the last segment was inserted is the next one. A
//! segment is deleted only after its rows are confirmed and projected.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::domain::ids::{Project, TraceId};
use crate::ingest::progress::Progress;
use crate::ingest::push::{Patience, Pusher, Stopped};
use crate::ingest::sink::{RefusedRows, Rejected, Sink};
use crate::log::{Log, Sealed, SegmentId};
use crate::store::rows::{FrameError, Gathered, Insert, Table};

/// So many stored segments may wait for their projection while later ones are inserted.
const PROJECTING_MAX: usize = 2;

/// How the drain goes about it.
#[derive(Debug, Clone)]
pub struct DrainSettings {
    /// The least time from the start of one segment's inserts to that of the next, unless full segments
    /// wait: many tiny inserts cost the store more than few larger ones.
    pub pace: Duration,
    /// The wait after the first failed attempt; it doubles.
    pub backoff_min: Duration,
    /// The longest wait between attempts: so late is an end of an outage noticed.
    pub backoff_max: Duration,
    /// How long an insert, and after it the last projections, may still take after the drain was told to
    /// stop.
    pub grace: Duration,
}

impl Default for DrainSettings {
    fn default() -> Self {
        Self {
            pace: Duration::from_millis(200),
            backoff_min: Duration::from_millis(100),
            backoff_max: Duration::from_secs(5),
            grace: Duration::from_secs(4),
        }
    }
}

/// The drain of one log.
pub struct Drain {
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
    progress: Arc<Progress>,
}

impl Drain {
    /// Starts to drain, oldest first, with what an earlier process left.
    pub fn start(log: Log, sink: Arc<impl Sink>, settings: DrainSettings) -> Self {
        let stop = CancellationToken::new();
        let progress = Arc::new(Progress::default());
        let draining = Draining {
            log,
            sink,
            progress: progress.clone(),
            stop: stop.clone(),
            pace: settings.pace,
            patience: Patience {
                backoff_min: settings.backoff_min,
                backoff_max: settings.backoff_max,
                grace: settings.grace,
            },
            projecting: Arc::new(Semaphore::new(PROJECTING_MAX)),
            settling: TaskTracker::new(),
        };
        let ending = progress.clone();
        let task = tokio::spawn(async move {
            if tokio::spawn(draining.run()).await.is_err() {
                // Nothing is lost: the log fills up and refuses. Who looks must see why.
                tracing::error!("the drain has failed; the log is drained again after a restart");
                ending.failed("drain");
            }
            ending.end();
        });
        Self { stop, task: Mutex::new(Some(task)), progress }
    }

    /// Its figures, also after it has stopped.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Finishes what is under way, within the grace, and stops. What is not confirmed stays in the log.
    pub async fn stop(&self) {
        self.stop.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && task.await.is_err()
        {
            tracing::error!("the drain did not end well");
        }
    }
}

struct Draining<S> {
    log: Log,
    sink: Arc<S>,
    progress: Arc<Progress>,
    stop: CancellationToken,
    pace: Duration,
    patience: Patience,
    projecting: Arc<Semaphore>,
    settling: TaskTracker,
}

impl<S: Sink> Draining<S> {
    async fn run(self) {
        let mut began: Option<Instant> = None;
        while self.paced(began).await.is_ok() {
            let sealed = tokio::select! {
                sealed = self.log.next_sealed() => sealed,
                () = self.stop.cancelled() => break,
            };
            let Ok(sealed) = sealed else { break };
            began = Some(Instant::now());
            if self.drain(sealed).await.is_err() {
                break;
            }
        }
        self.progress.end();
        self.settling.close();
        if tokio::time::timeout(self.patience.grace, self.settling.wait()).await.is_err() {
            tracing::warn!("the drain stops before the last projections are done; the next start does them");
        }
    }

    async fn paced(&self, began: Option<Instant>) -> Result<(), Stopped> {
        let Some(began) = began.filter(|_| self.log.stats().ready == 0) else { return Ok(()) };
        tokio::select! {
            () = tokio::time::sleep_until(began + self.pace) => Ok(()),
            () = self.stop.cancelled() => Err(Stopped),
        }
    }

    async fn drain(&self, sealed: Sealed) -> Result<(), Stopped> {
        let id = sealed.id();
        let last = sealed.frames().last().map(|frame| frame.sequence);
        let (records, prefix) = (sealed.weight(), format!("{}-{id}", sealed.log_id()));
        let header = sealed.header().clone();
        let gathered = match tokio::task::spawn_blocking(move || gathered(&sealed)).await {
            Ok(gathered) => gathered.map_err(|error| error.to_string()),
            // Whatever is in it, the segments behind it must not wait for it.
            Err(error) if error.is_panic() => Err("reading it fails".to_owned()),
            Err(_) => return Err(Stopped),
        };
        let Gathered { inserts, touched } = match gathered {
            Ok(gathered) => gathered,
            Err(reason) => {
                if let Err(error) = self.log.set_aside(id, &reason).await {
                    tracing::warn!(%error, segment = %id, "the segment keeps its name for now");
                }
                self.progress.passed(last);
                return Ok(());
            }
        };
        let pusher = Pusher {
            sink: self.sink.as_ref(),
            progress: &self.progress,
            stop: &self.stop,
            patience: &self.patience,
        };
        let mut rejected = Vec::new();
        for insert in &inserts {
            let refused = pusher.push(&prefix, insert).await?;
            if !refused.is_empty() {
                rejected.push((insert, refused));
            }
        }
        if !rejected.is_empty() {
            self.put_aside((id, header), &rejected).await?;
            // Steps say whose they are; so, as long as a segment has rows of one project, do all others.
            let project = touched.first().map(|(project, _)| project.clone()).unwrap_or_default();
            for (insert, rejected) in &rejected {
                pusher.report(&prefix, &project, &RefusedRows { insert, rejected }).await?;
            }
        }
        drop(inserts);
        self.progress.segment_stored(records, last);
        self.settle(id, touched).await
    }

    /// Writes refused rows into a file beside the log and counts them: they are kept, only not in the store.
    async fn put_aside(
        &self,
        (id, header): (SegmentId, Bytes),
        rejected: &[(&Insert, Vec<Rejected>)],
    ) -> Result<(), Stopped> {
        let mut payloads = Vec::new();
        let (mut rows, mut records) = (0, 0);
        for (insert, refused) in rejected {
            for Rejected { rows: range, reason } in refused {
                let table = insert.table.name();
                tracing::error!(segment = %id, table, rows = range.len(), reason, "the store refuses rows");
                let count = u32::try_from(range.len()).unwrap_or(u32::MAX);
                rows += u64::from(count);
                let weight = if insert.table == Table::Steps { count } else { 0 };
                records += u64::from(weight);
                payloads.push((insert.frame_of(range.clone()), weight));
            }
        }
        let mut wait = self.patience.backoff_min;
        while let Err(error) = self.log.write_aside(id, header.clone(), payloads.clone()).await {
            tracing::error!(%error, segment = %id, "refused rows cannot be put aside yet");
            self.progress.failed("log");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.cancelled() => return Err(Stopped),
            }
            wait = wait.saturating_mul(2).min(self.patience.backoff_max);
        }
        self.progress.rejected(rows, records);
        Ok(())
    }

    /// Projects and then deletes, while the next segment is inserted already.
    async fn settle(&self, id: SegmentId, touched: Vec<(Project, TraceId)>) -> Result<(), Stopped> {
        let permit = tokio::select! {
            permit = self.projecting.clone().acquire_owned() => permit,
            () = self.stop.cancelled() => return Err(Stopped),
        };
        let Ok(permit) = permit else { return Err(Stopped) };
        let (log, sink, progress) = (self.log.clone(), self.sink.clone(), self.progress.clone());
        self.settling.spawn(async move {
            sink.project(touched).await;
            if let Err(error) = log.delete(id).await {
                tracing::warn!(%error, segment = %id, "a drained segment stays in the log for now");
            }
            progress.settled();
            drop(permit);
        });
        Ok(())
    }
}

fn gathered(sealed: &Sealed) -> Result<Gathered, FrameError> {
    let frames = sealed.frames().iter().map(|frame| (frame.sequence, frame.payload.as_ref()));
    Gathered::of(sealed.header(), sealed.log_id().0, frames)
}
