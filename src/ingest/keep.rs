//! The moment of keeping: a request's rows go into the log as one frame, and only then may the sender hear
//! "OK".
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::ingest::ledger::Ledger;
use crate::ingest::progress::Progress;
use crate::log::{Log, LogError};

/// When a sender is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// As soon as its rows are synced in the log.
    Log,
    /// When its rows are confirmed by the store: for processes whose disk does not outlive them.
    Store {
        /// How long a sender waits for that before it is told to send again.
        patience: Duration,
    },
}

/// Why a request is not kept. Nothing of it may be acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// There is no room in the log. Sending the same again later is right.
    #[error("the log is full: the store takes no rows, or too slowly; send the same again later")]
    Full,
    /// The log's disk failed. Sending the same again later is right.
    #[error("the log could not be written; send the same again later")]
    Broken,
    /// With [`Ack::Store`]: the store has not confirmed it. It may still come to be stored; sending the
    /// same again adds nothing twice.
    #[error("the store has not confirmed the rows; send the same again later")]
    Unconfirmed,
    /// More than the log takes at once. Sending the same again is useless.
    #[error(
        "the request has {bytes} bytes of rows, more than the {max} that are kept at once: send less at once"
    )]
    TooLarge {
        /// Bytes of its rows.
        bytes: u64,
        /// Most bytes of one request's rows.
        max: u64,
    },
    /// The process is stopping.
    #[error("the server is stopping; send the same again later")]
    Stopping,
}

/// Keeps requests. Clones keep in the same log.
#[derive(Clone)]
pub struct Keeper {
    log: Log,
    ack: Ack,
    progress: Arc<Progress>,
}

impl Keeper {
    /// Keeps in this log, whose drain reports its progress here.
    pub fn new(log: Log, ack: Ack, progress: Arc<Progress>) -> Self {
        Self { log, ack, progress }
    }

    /// Keeps one request's rows, encoded as one frame, with the number of records in it. After `Ok` they
    /// outlive this process, whatever happens to it; after an error the sender must send them again.
    /// Dropping the future does not take them back.
    pub async fn keep(&self, frame: Bytes, records: u32) -> Result<(), NotKept> {
        if matches!(self.ack, Ack::Store { .. }) && self.progress.stats().failing.is_some() {
            // Filling the log would promise nothing to anybody.
            return Err(NotKept::Unconfirmed);
        }
        let sequence = self.log.append(frame, records).await.map_err(|refusal| NotKept::of(&refusal))?;
        match self.ack {
            Ack::Log => Ok(()),
            Ack::Store { patience } => {
                let mut stored = self.progress.stored();
                tokio::select! {
                    confirmed = stored.wait_for(|stored| *stored >= sequence) => match confirmed {
                        Ok(_) => Ok(()),
                        Err(_) => Err(NotKept::Stopping),
                    },
                    () = self.progress.ended() => Err(NotKept::Stopping),
                    () = tokio::time::sleep(patience) => Err(NotKept::Unconfirmed),
                }
            }
        }
    }

    /// Where all records are now.
    pub fn ledger(&self) -> Ledger {
        let drain = self.progress.stats();
        Ledger::of(&self.log.stats(), &drain)
    }
}

impl NotKept {
    fn of(refusal: &LogError) -> Self {
        match refusal {
            LogError::Full { .. } => Self::Full,
            LogError::TooLarge { bytes, max } => Self::TooLarge { bytes: *bytes, max: *max },
            LogError::Closed => Self::Stopping,
            LogError::Io(_) | LogError::InUse { .. } | LogError::Open { .. } | LogError::Newer { .. } => {
                Self::Broken
            }
        }
    }
}
