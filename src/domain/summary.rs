//! One line about a run, as lists show it and the table of runs keeps it.
use crate::domain::cost::Usage;
use crate::domain::finding::Code;
use crate::domain::ids::TraceId;
use crate::domain::run::{RunState, Whole};

/// A run in one row. Derived from records; can be rebuilt from nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The run.
    pub run_id: String,
    /// The conversation.
    pub session_id: Option<String>,
    /// A name for people.
    pub name: String,
    /// The agent.
    pub agent: Option<String>,
    /// The agent's version.
    pub agent_version: Option<String>,
    /// The service that sent it.
    pub service: Option<String>,
    /// The deployment environment.
    pub environment: Option<String>,
    /// The end user.
    pub user_id: Option<String>,
    /// Earliest start, nanoseconds since 1970.
    pub started_ns: u64,
    /// Latest end.
    pub ended_ns: Option<u64>,
    /// First receipt, nanoseconds since 1970: lists are in this order when client clocks lie.
    pub received_ns: u64,
    /// Running, ended or lost, when it was folded.
    pub state: RunState,
    /// The worst open outcome: `confirmed|failed|unknown|submitted|none`.
    pub outcome: &'static str,
    /// Acts that have each outcome now.
    pub acts_confirmed: u32,
    /// As above.
    pub acts_failed: u32,
    /// As above.
    pub acts_unknown: u32,
    /// As above.
    pub acts_submitted: u32,
    /// Acts of which an attempt was unknown and is closed by a resolution now.
    pub acts_resolved: u32,
    /// When a submitted act becomes unknown by its deadline, nanoseconds since 1970; `None` when none can.
    pub unknown_at_ns: Option<u64>,
    /// Steps.
    pub step_count: u32,
    /// Attempts.
    pub attempt_count: u32,
    /// Attempts beyond the first of their step.
    pub retry_count: u32,
    /// Acts.
    pub act_count: u32,
    /// Reconciliation steps.
    pub reconcile_count: u32,
    /// Attempts that ended in an error.
    pub error_count: u32,
    /// The findings' codes, no repeats.
    pub finding_codes: Vec<Code>,
    /// The models that answered.
    pub models: Vec<String>,
    /// The tools that were called.
    pub tools: Vec<String>,
    /// Entities, each `type:id`.
    pub entities: Vec<String>,
    /// Input tokens over model calls; `None` when none told.
    pub tokens_in: Option<u64>,
    /// Output tokens over model calls.
    pub tokens_out: Option<u64>,
    /// Cost as given, over model calls.
    pub cost_usd: Option<f64>,
    /// What the other model calls used, by model and day: their cost is computed when it is read.
    pub usage: Vec<Usage>,
    /// Model calls of which neither cost nor use is told.
    pub calls_untold: u32,
    /// Whether the record is whole.
    pub complete: Whole,
    /// The verdict's line.
    pub verdict: String,
    /// The traces.
    pub traces: Vec<TraceId>,
    /// Records folded plus case events folded: the version of this row.
    pub version: u64,
}
