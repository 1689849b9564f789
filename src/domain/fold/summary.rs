//! A run in one row.
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::cost::Usage;
use crate::domain::fold::node::is_tool;
use crate::domain::fold::verdict::tone_of;
use crate::domain::kind::{Kind, Status};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::summary::RunSummary;

impl RunSummary {
    /// Sums a run up. Containers repeat their children's tokens, so only model calls are added up; a run
    /// that has none with tokens takes those of its outermost spans.
    pub fn of(run: &Run) -> Self {
        let acts = |outcome: Outcome| {
            let with =
                run.steps.iter().filter(|step| step.kind == Kind::Act && step.outcome == Some(outcome));
            number(with.count())
        };
        let worst = run.steps.iter().filter_map(|step| step.outcome).max_by_key(|outcome| tone_of(*outcome));
        let attempts = || run.steps.iter().flat_map(RunStep::attempts);
        let here = || run.steps.iter().filter(|step| step.attempts().next().is_some());
        let codes: BTreeSet<_> = run.findings.iter().map(|finding| finding.code).collect();
        let models = attempts().filter_map(|attempt| attempt.record.facts.model.clone());
        let tools = run.steps.iter().filter(|step| is_tool(step.kind)).filter_map(|step| step.tool.clone());
        Self {
            run_id: run.run_id.clone(),
            session_id: run.session_id.clone(),
            name: run.name.clone(),
            agent: run.agent.clone(),
            agent_version: run.agent_version.clone(),
            service: run.service.clone(),
            environment: run.environment.clone(),
            user_id: run.user_id.clone(),
            started_ns: run.started_ns,
            ended_ns: run.ended_ns,
            received_ns: attempts()
                .flat_map(records)
                .map(|record| record.received_ns)
                .min()
                .unwrap_or_default(),
            state: run.state,
            outcome: worst.map_or("none", Outcome::word),
            acts_confirmed: acts(Outcome::Confirmed),
            acts_failed: acts(Outcome::Failed),
            acts_unknown: acts(Outcome::Unknown),
            acts_submitted: acts(Outcome::Submitted),
            acts_resolved: number(run.steps.iter().filter(|step| resolved(step)).count()),
            unknown_at_ns: attempts().filter_map(|attempt| attempt.unknown_at_ns).min(),
            step_count: number(here().count()),
            attempt_count: number(attempts().count()),
            retry_count: number(here().map(|step| step.attempts().count() - 1).sum()),
            act_count: number(run.steps.iter().filter(|step| step.kind == Kind::Act).count()),
            reconcile_count: number(run.steps.iter().filter(|step| step.kind == Kind::Reconcile).count()),
            error_count: number(attempts().filter(|attempt| erred(attempt)).count()),
            finding_codes: codes.into_iter().collect(),
            models: models.collect::<BTreeSet<_>>().into_iter().collect(),
            tools: tools.collect::<BTreeSet<_>>().into_iter().collect(),
            entities: run.entities.iter().map(ToString::to_string).collect(),
            tokens_in: sum(run, |attempt| attempt.record.facts.tokens.input),
            tokens_out: sum(run, |attempt| attempt.record.facts.tokens.output),
            cost_usd: cost(run),
            usage: usage(run),
            calls_untold: number(unpriced(run).filter(|record| Usage::of(record).is_none()).count()),
            complete: run.completeness.verdict,
            verdict: run.verdict.line.clone(),
            traces: run.traces.clone(),
            version: run.version,
        }
    }
}

/// Whether nobody knew what became of an attempt, until somebody said.
fn resolved(step: &RunStep) -> bool {
    step.attempts().any(|attempt| {
        let by_resolution = attempt.now.is_some_and(|(outcome, evidence)| {
            outcome != Outcome::Unknown && evidence == Evidence::Resolution
        });
        by_resolution && attempt.path.iter().any(|moved| moved.state == Outcome::Unknown)
    })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn records(attempt: &Attempt) -> impl Iterator<Item = &Record> {
    let others = attempt.versions.iter().chain(&attempt.logs).chain(&attempt.transports);
    std::iter::once(&attempt.record).chain(others)
}

fn erred(attempt: &Attempt) -> bool {
    attempt.record.facts.status == Status::Error || attempt.record.facts.error.is_some()
}

fn thinks(run: &Run) -> impl Iterator<Item = &Attempt> {
    run.steps.iter().filter(|step| step.kind == Kind::Think).flat_map(RunStep::attempts)
}

fn sum(run: &Run, tokens: fn(&Attempt) -> Option<u64>) -> Option<u64> {
    add(thinks(run).filter_map(tokens)).or_else(|| {
        let outermost =
            run.steps.iter().filter(|step| step.attempts().any(|attempt| tokens(attempt).is_some()));
        let depth = outermost.clone().map(|step| step.depth).min()?;
        add(outermost.filter(|step| step.depth == depth).flat_map(RunStep::attempts).filter_map(tokens))
    })
}

fn add(numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.reduce(u64::saturating_add)
}

fn cost(run: &Run) -> Option<f64> {
    thinks(run).filter_map(|attempt| attempt.record.facts.cost_usd).reduce(|a, b| a + b)
}

/// Model calls that may have cost something which their runtime does not say.
fn unpriced(run: &Run) -> impl Iterator<Item = &Record> {
    let all = thinks(run).map(|attempt| &attempt.record).filter(|record| record.facts.cost_usd.is_none());
    all.filter(|record| record.facts.status != Status::Error || Usage::of(record).is_some())
}

/// What they used, by model and day.
fn usage(run: &Run) -> Vec<Usage> {
    let mut sums: BTreeMap<(String, u32), Usage> = BTreeMap::new();
    for used in unpriced(run).filter_map(Usage::of) {
        match sums.entry((used.model.clone(), used.day)) {
            Entry::Occupied(mut sum) => sum.get_mut().add(&used),
            Entry::Vacant(none) => drop(none.insert(used)),
        }
    }
    sums.into_values().collect()
}
