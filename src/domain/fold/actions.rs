//! Acts over runs and workers: one row an idempotency key and tool, or one an act where nobody gave a key;
//! and a case for each that is or was unknown.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::action::{Action, ActionUse};
use crate::domain::case::{Case, CaseEvent};
use crate::domain::fold::cases;
use crate::domain::fold::replay::{Use, replay, window};
use crate::domain::ids::Project;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::path::Telling;
use crate::domain::run::{Run, RunStep};

/// What runs intended, and what nobody knows of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// One a key and tool, or one an act without a key.
    pub actions: Vec<Action>,
    /// Of these, whatever is unknown, was, or may become it.
    pub cases: Vec<Case>,
}

impl Ledger {
    /// Folds the acts of all runs that touch a set of keys. Give every run of a key, or its row misses
    /// attempts; and let runs hear of each other first, or one does not know what another found out.
    pub fn fold(project: &Project, runs: &[Run], events: &[CaseEvent]) -> Self {
        let mut looks: BTreeMap<String, Vec<Telling>> = BTreeMap::new();
        for telling in runs.iter().flat_map(Run::tellings) {
            if telling.tool.is_none() {
                looks.entry(telling.key.clone()).or_default().push(telling);
            }
        }
        let mut ledger = Self::default();
        for ((key_given, tool, key), mut uses) in grouped(runs) {
            uses.sort_by_key(|used| {
                let facts = &used.attempt.record.facts;
                (facts.started_ns, facts.trace_id, facts.span_id)
            });
            let given = key_given.then_some(key.as_str());
            let events: Vec<&CaseEvent> =
                events.iter().filter(|event| about(event, given, &tool, &uses)).collect();
            let looks = given.and_then(|key| looks.get(key)).map(Vec::as_slice).unwrap_or_default();
            let Some(action) = action((key_given, tool, key), &uses, &events, looks) else { continue };
            ledger.cases.append(&mut cases::of(project, &action, &uses, (&events, looks)));
            ledger.actions.push(action);
        }
        ledger
    }
}

impl Action {
    /// The actions of [`Ledger::fold`].
    pub fn fold(runs: &[Run], events: &[CaseEvent]) -> Vec<Self> {
        Ledger::fold(&Project::default(), runs, events).actions
    }

    /// The name of an act that has no key, in a run of this id.
    pub fn own_key(run_id: &str, step: &RunStep) -> String {
        let tool = step.tool.as_deref().unwrap_or(&step.name);
        format!("{run_id}:{}:{tool}:{}", step.step_id, step.target.as_deref().unwrap_or_default())
    }
}

/// Whether the key was given, the tool, and the key.
type Name = (bool, String, String);

fn grouped(runs: &[Run]) -> BTreeMap<Name, Vec<Use<'_>>> {
    let mut uses: BTreeMap<Name, Vec<Use<'_>>> = BTreeMap::new();
    for run in runs {
        for step in run.steps.iter().filter(|step| step.kind == Kind::Act) {
            for attempt in step.attempts() {
                let facts = &attempt.record.facts;
                let name = match &facts.key {
                    // The record's own tool: what late spans tell of the step must not move it.
                    Some(key) => {
                        (true, facts.tool.clone().unwrap_or_else(|| facts.name.clone()), key.clone())
                    }
                    None => {
                        let tool = step.tool.clone().unwrap_or_else(|| step.name.clone());
                        (false, tool, Action::own_key(&run.run_id, step))
                    }
                };
                uses.entry(name).or_default().push(Use { run, step, attempt });
            }
        }
    }
    uses
}

fn action(
    (key_given, tool, key): Name,
    uses: &[Use<'_>],
    events: &[&CaseEvent],
    looks: &[Telling],
) -> Option<Action> {
    let first = uses.first()?;
    let path = replay(uses, key_given.then_some(key.as_str()), looks);
    // Without any move it was paused before it was sent.
    let (outcome, evidence) =
        path.last().map_or((Outcome::Submitted, Evidence::Given), |last| (last.state, last.evidence));
    let facts = || uses.iter().map(|used| &used.attempt.record.facts);
    let sent = || uses.iter().filter(|used| !used.attempt.record.facts.gate.held());
    let arguments: BTreeSet<_> = sent().filter_map(|used| used.attempt.record.arguments_canonical).collect();
    let mut entities = Vec::new();
    for entity in facts().flat_map(|facts| &facts.entities) {
        if !entities.contains(entity) {
            entities.push(entity.clone());
        }
    }
    let mut run_ids: Vec<String> = Vec::new();
    for used in uses {
        if !run_ids.contains(&used.run.run_id) {
            run_ids.push(used.run.run_id.clone());
        }
    }
    let waits = uses.iter().filter_map(|used| used.attempt.unknown_at_ns).min();
    let records = uses.iter().map(|used| 1 + used.attempt.versions.len() + used.attempt.logs.len());
    let ends = facts().map(|facts| facts.ended_ns.unwrap_or(facts.started_ns));
    let moved = path.iter().map(|moved| moved.at_ns).chain(events.iter().map(|event| event.at_ns));
    Some(Action {
        tool,
        target: facts().find_map(|facts| facts.target.clone()).or_else(|| first.step.target.clone()),
        outcome,
        evidence,
        unknown_at_ns: waits.filter(|_| outcome == Outcome::Submitted),
        started_ns: facts().map(|facts| facts.started_ns).min()?,
        changed_ns: ends.chain(moved).max().unwrap_or_default(),
        key_expires_ns: window(uses),
        attempt_count: u32::try_from(sent().count()).unwrap_or(u32::MAX),
        held_count: u32::try_from(uses.len() - sent().count()).unwrap_or(u32::MAX),
        argument_drift: arguments.len() > 1,
        path,
        uses: uses.iter().map(action_use).collect(),
        compensates: facts().find_map(|facts| facts.compensates.clone()),
        gate: facts().map(|facts| facts.gate).rfind(|gate| *gate != Gate::None).unwrap_or_default(),
        value: facts().find_map(|facts| facts.value.clone()),
        downstream_id: facts().filter_map(|facts| facts.downstream_id.clone()).next_back(),
        run_ids,
        step_id: first.step.step_id.clone(),
        spans: facts().map(|facts| (facts.trace_id, facts.span_id)).collect(),
        agent: first.run.agent.clone(),
        entities,
        version: (records.sum::<usize>() + events.len() + looks.len()) as u64,
        key,
        key_given,
    })
}

fn action_use(used: &Use<'_>) -> ActionUse {
    let facts = &used.attempt.record.facts;
    ActionUse {
        run_id: used.run.run_id.clone(),
        step_id: used.step.step_id.clone(),
        number: used.attempt.number,
        trace_id: facts.trace_id,
        span_id: facts.span_id,
        started_ns: facts.started_ns,
        ended_ns: facts.ended_ns,
        worker: facts.worker.clone(),
        epoch: facts.epoch,
        gate: facts.gate,
        outcome: used.attempt.outcome,
        reason: used.attempt.reason.clone(),
    }
}

/// Whether an event is about an action: its key and tool, or the span of one of its attempts (whose key may
/// have arrived later).
fn about(event: &CaseEvent, key: Option<&str>, tool: &str, uses: &[Use<'_>]) -> bool {
    match (&event.key, key) {
        (Some(event_key), Some(key)) => event_key == key && event.tool == tool,
        (Some(_), None) => false,
        (None, _) => uses.iter().any(|used| {
            let facts = &used.attempt.record.facts;
            (event.trace_id, event.span_id) == (facts.trace_id, facts.span_id)
        }),
    }
}
