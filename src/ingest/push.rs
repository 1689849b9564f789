//! Gets one table's rows of one segment into the store: the same bytes under the same token until they are
//! confirmed, and in pieces only where the store refuses or cannot hold them whole.
use std::ops::Range;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::domain::ids::Project;
use crate::ingest::progress::Progress;
use crate::ingest::sink::{RefusedRows, Rejected, Setback, Sink, bytes_of};
use crate::store::rows::{Insert, Table};

/// After so many answers that it is too much now, rows go in smaller pieces.
const CROWDED_MAX: u32 = 6;
/// So many refused pieces of one table in one segment are looked at row by row; the rest is set aside in
/// larger ones.
const REJECTED_MAX: usize = 1_000;

/// How patient the drain is.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    /// The wait after the first failed attempt; it doubles.
    pub(crate) backoff_min: Duration,
    /// The longest wait between attempts.
    pub(crate) backoff_max: Duration,
    /// How long an insert that is under way may take after the drain was told to stop.
    pub(crate) grace: Duration,
}

/// The drain was told to stop: what is not confirmed is done again by the next process.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Inserts for one drain.
pub(crate) struct Pusher<'a, S> {
    pub(crate) sink: &'a S,
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a CancellationToken,
    pub(crate) patience: &'a Patience,
}

enum Attempt {
    Stored,
    Crowded,
    Refused(String),
}

impl<S: Sink> Pusher<'_, S> {
    /// Stores all rows but those that the store refuses, which are returned. `prefix` names log and segment.
    pub(crate) async fn push(&self, prefix: &str, insert: &Insert) -> Result<Vec<Rejected>, Stopped> {
        let mut rejected = Vec::new();
        let mut pieces = Vec::new();
        pieces.push(0..insert.ends.len());
        while let Some(rows) = pieces.pop() {
            match self.insert(prefix, insert, &rows).await? {
                Attempt::Stored => {}
                Attempt::Refused(reason) if rows.len() <= 1 || rejected.len() >= REJECTED_MAX => {
                    rejected.push(Rejected { rows, reason });
                }
                Attempt::Crowded | Attempt::Refused(_) => {
                    let Range { start, end } = rows;
                    let middle = start + (end - start) / 2;
                    // The last in is the first out: order is kept.
                    pieces.push(middle..end);
                    pieces.push(start..middle);
                }
            }
        }
        Ok(rejected)
    }

    async fn insert(&self, prefix: &str, insert: &Insert, rows: &Range<usize>) -> Result<Attempt, Stopped> {
        let bytes = bytes_of(insert, rows);
        let token = token(prefix, insert.table, bytes.clone()).await;
        let attempt = self.until_answered(rows.len() > 1, || self.sink.insert(insert, bytes.clone(), &token));
        let attempt = attempt.await?;
        if matches!(attempt, Attempt::Stored) {
            self.sink.confirmed(insert, &bytes);
        }
        Ok(attempt)
    }

    /// Makes refused rows visible in the store. That they are refused in turn is logged and no more.
    pub(crate) async fn report(
        &self,
        prefix: &str,
        project: &Project,
        refused: &RefusedRows<'_>,
    ) -> Result<(), Stopped> {
        let token = format!("{prefix}-{}-rejected", refused.insert.table.name());
        match self.until_answered(false, || self.sink.report(project, refused, &token)).await? {
            Attempt::Stored => {}
            Attempt::Refused(reason) => tracing::error!(reason, "refused rows cannot be shown"),
            Attempt::Crowded => tracing::error!("refused rows cannot be shown"),
        }
        Ok(())
    }

    async fn until_answered<F: Future<Output = Result<(), Setback>>>(
        &self,
        divisible: bool,
        insert: impl Fn() -> F,
    ) -> Result<Attempt, Stopped> {
        let mut backoff = self.patience.backoff_min;
        let mut crowded = 0;
        loop {
            if self.stop.is_cancelled() {
                return Err(Stopped);
            }
            let began = Instant::now();
            let outcome = tokio::select! {
                outcome = insert() => outcome,
                () = self.out_of_grace() => return Err(Stopped),
            };
            let class = match outcome {
                Ok(()) => {
                    self.progress.inserted(began.elapsed());
                    return Ok(Attempt::Stored);
                }
                Err(Setback::Refused(reason)) => {
                    self.progress.answered();
                    return Ok(Attempt::Refused(reason));
                }
                Err(Setback::Crowded(_)) if divisible && crowded + 1 >= CROWDED_MAX => {
                    return Ok(Attempt::Crowded);
                }
                Err(Setback::Crowded(class)) => {
                    crowded += 1;
                    class
                }
                Err(Setback::Again(class)) => class,
            };
            self.progress.failed(class);
            tracing::debug!(class, "an insert failed and is repeated");
            tokio::select! {
                () = tokio::time::sleep(jittered(backoff)) => {}
                () = self.stop.cancelled() => return Err(Stopped),
            }
            backoff = backoff.saturating_mul(2).min(self.patience.backoff_max);
        }
    }

    async fn out_of_grace(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(self.patience.grace).await;
    }
}

/// Names these very bytes of this segment's table: the same for the same, another for any other.
async fn token(prefix: &str, table: Table, bytes: Bytes) -> String {
    let hash = match tokio::task::spawn_blocking(move || Sha256::digest(&bytes)).await {
        Ok(hash) => hash,
        // Only when the runtime is stopping: the insert will not be made either.
        Err(_) => Sha256::digest(prefix),
    };
    let hash: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}-{}-{hash}", table.name())
}

/// Between half of it and all of it, so that many replicas do not come back at one moment.
fn jittered(wait: Duration) -> Duration {
    let dice = getrandom::u32().unwrap_or_default();
    let half = wait / 2;
    half + half.mul_f64(f64::from(dice) / f64::from(u32::MAX))
}
