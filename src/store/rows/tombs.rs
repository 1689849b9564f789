//! What was erased stays away: records and bodies that are known to be erased, whichever way they come
//! again.
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::{RwLockReadGuard, RwLockWriteGuard};

use crate::domain::erasure::Stone;
use crate::domain::ids::{Digest, RecordId, TraceId};

/// The memory of what was erased.
#[derive(Debug, Default)]
pub struct Tombs {
    sets: RwLock<Sets>,
    /// Whoever inserts holds it for reading; whoever adds what is to be erased, for writing. So nothing
    /// that was looked through before an erasure is inserted after it.
    gate: tokio::sync::RwLock<()>,
}

#[derive(Debug, Default)]
struct Sets {
    read: Option<Instant>,
    records: HashSet<RecordId>,
    bodies: HashSet<(TraceId, Digest)>,
}

impl Tombs {
    /// All that was erased, as read from the store.
    pub fn know_all(&self, stones: &[Stone]) {
        self.know(stones);
        self.sets.write().unwrap_or_else(PoisonError::into_inner).read = Some(Instant::now());
    }

    /// Adds something that was erased.
    pub fn know(&self, stones: &[Stone]) {
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        for stone in stones {
            match stone {
                Stone::Record(_, id, _) => sets.records.insert(*id),
                Stone::Body(trace, digest) => sets.bodies.insert((*trace, *digest)),
            };
        }
    }

    /// Whether it was read so lately; `None` asks whether it was read at all.
    pub fn is_fresh(&self, within: Option<Duration>) -> bool {
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        sets.read.is_some_and(|at| within.is_none_or(|within| at.elapsed() < within))
    }

    /// Whether nothing was erased.
    pub fn is_empty(&self) -> bool {
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        sets.records.is_empty() && sets.bodies.is_empty()
    }

    /// Whether the contents of this record were erased.
    pub fn has_record(&self, id: &RecordId) -> bool {
        self.sets.read().unwrap_or_else(PoisonError::into_inner).records.contains(id)
    }

    /// Whether this body was erased.
    pub fn has_body(&self, trace: TraceId, digest: Digest) -> bool {
        self.sets.read().unwrap_or_else(PoisonError::into_inner).bodies.contains(&(trace, digest))
    }

    /// For whoever inserts.
    pub async fn inserting(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().await
    }

    /// For whoever erases: nothing is being inserted meanwhile.
    pub async fn erasing(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().await
    }
}
