//! An unknown that somebody owns, and what people and jobs appended to it.
use crate::domain::outcome::Outcome;

/// Something appended to a case. Never changed, never removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseEvent {
    /// The case: a digest that never moves when late records arrive.
    pub case_id: String,
    /// The action's key, where there is one.
    pub key: Option<String>,
    /// The run of the unknown attempt.
    pub run_id: String,
    /// The step of the unknown attempt.
    pub step_id: String,
    /// Its own id, for order among equals.
    pub event_id: String,
    /// When, nanoseconds since 1970, by the server's clock.
    pub at_ns: u64,
    /// Who.
    pub by: String,
    /// What.
    pub act: CaseAct,
}

/// What somebody did to a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseAct {
    /// Took it.
    Claim,
    /// Said something.
    Comment(String),
    /// Closed it.
    Resolve {
        /// What became of the act.
        outcome: Outcome,
        /// Text or link.
        evidence: String,
        /// A note.
        note: String,
    },
    /// Opened it again.
    Reopen(String),
}
