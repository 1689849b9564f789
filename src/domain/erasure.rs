//! An erasure: contents that went on request, for good, and what is kept to say so.
use crate::domain::ids::{Digest, Project, RecordId, TraceId};
use crate::domain::kind::words;

words! {
    /// How far an erasure is.
    ErasureState {
        /// The tables still hold some of it.
        UnderWay = "under_way",
        /// The tables hold nothing of it; files that held it wait to be removed from the disk.
        Erased = "erased",
        /// The files are gone too, and the receipt is signed.
        Done = "done",
    }
}

/// An erasure as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Its id.
    pub id: String,
    /// When it last changed, nanoseconds since 1970.
    pub at_ns: u64,
    /// In which project.
    pub project: Project,
    /// The entity, as records show it.
    pub about: String,
    /// Why.
    pub reason: String,
    /// When it was asked for.
    pub asked_ns: u64,
    /// By whom.
    pub asked_by: String,
    /// Runs that had to do with it.
    pub runs: u64,
    /// Records whose contents go.
    pub records: u64,
    /// Bodies that go.
    pub bodies: u64,
    /// When the tables held nothing of it any more, seconds since 1970 by the clock of the store.
    pub rewritten_s: Option<u64>,
    /// The signed receipt; `None` until it is done.
    pub receipt: Option<String>,
}

impl Erasure {
    /// How far it is.
    pub fn state(&self) -> ErasureState {
        match (&self.receipt, self.rewritten_s) {
            (Some(_), _) => ErasureState::Done,
            (None, Some(_)) => ErasureState::Erased,
            (None, None) => ErasureState::UnderWay,
        }
    }
}

/// One thing that was erased, kept so that it does not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stone {
    /// A record's contents, with one of its leaves.
    Record(TraceId, RecordId, [u8; 32]),
    /// A body.
    Body(TraceId, Digest),
}

/// What one erasure took from some traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The erasure.
    pub erasure_id: String,
    /// When it was asked for, nanoseconds since 1970.
    pub at_ns: u64,
    /// Records whose contents it took.
    pub records: u64,
}
