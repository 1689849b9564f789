//! How the state of an act came to be: one entry for each time that it moved.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::outcome::{Evidence, Outcome};

/// One move of a state. Nothing rewrites it; what is found later is a further move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The state from then on.
    pub state: Outcome,
    /// When, nanoseconds since 1970.
    pub at_ns: u64,
    /// Who or what moved it: a worker, a look-up's worker, a person, a job, or [`DEADLINE`].
    pub by: String,
    /// On which evidence.
    pub evidence: Evidence,
    /// Where that stands in the record.
    pub origin: Origin,
}

/// Who moves an act whose deadline passes.
pub const DEADLINE: &str = "deadline";

/// Where the reason of a move stands in the record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A span: an attempt, a look-up or a read-back.
    Span {
        /// Its run.
        run_id: String,
        /// Its trace.
        trace_id: TraceId,
        /// The span.
        span_id: SpanId,
    },
    /// Something appended to the case, by its event id.
    Event(String),
    /// Time passed.
    Deadline,
}

impl Origin {
    /// The run, where it is in one.
    pub fn run_id(&self) -> Option<&str> {
        match self {
            Self::Span { run_id, .. } => Some(run_id),
            Self::Event(_) | Self::Deadline => None,
        }
    }
}

/// What one run tells about a key that another run used as well: a look-up's answer, or a confirmed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telling {
    /// The tool; `None` for a look-up that names the key alone.
    pub tool: Option<String>,
    /// The key.
    pub key: String,
    /// What it says: confirmed or failed; when, who and on which evidence.
    pub told: Move,
}
