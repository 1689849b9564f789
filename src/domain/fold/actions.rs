//! Acts over runs and workers: one row an idempotency key, or one an act where nobody gave a key.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::action::Action;
use crate::domain::case::{CaseAct, CaseEvent};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::run::{Attempt, Run, RunStep};

/// One attempt with where it stands.
struct Use<'a> {
    run: &'a Run,
    step: &'a RunStep,
    attempt: &'a Attempt,
}

impl Action {
    /// Folds the acts of all runs that touch a set of keys. Give every run of a key, or its row misses
    /// attempts.
    pub fn fold(runs: &[Run], events: &[CaseEvent]) -> Vec<Self> {
        let mut uses: BTreeMap<(bool, String), Vec<Use<'_>>> = BTreeMap::new();
        for run in runs {
            for step in run.steps.iter().filter(|step| step.kind == Kind::Act) {
                for attempt in step.attempts() {
                    let given = attempt.record.facts.key.clone();
                    let key = (given.is_some(), given.unwrap_or_else(|| Self::own_key(&run.run_id, step)));
                    uses.entry(key).or_default().push(Use { run, step, attempt });
                }
            }
        }
        uses.into_iter().filter_map(|((given, key), uses)| action(key, given, uses, runs, events)).collect()
    }

    /// The name of an act that has no key, in a run of this id.
    pub fn own_key(run_id: &str, step: &RunStep) -> String {
        let tool = step.tool.as_deref().unwrap_or(&step.name);
        format!("{run_id}:{}:{tool}:{}", step.step_id, step.target.as_deref().unwrap_or_default())
    }
}

fn action(
    key: String,
    key_given: bool,
    mut uses: Vec<Use<'_>>,
    runs: &[Run],
    events: &[CaseEvent],
) -> Option<Action> {
    uses.sort_by_key(|used| {
        let facts = &used.attempt.record.facts;
        (facts.started_ns, facts.trace_id, facts.span_id)
    });
    let first = uses.first()?;
    let (outcome, evidence) = state(&uses, key_given.then_some(key.as_str()), runs);
    let facts = || uses.iter().map(|used| &used.attempt.record.facts);
    let sent = || uses.iter().filter(|used| !used.attempt.record.facts.gate.held());
    let arguments: BTreeSet<_> = sent().filter_map(|used| used.attempt.record.arguments_canonical).collect();
    let about = events.iter().filter(|event| about(event, key_given.then_some(key.as_str()), &uses)).count();
    let mut entities = Vec::new();
    for entity in facts().flat_map(|facts| &facts.entities) {
        if !entities.contains(entity) {
            entities.push(entity.clone());
        }
    }
    let mut run_ids: Vec<String> = Vec::new();
    for used in &uses {
        if !run_ids.contains(&used.run.run_id) {
            run_ids.push(used.run.run_id.clone());
        }
    }
    let records = uses.iter().map(|used| 1 + used.attempt.versions.len() + used.attempt.logs.len());
    Some(Action {
        tool: first.step.tool.clone().unwrap_or_else(|| first.step.name.clone()),
        target: facts().find_map(|facts| facts.target.clone()).or_else(|| first.step.target.clone()),
        outcome,
        evidence,
        unknown_at_ns: uses.iter().filter_map(|used| used.attempt.unknown_at_ns).min(),
        started_ns: facts().map(|facts| facts.started_ns).min()?,
        changed_ns: changed(&uses, events, key_given.then_some(key.as_str()), runs),
        key_expires_ns: facts().filter_map(|facts| facts.key_expires_ns).max(),
        attempt_count: u32::try_from(sent().count()).unwrap_or(u32::MAX),
        held_count: u32::try_from(uses.len() - sent().count()).unwrap_or(u32::MAX),
        argument_drift: arguments.len() > 1,
        gate: facts().map(|facts| facts.gate).rfind(|gate| *gate != Gate::None).unwrap_or_default(),
        value: facts().find_map(|facts| facts.value.clone()),
        downstream_id: facts().filter_map(|facts| facts.downstream_id.clone()).next_back(),
        run_ids,
        step_id: first.step.step_id.clone(),
        spans: facts().map(|facts| (facts.trace_id, facts.span_id)).collect(),
        entities,
        version: (records.sum::<usize>() + about + lookups(key_given.then_some(key.as_str()), runs).count())
            as u64,
        key,
        key_given,
    })
}

/// The state of an action: under a given key one confirmed attempt settles all; else the worst open one
/// counts.
fn state(uses: &[Use<'_>], key: Option<&str>, runs: &[Run]) -> (Outcome, Evidence) {
    let told = uses.iter().filter_map(|used| {
        let own =
            used.attempt.outcome.map(|outcome| (outcome, used.attempt.evidence.unwrap_or(Evidence::Given)));
        used.attempt.now.or(own)
    });
    let told: Vec<(Outcome, Evidence)> = told.collect();
    let find = |wanted: Outcome| told.iter().rev().find(|(outcome, _)| *outcome == wanted).copied();
    let confirmed = find(Outcome::Confirmed);
    let open = find(Outcome::Unknown).or_else(|| find(Outcome::Submitted));
    if let Some(settled) = confirmed.filter(|_| key.is_some()) {
        return settled;
    }
    if let Some(open) = open {
        let found = lookups(key, runs).filter_map(|(_, attempt)| attempt.record.facts.outcome).last();
        return match found {
            Some(found @ (Outcome::Confirmed | Outcome::Failed)) => (found, Evidence::Reconcile),
            Some(Outcome::Submitted | Outcome::Unknown) | None => open,
        };
    }
    let held = || match uses.last().map(|used| used.attempt.record.facts.gate) {
        Some(Gate::Duplicate) => (Outcome::Confirmed, Evidence::Given),
        Some(Gate::Unknown | Gate::New | Gate::None) | None => (Outcome::Unknown, Evidence::Given),
    };
    confirmed.or_else(|| find(Outcome::Failed)).unwrap_or_else(held)
}

/// Reconciliations of a key in any of the runs: another run may have asked for the truth.
fn lookups<'a>(key: Option<&'a str>, runs: &'a [Run]) -> impl Iterator<Item = (&'a RunStep, &'a Attempt)> {
    let steps = runs.iter().flat_map(|run| &run.steps).filter(|step| step.kind == Kind::Reconcile);
    let attempts = steps.flat_map(|step| step.attempts().map(move |attempt| (step, attempt)));
    attempts.filter(move |(_, attempt)| key.is_some() && attempt.record.facts.key.as_deref() == key)
}

fn about(event: &CaseEvent, key: Option<&str>, uses: &[Use<'_>]) -> bool {
    match (&event.key, key) {
        (Some(event), Some(key)) => event == key,
        (None, None) => uses.iter().any(|used| {
            let span = used.attempt.record.facts.span_id.to_string();
            event.run_id == used.run.run_id && (event.step_id == used.step.step_id || event.step_id == span)
        }),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn changed(uses: &[Use<'_>], events: &[CaseEvent], key: Option<&str>, runs: &[Run]) -> u64 {
    let attempts = uses.iter().map(|used| {
        let facts = &used.attempt.record.facts;
        facts.ended_ns.unwrap_or(facts.started_ns)
    });
    let looked = lookups(key, runs).map(|(_, attempt)| {
        let facts = &attempt.record.facts;
        facts.ended_ns.unwrap_or(facts.started_ns)
    });
    let settled = events.iter().filter(|event| match event.act {
        CaseAct::Resolve { .. } | CaseAct::Reopen(_) => about(event, key, uses),
        CaseAct::Claim | CaseAct::Comment(_) => false,
    });
    attempts.chain(looked).chain(settled.map(|event| event.at_ns)).max().unwrap_or_default()
}
