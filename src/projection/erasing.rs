//! Carries erasures out, one after the other, and signs what was done. One that a stop interrupts goes
//! on after the next start.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::domain::counting::counted;
use crate::domain::erasure::{Erasure, Stone};
use crate::domain::ids::TraceId;
use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::evidence::{ErasedRecord, Receipt, records_root};
use crate::projection::error::ProjectionError;
use crate::projection::sequence::Sequencer;
use crate::projection::task::Projection;
use crate::store::queries::{erased, erasures, keep_erased, keep_erasure, record_lifecycle};
use crate::store::rows::Tombs;
use crate::store::{Store, StoreError};

/// Between two looks for an erasure that was broken off.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// After one that failed, and while files wait to be removed.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How long other servers over the same store may take to hear of an erasure, with room to spare.
const OTHERS_HEAR: Duration = Duration::from_secs(10);
/// How long one look waits for files that were replaced; while some are there, it is not done.
const FILES_WAITED_FOR: Duration = Duration::from_secs(30);
/// Something may have been under way when it began.
const ROUNDS_MAX: u32 = 3;
/// Traces that are folded again at once.
const TRACES_AT_ONCE: usize = 500;

/// Until the next look.
enum Wait {
    Short,
    Long,
}

/// What the eraser is made of.
#[derive(Clone)]
pub struct EraserParts {
    /// Where contents are.
    pub store: Store,
    /// Folds lists again.
    pub projection: Projection,
    /// Signs receipts, with the key that signs the log.
    pub sequencer: Sequencer,
    /// What does not come back.
    pub tombs: Arc<Tombs>,
    /// How many files of damaged or refused rows lie beside the log: they are not searched.
    pub set_aside: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// The time, nanoseconds since 1970.
    pub now_ns: fn() -> u64,
}

/// The eraser. Clones are the same one.
#[derive(Clone)]
pub struct Eraser {
    parts: EraserParts,
    wake: Arc<Notify>,
}

impl std::fmt::Debug for Eraser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Eraser").finish_non_exhaustive()
    }
}

impl Eraser {
    /// Starts it, until `stop`.
    pub fn start(parts: EraserParts, stop: CancellationToken) -> Self {
        let eraser = Self { parts, wake: Arc::default() };
        let own = eraser.clone();
        tokio::spawn(async move {
            loop {
                let wait = match own.carry_out_all(&stop).await {
                    Ok(Wait::Long) => LOOK_EVERY,
                    Ok(Wait::Short) => LOOK_AGAIN,
                    Err(error) => {
                        tracing::warn!(%error, "an erasure is not done yet; it is tried again");
                        LOOK_AGAIN
                    }
                };
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = own.wake.notified() => {}
                    () = tokio::time::sleep(wait) => {}
                }
            }
        });
        eraser
    }

    /// Takes an erasure on: from now on nothing of it comes in again. It is carried out soon.
    ///
    /// # Errors
    /// As for any insert; then it is not taken on.
    pub async fn take_on(&self, erasure: &Erasure, stones: &[Stone]) -> Result<(), StoreError> {
        let nobody_inserts = self.parts.tombs.erasing().await;
        keep_erased(&self.parts.store, erasure, stones).await?;
        keep_erasure(&self.parts.store, erasure).await?;
        // Not before it is kept: what was kept out for an erasure that never began would be lost.
        self.parts.tombs.know(stones);
        drop(nobody_inserts);
        self.wake.notify_one();
        Ok(())
    }

    async fn carry_out_all(&self, stop: &CancellationToken) -> Result<Wait, StoreError> {
        let mut open = erasures(&self.parts.store, None).await?;
        open.retain(|erasure| erasure.receipt.is_none());
        if open.is_empty() || !self.may_sign().await? {
            return Ok(Wait::Long);
        }
        let mut left = open.len();
        for erasure in open.iter().rev() {
            tokio::select! {
                () = stop.cancelled() => return Ok(Wait::Long),
                done = self.carry_out(erasure) => left -= usize::from(done?),
            }
        }
        if left > 0 {
            tracing::warn!(left, "files that held what was erased wait for the store to remove them");
            return Ok(Wait::Short);
        }
        self.parts.store.end_haste().await?;
        Ok(Wait::Long)
    }

    /// Whether a receipt of this server's is believed: else another one carries out.
    async fn may_sign(&self) -> Result<bool, StoreError> {
        match self.parts.sequencer.may_sign().await {
            Ok(may) => Ok(may),
            Err(ProjectionError::Store(error)) => Err(error),
            Err(ProjectionError::Broken) => Ok(false),
        }
    }

    /// Goes on with an erasure; `false` while files that held it are still there.
    async fn carry_out(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let store = &self.parts.store;
        let stones = erased(store, Some(&erasure.id)).await?;
        self.parts.tombs.know(&stones);
        let erasure = match erasure.rewritten_s {
            Some(_) => erasure.clone(),
            None => self.rewrite(erasure, &stones).await?,
        };
        let rewritten_s = erasure.rewritten_s.unwrap_or_default();
        if !store.old_files_gone(rewritten_s, FILES_WAITED_FOR).await? {
            return Ok(false);
        }
        self.fold_again(&erasure, &stones).await;
        self.finish(&erasure, &stones).await?;
        Ok(true)
    }

    /// Takes it from the tables, and keeps that this is done.
    async fn rewrite(&self, erasure: &Erasure, stones: &[Stone]) -> Result<Erasure, StoreError> {
        let store = &self.parts.store;
        if store.engine().is_none() {
            tokio::time::sleep(OTHERS_HEAR).await;
        }
        let mut is_gone = false;
        for _ in 0..ROUNDS_MAX {
            store.erase(erasure).await?;
            let left = store.left_of(erasure).await?;
            is_gone = left.bodies == 0 && left.records == 0;
            if is_gone {
                break;
            }
        }
        if !is_gone {
            store.end_haste().await?;
            return Err(StoreError::Unreadable {
                reason: "what was to be erased is still there after it was".to_owned(),
            });
        }
        self.fold_again(erasure, stones).await;
        let at_ns = (self.parts.now_ns)().max(erasure.at_ns + 1);
        let rewritten = Erasure { at_ns, rewritten_s: Some(store.clock_s().await?), ..erasure.clone() };
        keep_erasure(store, &rewritten).await?;
        Ok(rewritten)
    }

    async fn fold_again(&self, erasure: &Erasure, stones: &[Stone]) {
        let traces: BTreeSet<TraceId> = stones.iter().map(trace_of).collect();
        let traces: Vec<TraceId> = traces.into_iter().collect();
        for some in traces.chunks(TRACES_AT_ONCE) {
            self.parts.projection.touch(&erasure.project, some).await;
        }
    }

    /// Signs the receipt.
    async fn finish(&self, erasure: &Erasure, stones: &[Stone]) -> Result<(), StoreError> {
        let done_ns = (self.parts.now_ns)().max(erasure.at_ns + 1);
        let places = [
            format!("contents: {} deleted, 0 left", counted(erasure.bodies, "body", "bodies")),
            format!("steps: {} emptied, 0 left", counted(erasure.records, "record", "records")),
            "runs, actions, cases: emptied and folded again".to_owned(),
            "files: what held it is gone from the disk".to_owned(),
            format!(
                "log: nothing waited; {} set aside, not searched",
                counted((self.parts.set_aside)(), "file", "files")
            ),
            "not searched: back-ups, exports, what people wrote on cases".to_owned(),
        ];
        let receipt = self.receipt(erasure, (stones, done_ns), places.to_vec());
        let done = Erasure { at_ns: done_ns, receipt: Some(receipt), ..erasure.clone() };
        keep_erasure(&self.parts.store, &done).await?;
        record_lifecycle(&self.parts.store, &told(&done)).await
    }

    fn receipt(&self, erasure: &Erasure, (stones, done_ns): (&[Stone], u64), places: Vec<String>) -> String {
        let receipt = Receipt {
            erasure: erasure.id.clone(),
            project: erasure.project.0.clone(),
            about: erasure.about.clone(),
            asked: format!("{} by {}", shown(erasure.asked_ns), erasure.asked_by),
            done: shown(done_ns),
            records: erasure.records,
            bodies: erasure.bodies,
            root: data_encoding::HEXLOWER.encode(&records_root(&records_of(stones))),
            places,
        };
        self.parts.sequencer.signer().sign(&receipt.text())
    }
}

/// The records among what was erased, each with each of its leaves.
pub fn records_of(stones: &[Stone]) -> Vec<ErasedRecord> {
    let records = stones.iter().filter_map(|stone| match stone {
        Stone::Record(_, id, leaf_hash) => Some((*id, *leaf_hash)),
        Stone::Body(..) => None,
    });
    records.collect()
}

fn trace_of(stone: &Stone) -> TraceId {
    match stone {
        Stone::Record(trace, ..) | Stone::Body(trace, _) => *trace,
    }
}

fn shown(at_ns: u64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(at_ns)).unwrap_or_default().to_string()
}

fn told(erasure: &Erasure) -> LifecycleEvent {
    let detail = [
        ("erasure", erasure.id.clone()),
        ("project", erasure.project.0.clone()),
        ("about", erasure.about.clone()),
        ("records", erasure.records.to_string()),
        ("bodies", erasure.bodies.to_string()),
        ("reason", erasure.reason.clone()),
        ("by", erasure.asked_by.clone()),
    ];
    LifecycleEvent {
        at_ns: erasure.at_ns,
        event_id: format!("{}-erased", erasure.id),
        kind: LifecycleKind::Erased,
        detail: detail.map(|(name, value)| (name.to_owned(), value)).to_vec(),
    }
}
