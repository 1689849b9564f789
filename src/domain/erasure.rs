//! An erasure: contents that went on request, for good, and what is kept to say so.
use crate::domain::ids::{Digest, Project, RecordId, TraceId};

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
    /// The signed receipt; `None` while it is under way.
    pub receipt: Option<String>,
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
