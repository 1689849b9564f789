//! What an act intends, over runs and workers: one per idempotency key.
use crate::domain::entity::Entity;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::outcome::{Evidence, Gate, Outcome};

/// One intended effect, in one row: derived from records, can be rebuilt from nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The idempotency key; without one, `run:step:tool:target` of the step, marked by `key_given`.
    pub key: String,
    /// Whether a runtime gave the key.
    pub key_given: bool,
    /// The tool.
    pub tool: String,
    /// What it is on.
    pub target: Option<String>,
    /// Its state now.
    pub outcome: Outcome,
    /// Why.
    pub evidence: Evidence,
    /// When a submitted action becomes unknown, nanoseconds since 1970.
    pub unknown_at_ns: Option<u64>,
    /// When it was first submitted, nanoseconds since 1970.
    pub started_ns: u64,
    /// When its state last changed.
    pub changed_ns: u64,
    /// Until when the provider keeps the key.
    pub key_expires_ns: Option<u64>,
    /// How many attempts went out.
    pub attempt_count: u32,
    /// How many were held by the gate.
    pub held_count: u32,
    /// Whether attempts had different arguments.
    pub argument_drift: bool,
    /// The last gate decision.
    pub gate: Gate,
    /// The amount at stake.
    pub value: Option<String>,
    /// The id the downstream system gave.
    pub downstream_id: Option<String>,
    /// The runs it was part of.
    pub run_ids: Vec<String>,
    /// The step in the first of these runs.
    pub step_id: String,
    /// Its attempts.
    pub spans: Vec<(TraceId, SpanId)>,
    /// Entities.
    pub entities: Vec<Entity>,
    /// Records and case events folded: the version of this row.
    pub version: u64,
}
