//! One step as an auditor is told of it: what, when, how it ended, and under whose authority.
use std::collections::{BTreeMap, BTreeSet};

use crate::conventions::ToolRules;
use crate::domain::about::{Tie, Ties, is_told, step_ns};
use crate::domain::counting::counted;
use crate::domain::entity::Entity;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::run::{Attempt, Run, RunStep, Slot};
use crate::domain::value::Value;
use crate::web::badge;
use crate::web::entity::phrase::phrase;
use crate::web::value::compact;

/// Attempts that the story of a step tells one by one.
const ATTEMPTS_TOLD: usize = 10;

/// One step.
#[derive(Debug, Clone)]
pub(in crate::web) struct Told {
    /// When it was first tried, nanoseconds since 1970.
    pub(in crate::web) at_ns: u64,
    /// On the entity, or for it.
    pub(in crate::web) tie: Tie,
    pub(in crate::web) run_id: String,
    pub(in crate::web) session_id: Option<String>,
    pub(in crate::web) step_id: String,
    pub(in crate::web) number: u32,
    pub(in crate::web) kind: Kind,
    pub(in crate::web) tool: Option<String>,
    pub(in crate::web) target: Option<String>,
    /// In plain words.
    pub(in crate::web) sentence: String,
    /// What happened attempt by attempt, where there is something to tell.
    pub(in crate::web) story: Vec<String>,
    pub(in crate::web) outcome: Option<Outcome>,
    pub(in crate::web) evidence: Option<Evidence>,
    pub(in crate::web) attempts: u64,
    /// Attempts that must have been and have not arrived.
    pub(in crate::web) missing: Vec<u32>,
    /// Attempts that the gate held.
    pub(in crate::web) held: u64,
    pub(in crate::web) gate: Gate,
    pub(in crate::web) key: Option<String>,
    pub(in crate::web) value: Option<String>,
    pub(in crate::web) downstream_id: Option<String>,
    pub(in crate::web) agent: Option<String>,
    pub(in crate::web) agent_version: Option<String>,
    /// The model that proposed it, as of then.
    pub(in crate::web) model: Option<String>,
    /// Its parameters, `temperature=0.2`.
    pub(in crate::web) parameters: Vec<String>,
    /// For whom the agent worked.
    pub(in crate::web) user: Option<String>,
    pub(in crate::web) approver: Option<String>,
    pub(in crate::web) policy: Option<String>,
    pub(in crate::web) workers: Vec<String>,
    /// Codes of findings with their sentences.
    pub(in crate::web) findings: Vec<(&'static str, String)>,
    /// Where its first attempt is.
    pub(in crate::web) trace_id: String,
    pub(in crate::web) span_id: String,
}

impl Told {
    /// The steps of a run that have to do with an entity and lie in the period, in order.
    pub(in crate::web) fn all(
        run: &Run,
        names: &BTreeSet<Entity>,
        rules: &ToolRules,
        within: impl Fn(u64) -> bool,
    ) -> Vec<Self> {
        let ties = Ties::of(run);
        let by_id: BTreeMap<&str, &RunStep> =
            run.steps.iter().map(|step| (step.step_id.as_str(), step)).collect();
        let told =
            run.steps.iter().enumerate().filter(|(_, step)| is_told(step.kind) && within(step_ns(step)));
        told.filter_map(|(at, step)| {
            let tie = ties.tie(at, names).filter(|tie| *tie != Tie::Unsaid)?;
            let think = step.proposed_by.as_deref().and_then(|id| by_id.get(id)).copied();
            Some(Self::of(run, (step, think), tie, rules))
        })
        .collect()
    }

    fn of(run: &Run, (step, think): (&RunStep, Option<&RunStep>), tie: Tie, rules: &ToolRules) -> Self {
        let attempts: Vec<&Attempt> = step.attempts().collect();
        let facts = || attempts.iter().map(|attempt| &attempt.record.facts);
        let thought = think.into_iter().flat_map(RunStep::attempts).last();
        let model_facts = || thought.map(|attempt| &attempt.record.facts).into_iter().chain(facts());
        let first = facts().next();
        let mut workers: Vec<String> = facts().filter_map(|facts| facts.worker.clone()).collect();
        workers.dedup();
        let parameters =
            model_facts().map(|facts| &facts.parameters).find(|parameters| !parameters.is_empty());
        let findings = step.findings.iter().filter_map(|at| run.findings.get(*at));
        Self {
            at_ns: step_ns(step),
            tie,
            run_id: run.run_id.clone(),
            session_id: run.session_id.clone(),
            step_id: step.step_id.clone(),
            number: step.number,
            kind: step.kind,
            tool: step.tool.clone(),
            target: step.target.clone(),
            sentence: phrase(step, rules),
            story: story(step, &attempts),
            outcome: step.outcome,
            evidence: step.evidence,
            attempts: attempts.len() as u64,
            missing: missing(step),
            held: facts().filter(|facts| facts.gate.held()).count() as u64,
            gate: facts().map(|facts| facts.gate).rfind(|gate| *gate != Gate::None).unwrap_or_default(),
            key: step.key.clone(),
            value: facts().find_map(|facts| facts.value.clone()),
            downstream_id: facts().filter_map(|facts| facts.downstream_id.clone()).next_back(),
            agent: facts().find_map(|facts| facts.agent.clone()).or_else(|| run.agent.clone()),
            agent_version: facts()
                .find_map(|facts| facts.agent_version.clone())
                .or_else(|| run.agent_version.clone()),
            model: model_facts()
                .find_map(|facts| facts.model.clone().or_else(|| facts.model_requested.clone())),
            parameters: parameters.into_iter().flatten().map(parameter).collect(),
            user: facts().find_map(|facts| facts.user_id.clone()).or_else(|| run.user_id.clone()),
            approver: facts().find_map(|facts| facts.approver.clone()),
            policy: facts().find_map(|facts| facts.policy_version.clone()),
            workers,
            findings: findings.map(|finding| (finding.code.word(), finding.message.clone())).collect(),
            trace_id: first.map(|facts| facts.trace_id.to_string()).unwrap_or_default(),
            span_id: first.map(|facts| facts.span_id.to_string()).unwrap_or_default(),
        }
    }

    /// Who and under what: the line below the sentence.
    pub(in crate::web) fn authority(&self) -> String {
        let mut parts = Vec::new();
        if let Some(agent) = &self.agent {
            parts.push(match &self.agent_version {
                Some(version) => format!("{agent} {version}"),
                None => agent.clone(),
            });
        }
        parts.push(format!("step {} of {}", self.number, self.run_id));
        if let Some(model) = &self.model {
            parts.push(match self.parameters.as_slice() {
                [] => format!("model {model}"),
                parameters => format!("model {model} ({})", parameters.join(", ")),
            });
        }
        let mut add = |what: &str, value: &Option<String>| {
            parts.extend(value.as_ref().map(|value| format!("{what} {value}")));
        };
        add("for user", &self.user);
        add("approved by", &self.approver);
        add("policy", &self.policy);
        add("effect", &self.downstream_id);
        if self.kind == Kind::Act && self.key.is_none() {
            parts.push("no key".to_owned());
        }
        parts.join(", ")
    }
}

fn parameter((name, value): &(String, Value)) -> String {
    format!("{name}={}", crate::web::text::shortened(&compact(value), 60))
}

fn missing(step: &RunStep) -> Vec<u32> {
    let missing = step.attempts.iter().filter_map(|slot| match slot {
        Slot::Missing(number) => Some(*number),
        Slot::Attempt(_) => None,
    });
    missing.collect()
}

/// Every attempt in a sentence, where there was more than one plain success.
fn story(step: &RunStep, attempts: &[&Attempt]) -> Vec<String> {
    let missing = missing(step);
    let plain = matches!(attempts, [one] if one.now.is_none()) && missing.is_empty();
    if plain && step.outcome.is_none_or(|outcome| outcome == Outcome::Confirmed) {
        return match (step.kind, step.outcome.zip(step.evidence)) {
            (Kind::Act, Some((outcome, evidence))) => vec![sentence_of(outcome, evidence)],
            _ => Vec::new(),
        };
    }
    let mut told: Vec<String> = attempts.iter().take(ATTEMPTS_TOLD).map(|attempt| one(attempt)).collect();
    if attempts.len() > ATTEMPTS_TOLD {
        told.push(format!("{}.", counted(attempts.len() - ATTEMPTS_TOLD, "more attempt", "more attempts")));
    }
    if !missing.is_empty() {
        let numbers: Vec<String> = missing.iter().map(ToString::to_string).collect();
        told.push(format!("Attempt {} must have been and has not arrived.", numbers.join(", ")));
    }
    told
}

fn sentence_of(outcome: Outcome, evidence: Evidence) -> String {
    format!("{}.", crate::web::text::sentence(badge::evidence(outcome, evidence)))
}

fn one(attempt: &Attempt) -> String {
    let mut said = format!("Attempt {}", attempt.number);
    match attempt.record.facts.gate {
        Gate::Duplicate => said += ": held by the gate as a duplicate, nothing was sent",
        Gate::Unknown => said += ": held by the gate while the outcome was unknown, nothing was sent",
        Gate::New | Gate::None => {
            if !attempt.reason.is_empty() {
                said += &format!(": {}", attempt.reason);
            }
            if let Some(outcome) = attempt.outcome {
                said += &format!(" ({outcome})");
            }
        }
    }
    if let Some((outcome, evidence)) = attempt.now {
        said += &format!("; now {outcome}, {}", badge::evidence(outcome, evidence));
    }
    said + "."
}
