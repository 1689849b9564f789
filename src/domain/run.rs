//! A run as folded from its records: steps in order, attempts under their step, and what it all amounts to.
use crate::domain::content::ContentRef;
use crate::domain::cost::Cost;
use crate::domain::entity::Entity;
use crate::domain::finding::Code;
use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::Move;
use crate::domain::record::Record;

/// One execution of an agent, over one or more traces and workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The given id, or the trace id.
    pub run_id: String,
    /// Whether a runtime gave the id.
    pub run_id_given: bool,
    /// The conversation.
    pub session_id: Option<String>,
    /// The end user.
    pub user_id: Option<String>,
    /// The agent's name, from the outermost agent span.
    pub agent: Option<String>,
    /// The agent's version.
    pub agent_version: Option<String>,
    /// A name for people: the outermost span's.
    pub name: String,
    /// The service that sent it.
    pub service: Option<String>,
    /// The deployment environment.
    pub environment: Option<String>,
    /// Earliest start, nanoseconds since 1970.
    pub started_ns: u64,
    /// Latest end; `None` while something runs.
    pub ended_ns: Option<u64>,
    /// Running, ended or lost.
    pub state: RunState,
    /// Every step, in order of start; children follow their parent.
    pub steps: Vec<RunStep>,
    /// What was noticed.
    pub findings: Vec<RunFinding>,
    /// One line that says what it amounts to.
    pub verdict: Verdict,
    /// Whether the record is whole, and what is missing.
    pub completeness: Completeness,
    /// The traces it spans, in order of start.
    pub traces: Vec<TraceId>,
    /// Traces linked to it by span links, not merged.
    pub linked_traces: Vec<TraceId>,
    /// Who ran it, in order of appearance.
    pub workers: Vec<String>,
    /// The epochs seen, ascending.
    pub epochs: Vec<u64>,
    /// Entities acted upon or for.
    pub entities: Vec<Entity>,
    /// Records folded plus case events folded.
    pub version: u64,
}

/// Whether a run still goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Something started and has not ended, recently.
    Running,
    /// Everything that started has ended.
    Ended,
    /// Something never ended, and nothing has been heard for a while.
    Lost,
}

impl RunState {
    /// The word of the API and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Lost => "lost",
        }
    }
}

/// One planned piece of work, with every attempt at it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStep {
    /// The given id, or the span id of its earliest attempt.
    pub step_id: String,
    /// Its place in the list, from 1.
    pub number: u32,
    /// What kind of work.
    pub kind: Kind,
    /// A name for people.
    pub name: String,
    /// The tool, for reads, acts and reconciliations.
    pub tool: Option<String>,
    /// What an act is on.
    pub target: Option<String>,
    /// The idempotency key of its latest attempt that had one.
    pub key: Option<String>,
    /// The outcome that counts now; `None` on what is not an act.
    pub outcome: Option<Outcome>,
    /// Why we believe it.
    pub evidence: Option<Evidence>,
    /// Every attempt, in number order, with a gap where one is missing.
    pub attempts: Vec<Slot>,
    /// The step above it: an agent, or the nearest step that is no plumbing.
    pub parent_step_id: Option<String>,
    /// How deep below the top, from 0.
    pub depth: u32,
    /// Seconds-precise idle time before it, nanoseconds, when nothing of the run was going on.
    pub gap_before_ns: u64,
    /// Who asked for the truth of it, in order.
    pub looks: Vec<Look>,
    /// The step whose truth it asks for (`recount.step.verifies`).
    pub verifies: Option<String>,
    /// The think step that proposed it.
    pub proposed_by: Option<String>,
    /// Indexes into [`Run::findings`].
    pub findings: Vec<usize>,
}

/// A look-up or read-back of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// When it ended, nanoseconds since 1970.
    pub at_ns: u64,
    /// Whether it got an answer itself. One without proves nothing either way.
    pub answered: bool,
    /// Its span.
    pub span_id: SpanId,
}

/// A place in the attempts of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Slot {
    /// An attempt that we have.
    Attempt(Box<Attempt>),
    /// A number that must have existed and has not arrived.
    Missing(u32),
}

/// One execution of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// Whether the runtime gave the number.
    pub given: bool,
    /// The rule that linked it to the attempt before; `None` on the first.
    pub link: Option<&'static str>,
    /// The record, with what other records of the same span added (logs, events).
    pub record: Record,
    /// Its own outcome, never rewritten by a later look-up; `None` on what is no act and on held calls.
    pub outcome: Option<Outcome>,
    /// Why we believe it.
    pub evidence: Option<Evidence>,
    /// What it became by reconciliation, read-back or resolution.
    pub now: Option<(Outcome, Evidence)>,
    /// How its state came to be, in order; empty on what is no act and on held calls.
    pub path: Vec<Move>,
    /// In words for people: "no answer after 30 s", "answered OK, not read back", "refused with 422".
    pub reason: String,
    /// HTTP and MCP spans below it, in order: evidence.
    pub transports: Vec<Record>,
    /// Bodies of its context that the previous model call of the same agent had not seen.
    pub new_in_context: Vec<Digest>,
    /// The model call (its step) that proposed this attempt; attempts of one step may have different ones.
    pub proposed_by: Option<String>,
    /// Its arguments, from the proposal or a later message when the span had none.
    pub arguments: Option<ContentRef>,
    /// Where its result was found when the span had none.
    pub result: Option<ContentRef>,
    /// Other versions kept under the same span id, oldest first.
    pub versions: Vec<Record>,
    /// Logs and events on the span and its evidence, and other versions of its evidence, oldest first; what
    /// they tell is merged into `record`.
    pub logs: Vec<Record>,
    /// When it becomes unknown by its deadline, nanoseconds since 1970; `None` unless it is submitted now.
    pub unknown_at_ns: Option<u64>,
    /// What it cost: as given, until the reader's prices say more.
    pub cost: Option<Cost>,
}

/// Something noticed about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFinding {
    /// What.
    pub code: Code,
    /// One plain sentence.
    pub message: String,
    /// The steps that show it.
    pub step_ids: Vec<String>,
    /// The attempts that show it.
    pub spans: Vec<(TraceId, SpanId)>,
    /// Since when it is so, nanoseconds since 1970, where it goes on until somebody acts.
    pub since_ns: Option<u64>,
}

/// What a run amounts to, said first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The tone: the worst open outcome, or a double effect.
    pub tone: Tone,
    /// Such as "2 refunds made where 1 was intended".
    pub line: String,
    /// The rest, joined by " · ".
    pub detail: String,
}

/// The tone of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Nothing was acted upon.
    None,
    /// Every act is confirmed.
    Confirmed,
    /// Something is under way.
    Submitted,
    /// Something failed.
    Failed,
    /// Something can't be told.
    Unknown,
    /// Something dangerous was found.
    Finding,
}

/// Whether the record is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completeness {
    /// The verdict.
    pub verdict: Whole,
    /// What is missing, one sentence each.
    pub gaps: Vec<String>,
    /// Records refused for this run.
    pub rejected: u64,
    /// Reads that were sampled away.
    pub sampled: u64,
    /// Redactions applied.
    pub redacted: u64,
    /// Largest difference between client and server clocks, milliseconds.
    pub skew_ms_max: u64,
    /// Records that the fold used.
    pub record_count: u64,
}

/// The verdict on completeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Proven by the runtime's own count.
    Yes,
    /// Something is missing.
    No,
    /// Nothing is known to be missing, and nothing proves it.
    NotProvable,
}

impl Whole {
    /// The word of the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotProvable => "not_provable",
        }
    }
}
