//! The moves of all attempts at one action, replayed in time: what its state was, and is.
use std::collections::BTreeSet;

use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::path::{Move, Origin, Telling};
use crate::domain::run::{Attempt, Run, RunStep};

/// One attempt with where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'a> {
    pub(super) run: &'a Run,
    pub(super) step: &'a RunStep,
    pub(super) attempt: &'a Attempt,
}

impl Use<'_> {
    /// Whether it went out: not held by the gate, and not paused before.
    pub(super) fn is_sent(&self) -> bool {
        self.attempt.outcome.is_some()
    }

    /// The span as the origin of a move.
    pub(super) fn origin(&self) -> Origin {
        let facts = &self.attempt.record.facts;
        Origin::Span { run_id: self.run.run_id.clone(), trace_id: facts.trace_id, span_id: facts.span_id }
    }

    /// Who ran it.
    pub(super) fn by(&self) -> String {
        by(self.attempt, self.run)
    }
}

fn by(attempt: &Attempt, run: &Run) -> String {
    let facts = &attempt.record.facts;
    let by = facts.worker.as_deref().or(facts.agent.as_deref()).or(run.agent.as_deref());
    by.or(facts.service.as_deref()).unwrap_or("runtime").to_owned()
}

/// How the state of an action came to be. `key` is the given one: attempts under it are one effect. `looks`
/// are look-ups of any run that name the key.
pub(super) fn replay(uses: &[Use<'_>], key: Option<&str>, looks: &[Telling]) -> Vec<Move> {
    let sent: Vec<&Use<'_>> = uses.iter().filter(|used| used.is_sent()).collect();
    if sent.is_empty() {
        return held(uses);
    }
    let window = window(uses);
    let mut moves: Vec<(u64, usize, Option<usize>, &Move)> = Vec::new();
    for (index, used) in sent.iter().enumerate() {
        moves.extend(used.attempt.path.iter().map(|moved| (moved.at_ns, index, Some(index), moved)));
    }
    let known = |look: &&Telling| {
        !sent.iter().any(|used| used.attempt.path.iter().any(|moved| moved.origin == look.told.origin))
    };
    let from_outside = looks.iter().filter(known).map(|look| (look.told.at_ns, usize::MAX, None, &look.told));
    moves.extend(from_outside);
    moves.sort_by_key(|(at_ns, order, ..)| (*at_ns, *order));
    let mut states: Vec<Option<(Outcome, Evidence)>> = vec![None; sent.len()];
    let mut path: Vec<Move> = Vec::new();
    for (_, _, index, moved) in moves {
        match index {
            Some(index) => {
                if let Some(state) = states.get_mut(index) {
                    *state = Some((moved.state, moved.evidence));
                }
            }
            None => {
                let open = states.iter_mut().flatten().filter(|(outcome, _)| outcome.blocks_retry());
                open.for_each(|state| *state = (moved.state, moved.evidence));
            }
        }
        let covers = |place: usize| {
            let start = sent.get(place).map(|used| used.attempt.record.facts.started_ns);
            key.is_some() && window.is_none_or(|ends| start.is_some_and(|start| start < ends))
        };
        let Some((state, evidence)) = counts(&states, covers) else { continue };
        let last = path.last();
        let changed = last.is_none_or(|last| last.state != state);
        let weighty =
            matches!(moved.evidence, Evidence::ReadBack | Evidence::Reconcile | Evidence::Resolution);
        let anew = weighty && moved.state == state && !path.iter().any(|seen| seen.origin == moved.origin);
        if changed {
            path.push(Move { state, evidence, ..moved.clone() });
        } else if anew {
            path.push(moved.clone());
        }
    }
    path
}

/// Until when the provider keeps the key: as the attempts say, and of several times the safe one.
pub(super) fn window(uses: &[Use<'_>]) -> Option<u64> {
    uses.iter()
        .filter(|used| used.is_sent())
        .filter_map(|used| used.attempt.record.facts.key_expires_ns)
        .min()
}

/// What counts of the attempts' states: under a key one confirmed settles all, else the worst open one.
fn counts(
    states: &[Option<(Outcome, Evidence)>],
    covers: impl Fn(usize) -> bool,
) -> Option<(Outcome, Evidence)> {
    let told = || states.iter().enumerate().filter_map(|(place, state)| state.map(|state| (place, state)));
    let find = |wanted: Outcome| told().rev().find(|(_, (outcome, _))| *outcome == wanted);
    let covering = told()
        .filter(|(place, (outcome, _))| *outcome == Outcome::Confirmed && covers(*place))
        .max_by_key(|(_, (_, evidence))| weight(*evidence));
    let order = [Outcome::Unknown, Outcome::Submitted, Outcome::Confirmed, Outcome::Failed];
    covering.or_else(|| order.into_iter().find_map(find)).map(|(_, state)| state)
}

/// What says more: a person or a look-up more than an answer.
fn weight(evidence: Evidence) -> u8 {
    match evidence {
        Evidence::Given | Evidence::Status | Evidence::Error | Evidence::Timeout => 0,
        Evidence::ReadBack | Evidence::Reconcile => 1,
        Evidence::Resolution => 2,
    }
}

/// All that we have of it was held: what the gate said is all that is known.
fn held(uses: &[Use<'_>]) -> Vec<Move> {
    let Some(last) = uses.last() else { return Vec::new() };
    let state = match last.attempt.record.facts.gate {
        Gate::Duplicate => Outcome::Confirmed,
        Gate::Unknown | Gate::New | Gate::None => Outcome::Unknown,
    };
    let at_ns = last.attempt.record.facts.started_ns;
    vec![Move { state, at_ns, by: last.by(), evidence: Evidence::Given, origin: last.origin() }]
}

impl Run {
    /// The keys under which this run acted.
    pub fn acted_under(&self) -> BTreeSet<&str> {
        let acts = self.steps.iter().filter(|step| step.kind == Kind::Act);
        acts.flat_map(RunStep::attempts).filter_map(|attempt| attempt.record.facts.key.as_deref()).collect()
    }

    /// What this run tells about keys, for other runs that used the same: answers of look-ups, and attempts
    /// that were confirmed.
    pub fn tellings(&self) -> Vec<Telling> {
        let mut tellings = Vec::new();
        for step in &self.steps {
            for attempt in step.attempts() {
                let facts = &attempt.record.facts;
                let Some(key) = &facts.key else { continue };
                let told = |state, evidence| Move {
                    state,
                    at_ns: facts.ended_ns.unwrap_or(facts.started_ns),
                    by: by(attempt, self),
                    evidence,
                    origin: Use { run: self, step, attempt }.origin(),
                };
                let (tool, told) = match (step.kind, facts.outcome) {
                    (Kind::Reconcile, Some(found @ (Outcome::Confirmed | Outcome::Failed)))
                        if facts.error.is_none() =>
                    {
                        (None, told(found, Evidence::Reconcile))
                    }
                    (Kind::Act, _) if is_confirmed(attempt) => {
                        let evidence = attempt.evidence.unwrap_or(Evidence::Given);
                        (facts.tool.clone(), told(Outcome::Confirmed, evidence))
                    }
                    _ => continue,
                };
                tellings.push(Telling { tool, key: key.clone(), told });
            }
        }
        tellings
    }
}

/// Answered well, and nothing since says otherwise.
fn is_confirmed(attempt: &Attempt) -> bool {
    attempt.outcome == Some(Outcome::Confirmed)
        && attempt.now.is_none_or(|(outcome, _)| outcome == Outcome::Confirmed)
}
