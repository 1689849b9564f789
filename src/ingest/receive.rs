//! Receives exports: prepares them on a thread of their own, keeps them, counts them, and only then answers.
use std::future::Future;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::try_join_all;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::domain::ids::Project;
use crate::ingest::door::{Export, Intake, Sender, TurnedAway};
use crate::ingest::keep::Keeper;
use crate::ingest::meters::Meters;
use crate::ingest::pipeline::{Arrival, Frame, Pipeline, Prepared};
use crate::ingest::refusal::Refusal;
use crate::ingest::signal::{Answer, Format, Signal};
use crate::ingest::throttle::Throttle;

/// A body up to this size is prepared where it was read; a larger one on a thread of its own.
const SMALL_BYTES: usize = 16 << 10;
/// How long a request may wait for such a thread before it is told to come again.
const WAIT: Duration = Duration::from_secs(10);
/// Rows about whole requests that were refused, in a second; more are only counted.
const TURNED_AWAY_PER_SECOND: u32 = 20;

/// After the log had no room: how long further requests are refused before they are read at all.
const BREATHER: Duration = Duration::from_millis(200);

/// Receives exports for one process.
pub struct Receiver {
    pipeline: Arc<Pipeline>,
    keeper: Keeper,
    meters: Arc<Meters>,
    workers: Arc<Semaphore>,
    turned_away: Throttle,
    full_until: Mutex<Option<Instant>>,
}

impl Receiver {
    /// A receiver that prepares with this pipeline and keeps here.
    pub fn new(pipeline: Arc<Pipeline>, keeper: Keeper, meters: Arc<Meters>) -> Self {
        let workers = available_parallelism().map_or(2, NonZeroUsize::get);
        Self {
            pipeline,
            keeper,
            meters,
            workers: Arc::new(Semaphore::new(workers)),
            turned_away: Throttle::new(TURNED_AWAY_PER_SECOND),
            full_until: Mutex::new(None),
        }
    }

    /// Takes a body from a file, as if it had come over the network.
    ///
    /// # Errors
    /// As a sender would hear them.
    pub async fn import(&self, signal: Signal, format: Format, body: Bytes) -> Result<Answer, Refusal> {
        let project = Project::default();
        let received_ns = now_ns();
        let arrival = Arrival { signal, format, source: "import", project, key: None, received_ns, body };
        let prepared = self.work(usize::MAX, move |pipeline| pipeline.prepare(&arrival)).await?;
        self.settle(signal, prepared).await
    }

    async fn receive(&self, export: Export) -> Result<Answer, Refusal> {
        let Export { signal, format, transport: source, sender: Sender { project, key }, mut packed } =
            export;
        let size = if packed.gzip { usize::MAX } else { packed.bytes.len() };
        let received_ns = now_ns();
        let (prepared, held) = self
            .work(size, move |pipeline| {
                let body = packed.unpack();
                let arrival = |body| Arrival { signal, format, source, project, key, received_ns, body };
                let prepared = match body {
                    Ok(body) => pipeline.prepare(&arrival(body)),
                    Err(refusal) => pipeline.turned_away(&arrival(packed.bytes.clone()), refusal),
                };
                (prepared, packed)
            })
            .await?;
        let answer = self.settle(signal, prepared).await;
        // The memory counts as taken until the rows are kept.
        drop(held);
        answer
    }

    /// Keeps, counts and answers.
    async fn settle(&self, signal: Signal, prepared: Prepared) -> Result<Answer, Refusal> {
        let Prepared { frames, refused, cut, metrics, answer } = prepared;
        let records = frames.iter().map(|frame| u64::from(frame.records)).sum();
        self.meters.received(signal, records + refused.values().sum::<u64>());
        refused.into_iter().for_each(|(class, count)| self.meters.refused(signal, class, count));
        self.meters.cut(cut);
        metrics.lost.iter().for_each(|lost| self.meters.lost(lost));
        let answer = match answer {
            Ok(answer) => answer,
            Err(refusal) => {
                // It stands whether or not its rows can be kept.
                self.note(signal, &refusal, frames).await;
                return Err(refusal);
            }
        };
        // To its end even if the sender goes away meanwhile: what came is kept or refused, and counted.
        let (keeper, meters) = (self.keeper.clone(), self.meters.clone());
        let kept = tokio::spawn(async move {
            let kept = keep_all(&keeper, frames).await;
            match &kept {
                Ok(()) => meters.kept(signal, records),
                Err(refusal) => meters.refused(signal, refusal.class(), records),
            }
            kept
        });
        match kept.await.unwrap_or(Err(Refusal::Fault)) {
            Ok(()) => Ok(answer),
            Err(refusal) => {
                if refusal == Refusal::Full {
                    let mut full_until = self.full_until.lock().unwrap_or_else(PoisonError::into_inner);
                    *full_until = Some(Instant::now() + BREATHER);
                }
                Err(refusal)
            }
        }
    }

    /// Counts a refusal of a whole request, and keeps its rows unless there are too many.
    async fn note(&self, signal: Signal, refusal: &Refusal, frames: Vec<Frame>) {
        if !matches!(refusal, Refusal::NothingKept { .. }) {
            self.meters.unread(signal, refusal.class());
        }
        if frames.is_empty() || !self.turned_away.allows() {
            return;
        }
        let keeping = frames.into_iter().map(|frame| self.keeper.keep(frame.bytes, frame.records));
        if let Err(error) = try_join_all(keeping).await {
            tracing::warn!(%error, "a refusal could not be kept among the rejects");
        }
    }

    /// Does work on the pipeline, on another thread unless it is small.
    async fn work<T: Send + 'static>(
        &self,
        size: usize,
        work: impl FnOnce(&Pipeline) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if size <= SMALL_BYTES {
            return catch_unwind(AssertUnwindSafe(|| work(&self.pipeline))).or(Err(Refusal::Fault));
        }
        let waiting = self.workers.clone().acquire_owned();
        let worker = tokio::time::timeout(WAIT, waiting).await.or(Err(Refusal::Busy))?;
        let pipeline = self.pipeline.clone();
        let done = spawn_blocking(move || {
            let _worker = worker;
            work(&pipeline)
        });
        done.await.or(Err(Refusal::Fault))
    }
}

/// Keeps all frames of a request. All or nothing is acknowledged: after a refusal some may be in the log;
/// sent again, their records are recognised.
async fn keep_all(keeper: &Keeper, frames: Vec<Frame>) -> Result<(), Refusal> {
    let keeping = frames.into_iter().map(|frame| keeper.keep(frame.bytes, frame.records));
    try_join_all(keeping).await.map(drop).map_err(Refusal::from)
}

impl Intake for Receiver {
    fn ready(&self) -> Result<(), Refusal> {
        let full_until = self.full_until.lock().unwrap_or_else(PoisonError::into_inner);
        if full_until.is_some_and(|until| Instant::now() < until) { Err(Refusal::Full) } else { Ok(()) }
    }

    fn take(&self, export: Export) -> Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + '_>> {
        Box::pin(self.receive(export))
    }

    fn turned_away(&self, away: TurnedAway) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let TurnedAway { signal, transport: source, project, refusal } = away;
        let (format, body, received_ns) = (Format::Protobuf, Bytes::new(), now_ns());
        let arrival =
            move |project| Arrival { signal, format, source, project, key: None, received_ns, body };
        Box::pin(async move {
            // What may be sent again is no loss yet, and needs no row; what a stranger sends is only counted.
            let lost = project.filter(|_| refusal.retry_after().is_none());
            let prepared = lost.map(|project| self.pipeline.turned_away(&arrival(project), refusal.clone()));
            let frames = prepared.map(|prepared| prepared.frames).unwrap_or_default();
            self.note(signal, &refusal, frames).await;
        })
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
