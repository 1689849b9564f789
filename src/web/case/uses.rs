//! The attempts at one act, gathered from the runs that made them, with the look-ups that asked for it.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Look, Run, RunStep};
use crate::web::run::bars::attempts;

/// One attempt with where it stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Use<'a> {
    pub(in crate::web) run: &'a Run,
    pub(in crate::web) step: &'a RunStep,
    pub(in crate::web) attempt: &'a Attempt,
}

/// A look-up or read-back with where it stands; the attempt is missing where its own record is not at hand.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Asking<'a> {
    pub(in crate::web) run: &'a Run,
    pub(in crate::web) look: Look,
    pub(in crate::web) found: Option<(&'a RunStep, &'a Attempt)>,
}

/// The attempts under a key by a tool, in order of time.
pub(in crate::web) fn of_key<'a>(runs: &'a [Run], tool: &str, key: &str) -> Vec<Use<'a>> {
    all(runs, |used| {
        let facts = &used.attempt.record.facts;
        facts.key.as_deref() == Some(key) && facts.tool.as_deref().unwrap_or(&facts.name) == tool
    })
}

/// The attempt with this span.
pub(in crate::web) fn of_span(runs: &[Run], (trace, span): (TraceId, SpanId)) -> Vec<Use<'_>> {
    all(runs, |used| {
        let facts = &used.attempt.record.facts;
        (facts.trace_id, facts.span_id) == (trace, span)
    })
}

fn all(runs: &[Run], wanted: impl Fn(&Use<'_>) -> bool) -> Vec<Use<'_>> {
    let acts = |run: &'_ Run| run.steps.iter().filter(|step| step.kind == Kind::Act).count();
    let mut found = Vec::with_capacity(runs.iter().map(acts).sum());
    for run in runs {
        for step in run.steps.iter().filter(|step| step.kind == Kind::Act) {
            found.extend(attempts(step).map(|attempt| Use { run, step, attempt }).filter(&wanted));
        }
    }
    found.sort_by_key(|used| {
        let facts = &used.attempt.record.facts;
        (facts.started_ns, facts.trace_id, facts.span_id)
    });
    found
}

/// Everybody who asked for the truth of these attempts, in order of time, each once.
pub(in crate::web) fn askings<'a>(uses: &[Use<'a>]) -> Vec<Asking<'a>> {
    let mut found: Vec<Asking<'a>> = Vec::new();
    for used in uses {
        for look in &used.step.looks {
            if found.iter().any(|asked| asked.look.span_id == look.span_id) {
                continue;
            }
            let at =
                used.run.steps.iter().flat_map(|step| attempts(step).map(move |attempt| (step, attempt)));
            let here = at.into_iter().find(|(_, attempt)| attempt.record.facts.span_id == look.span_id);
            found.push(Asking { run: used.run, look: *look, found: here });
        }
    }
    found.sort_by_key(|asked| (asked.look.at_ns, asked.look.span_id));
    found
}
