//! From records to the lines of the derived tables. Pure.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::action::Action;
use crate::domain::fold::{Part, runs_of};
use crate::domain::ids::{Project, TraceId};
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run::Run;
use crate::domain::summary::RunSummary;
use crate::projection::components::Components;
use crate::store::Derived;

/// The runs of a closed set of records.
pub(super) struct Folded {
    /// The runs.
    pub(super) runs: Vec<Run>,
    /// Latest receipt of each run's records, nanoseconds since 1970; as `runs`.
    received_ns: Vec<u64>,
    /// Every trace of the set.
    pub(super) traces: BTreeSet<TraceId>,
    components: Components,
}

impl Folded {
    /// Folds them as of now.
    pub(super) fn of(records: Vec<Record>, now_ns: u64) -> Self {
        let components = Components::of(&records);
        let traces = records.iter().map(|record| record.facts.trace_id).collect();
        let parts: Vec<Part> = runs_of(records).into_values().collect();
        let last =
            |part: &Part| part.records.iter().map(|record| record.received_ns).max().unwrap_or_default();
        Self {
            received_ns: parts.iter().map(last).collect(),
            runs: parts.iter().map(|part| Run::of_part(part, &[], now_ns)).collect(),
            traces,
            components,
        }
    }

    /// Ids under which a line of this set may stand that is wrong now: those of runs that came in more than
    /// one request, and those that their traces' records had before an id arrived. What came at once never
    /// had others.
    pub(super) fn doubtful_run_ids(&mut self) -> Vec<String> {
        let mut ids: BTreeSet<String> = BTreeSet::new();
        for run in &self.runs {
            let Some(first) = run.traces.first() else { continue };
            if self.components.came_in_pieces(*first) {
                ids.insert(run.run_id.clone());
                ids.extend(run.traces.iter().map(ToString::to_string));
            }
        }
        ids.into_iter().collect()
    }

    /// Every given key of its acts.
    pub(super) fn keys(&self) -> BTreeSet<String> {
        let acts = self.runs.iter().flat_map(|run| &run.steps).filter(|step| step.kind == Kind::Act);
        acts.flat_map(|step| step.attempts()).filter_map(|attempt| attempt.record.facts.key.clone()).collect()
    }

    /// Names that actions of this set may have had before a key or a run id arrived, each with a trace of it.
    pub(super) fn former_action_keys(&self) -> BTreeMap<String, TraceId> {
        let mut names = BTreeMap::new();
        for run in &self.runs {
            let Some(trace) = run.traces.first() else { continue };
            let ids = run.traces.iter().map(ToString::to_string).chain([run.run_id.clone()]);
            for id in ids.collect::<BTreeSet<_>>() {
                let acts = run.steps.iter().filter(|step| step.kind == Kind::Act);
                names.extend(acts.map(|step| (Action::own_key(&id, step), *trace)));
            }
        }
        names
    }

    /// A line for each run, and one that takes back each of `standing` (id and first receipt) that is wrong.
    pub(super) fn run_lines(
        &mut self,
        project: &Project,
        standing: &[(String, u64)],
    ) -> Vec<Derived<RunSummary>> {
        let mut lines = Vec::with_capacity(self.runs.len());
        for (run, received_ns) in self.runs.iter().zip(&self.received_ns) {
            let mut line = RunSummary::of(run);
            line.version = run.traces.first().map_or(0, |trace| self.components.version(*trace));
            lines.push(Derived {
                project: project.clone(),
                line,
                received_ns: *received_ns,
                is_deleted: false,
            });
        }
        let now: BTreeSet<(String, u64)> =
            lines.iter().map(|line| (line.line.run_id.clone(), line.line.received_ns)).collect();
        for (run_id, received_ns) in standing.iter().filter(|line| !now.contains(*line)) {
            let trace = TraceId::parse(run_id);
            let owner = |line: &&Derived<RunSummary>| {
                line.line.run_id == *run_id || trace.is_some_and(|trace| line.line.traces.contains(&trace))
            };
            let Some(mut taken_back) = lines.iter().find(owner).cloned() else { continue };
            taken_back.line.run_id.clone_from(run_id);
            taken_back.line.received_ns = *received_ns;
            taken_back.is_deleted = true;
            lines.push(taken_back);
        }
        lines
    }

    /// A line for each action under one of these keys or under none, and one that takes back each of `gone`:
    /// key, tool, and a trace it was in.
    pub(super) fn action_lines(
        &mut self,
        project: &Project,
        keys: &BTreeSet<String>,
        gone: &[(String, String, TraceId)],
    ) -> Vec<Derived<Action>> {
        let received: BTreeMap<&str, u64> =
            self.runs.iter().map(|run| run.run_id.as_str()).zip(self.received_ns.iter().copied()).collect();
        let mut lines = Vec::new();
        for mut line in Action::fold(&self.runs, &[]) {
            if line.key_given && !keys.contains(&line.key) {
                continue;
            }
            let tops: BTreeSet<TraceId> =
                line.spans.iter().map(|(trace, _)| self.components.top(*trace)).collect();
            line.version = tops.into_iter().map(|top| self.components.version(top)).sum();
            let received_ns = line.run_ids.iter().filter_map(|id| received.get(id.as_str())).max().copied();
            let received_ns = received_ns.unwrap_or_default();
            lines.push(Derived { project: project.clone(), line, received_ns, is_deleted: false });
        }
        let here: BTreeSet<String> = lines.iter().map(|line| line.line.key.clone()).collect();
        let Some(any) = lines.first().cloned() else { return lines };
        for (key, tool, trace) in gone.iter().filter(|(key, ..)| !here.contains(key)) {
            let version = self.components.version(*trace);
            let line = Action { key: key.clone(), tool: tool.clone(), version, ..any.line.clone() };
            lines.push(Derived { line, is_deleted: true, ..any.clone() });
        }
        lines
    }
}
