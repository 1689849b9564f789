//! What is known about one tool of one agent: the marks of its runs, added up, and what is configured.
use std::collections::BTreeMap;

use crate::domain::ids::SpanId;
use crate::domain::readiness::marks::Mark;

/// One tool of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSheet {
    /// The agent; empty where no record names one.
    pub agent: String,
    /// The version of the agent that ran last; empty where not told.
    pub agent_version: String,
    /// The tool.
    pub tool: String,
    /// What its runs show.
    pub tallies: BTreeMap<Mark, Tally>,
    /// What the operator's rule for it says.
    pub ruled: Ruled,
}

/// How often something was seen, and where last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often.
    pub count: u64,
    /// In how many runs.
    pub runs: u64,
    /// One of them.
    pub example: Option<Example>,
}

/// A place that shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Example {
    /// The run.
    pub run_id: String,
    /// The step's place in it; 0 for the run as a whole.
    pub number: u32,
    /// The attempt.
    pub span_id: SpanId,
}

/// What `recount.toml` says of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ruled {
    /// What to do with an unknown outcome, in its word.
    pub on_unknown: Option<&'static str>,
}

/// What is in force for a whole project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// How long records are kept.
    pub retention: Decision,
    /// What is redacted.
    pub redaction: Decision,
}

/// A setting in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// What is in force, as a sentence.
    pub said: String,
    /// Somebody decided it; else it stands at its default.
    pub by_somebody: bool,
}

impl ToolSheet {
    /// How often a mark was seen.
    pub fn count(&self, mark: Mark) -> u64 {
        self.tallies.get(&mark).map_or(0, |tally| tally.count)
    }

    /// Whether it counts as acting.
    pub fn acts(&self) -> bool {
        self.count(Mark::Act) + self.count(Mark::Held) > 0
    }
}
