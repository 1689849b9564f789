//! A finding in one row, as lists keep it: derived from a run, can be rebuilt from nothing.
use crate::domain::finding::Code;
use crate::domain::ids::{SpanId, TraceId};

/// A finding of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFinding {
    /// What was noticed.
    pub code: Code,
    /// One plain sentence.
    pub message: String,
    /// Since when it goes on, nanoseconds since 1970, where it does until somebody acts.
    pub since_ns: Option<u64>,
    /// From when it holds: a deadline that has yet to pass; 0 when it holds already.
    pub from_ns: u64,
    /// Until when it holds; 0 when no deadline ends it.
    pub until_ns: u64,
    /// How many steps show it.
    pub step_count: u32,
    /// The first of these steps.
    pub steps: Vec<ListedStep>,
    /// Their tools, no repeats.
    pub tools: Vec<String>,
}

/// Where a finding is seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedStep {
    /// The step's place in its run.
    pub number: u32,
    /// The trace of the attempt that shows it.
    pub trace_id: TraceId,
    /// The attempt that shows it.
    pub span_id: SpanId,
}
