//! One step with its attempts, as the API writes it.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::run::{Run, RunStep, Slot};
use crate::web::api::attempt::Attempt;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::Bodies;

/// One step.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Step {
    step_id: String,
    number: u32,
    kind: &'static str,
    name: String,
    tool: Option<String>,
    tool_call_id: Option<String>,
    target: Option<String>,
    key: Option<String>,
    outcome: Option<&'static str>,
    evidence: Option<&'static str>,
    /// Whether an attempt must have been that has not arrived.
    gap: bool,
    missing_attempts: Vec<u32>,
    idle_before_ms: u64,
    parent_step_id: Option<String>,
    proposed_by: Option<String>,
    verifies: Option<String>,
    findings: Vec<&'static str>,
    attempts: Vec<Attempt>,
    children: Vec<String>,
}

impl Step {
    /// A step of a run, without its children.
    pub(in crate::web) fn of(run: &Run, step: &RunStep, bodies: &Bodies) -> Self {
        let missing: Vec<u32> = step
            .attempts
            .iter()
            .filter_map(|slot| match slot {
                Slot::Missing(number) => Some(*number),
                Slot::Attempt(_) => None,
            })
            .collect();
        let found = step.findings.iter().filter_map(|at| run.findings.get(*at));
        Self {
            step_id: step.step_id.clone(),
            number: step.number,
            kind: step.kind.word(),
            name: step.name.clone(),
            tool: step.tool.clone(),
            tool_call_id: attempts(step).find_map(|attempt| attempt.record.facts.tool_call_id.clone()),
            target: step.target.clone(),
            key: step.key.clone(),
            outcome: step.outcome.map(|outcome| outcome.word()),
            evidence: step.evidence.map(|evidence| evidence.word()),
            gap: !missing.is_empty(),
            missing_attempts: missing,
            idle_before_ms: step.gap_before_ns / 1_000_000,
            parent_step_id: step.parent_step_id.clone(),
            proposed_by: step.proposed_by.clone(),
            verifies: step.verifies.clone(),
            findings: found.map(|finding| finding.code.word()).collect(),
            attempts: attempts(step).map(|attempt| Attempt::of(attempt, bodies)).collect(),
            children: Vec::new(),
        }
    }

    /// With the steps directly below it.
    pub(in crate::web) fn with_children(mut self, children: Vec<String>) -> Self {
        self.children = children;
        self
    }
}
