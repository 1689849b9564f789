//! What an act intends, over runs and workers: one per idempotency key.
use crate::domain::case::lapsed;
use crate::domain::entity::Entity;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::path::{Move, Telling};

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
    /// How its state came to be, in order.
    pub path: Vec<Move>,
    /// Every attempt, held ones too, in order.
    pub uses: Vec<ActionUse>,
    /// The action (its key or step id) that this one undoes.
    pub compensates: Option<String>,
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
    /// The agent of the first.
    pub agent: Option<String>,
    /// Entities.
    pub entities: Vec<Entity>,
    /// Records and case events folded: the version of this row.
    pub version: u64,
}

/// One attempt at an action.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionUse {
    /// The run.
    pub run_id: String,
    /// The step in it.
    pub step_id: String,
    /// The attempt's number in the step.
    pub number: u32,
    /// The trace.
    pub trace_id: TraceId,
    /// The span.
    pub span_id: SpanId,
    /// Start, nanoseconds since 1970.
    pub started_ns: u64,
    /// End.
    pub ended_ns: Option<u64>,
    /// Who ran it.
    pub worker: Option<String>,
    /// The fencing number.
    pub epoch: Option<u64>,
    /// What the gate decided.
    pub gate: Gate,
    /// Its own outcome; `None` where the gate held it.
    pub outcome: Option<Outcome>,
    /// In words.
    pub reason: String,
}

impl Action {
    /// What is known of its key, for each of its runs: answers of look-ups and confirmed attempts.
    pub fn tellings(&self) -> Vec<Telling> {
        let told = self.path.iter().filter(|moved| match moved.state {
            Outcome::Confirmed => true,
            Outcome::Failed => matches!(moved.evidence, Evidence::Reconcile | Evidence::ReadBack),
            Outcome::Submitted | Outcome::Unknown => false,
        });
        told.filter(|moved| self.key_given && moved.origin.run_id().is_some())
            .map(|moved| Telling {
                tool: Some(self.tool.clone()),
                key: self.key.clone(),
                told: moved.clone(),
            })
            .collect()
    }

    /// Lets time pass: a submitted act whose deadline is over is unknown, without anybody writing it.
    pub fn pass(&mut self, now_ns: u64) {
        let Some(due) = self.unknown_at_ns.filter(|due| *due <= now_ns) else { return };
        if self.outcome == Outcome::Submitted {
            (self.outcome, self.evidence) = (Outcome::Unknown, Evidence::Timeout);
            self.changed_ns = self.changed_ns.max(due);
            self.path.push(lapsed(due));
        }
        self.unknown_at_ns = None;
    }
}
