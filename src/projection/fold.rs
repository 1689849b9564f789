//! From records to lines: pure, the same records give the same lines.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::action::Action;
use crate::domain::fold::{Part, runs_of};
use crate::domain::ids::{Project, TraceId};
use crate::domain::record::Record;
use crate::domain::run::Run;
use crate::domain::summary::RunSummary;
use crate::projection::gather::Material;
use crate::projection::heard::Heard;
use crate::store::{ActionLine, RunLine, StandingAction, StandingRun};

/// New lines, and under what ids and keys older ones may stand that are wrong now.
#[derive(Debug)]
pub(super) struct Folded {
    project: Project,
    /// Lines of runs.
    pub(super) runs: Vec<RunLine>,
    /// Lines of actions.
    pub(super) actions: Vec<ActionLine>,
    /// Ids under which a line of the touched traces may stand that is wrong now.
    pub(super) doubtful_run_ids: BTreeSet<String>,
    /// Keys under which a line may stand that is wrong now.
    pub(super) doubtful_keys: BTreeSet<String>,
    /// Records of the touched traces.
    pub(super) record_count: u64,
    /// No line made of these records was first received earlier.
    pub(super) received_from_ns: u64,
    /// The highest precedence of all that was read: enough to take a line back.
    precedence: u64,
    heard_ns: u64,
}

/// Folds what was gathered.
pub(super) fn fold(project: &Project, material: Material, now_ns: u64) -> Folded {
    let Material { touched, keys, records, .. } = material;
    let heard = Heard::of(&records);
    let all: BTreeSet<TraceId> = records.iter().map(|record| record.facts.trace_id).collect();
    let received = || records.iter().map(|record| record.received_ns);
    let here = records.iter().filter(|record| touched.contains(&record.facts.trace_id));
    let mut folded = Folded {
        project: project.clone(),
        runs: Vec::new(),
        actions: Vec::new(),
        doubtful_run_ids: BTreeSet::new(),
        doubtful_keys: BTreeSet::new(),
        record_count: here.count() as u64,
        received_from_ns: received().min().unwrap_or_default(),
        precedence: heard.precedence(&all),
        heard_ns: received().max().unwrap_or_default(),
    };
    let mut runs = Vec::new();
    let mut written = BTreeSet::new();
    for (run_id, part) in runs_of(records) {
        let is_touched = part.records.iter().any(|record| touched.contains(&record.facts.trace_id));
        let has_key = |record: &Record| record.facts.key.as_ref().is_some_and(|key| keys.contains(key));
        if !is_touched && !part.records.iter().any(has_key) {
            continue;
        }
        let run = Run::of_part(&part, &[], now_ns);
        if is_touched {
            folded.runs.push(run_line(project, &part, &run, &heard));
            let traces: BTreeSet<&TraceId> =
                part.records.iter().map(|record| &record.facts.trace_id).collect();
            if heard.came_in_pieces(traces.iter().copied()) {
                // Before its id was given or joined, a run had the id of a trace.
                folded.doubtful_run_ids.extend(traces.iter().map(ToString::to_string));
                folded.doubtful_run_ids.insert(run_id.clone());
            }
            written.insert(run_id);
        }
        runs.push(run);
    }
    folded.add_actions(&runs, (&keys, &written), &heard);
    folded
}

impl Folded {
    /// Lines of the actions under these keys, and of those without a key in these runs.
    fn add_actions(
        &mut self,
        runs: &[Run],
        (keys, run_ids): (&BTreeSet<String>, &BTreeSet<String>),
        heard: &Heard,
    ) {
        let by_id: BTreeMap<&str, &Run> = runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        for action in Action::fold(runs, &[]) {
            let owner = if action.key_given { None } else { action.run_ids.first().cloned() };
            if !owner.as_ref().map_or_else(|| keys.contains(&action.key), |owner| run_ids.contains(owner)) {
                continue;
            }
            let traces = || {
                let runs = action.run_ids.iter().filter_map(|id| by_id.get(id.as_str()));
                runs.flat_map(|run| &run.traces)
            };
            if action.key_given && heard.came_in_pieces(traces()) {
                self.doubtful_keys.insert(action.key.clone());
            }
            self.actions.push(ActionLine {
                project: self.project.clone(),
                precedence: heard.precedence(traces()),
                heard_ns: self.heard_ns,
                owner: owner.unwrap_or_default(),
                action,
                is_deleted: false,
            });
        }
    }

    /// Takes back lines that stand and should not, and leaves out what somebody who knew more has written.
    pub(super) fn settle(&mut self, runs: &[StandingRun], actions: &[StandingAction]) {
        let place = |line: &RunLine| (line.summary.run_id.clone(), line.summary.received_ns);
        let known: BTreeMap<_, _> = self.runs.iter().map(|line| (place(line), line.precedence)).collect();
        let mut outdone = BTreeSet::new();
        let mut gone = Vec::new();
        for standing in runs {
            let place = (standing.run_id.clone(), standing.received_ns);
            match known.get(&place) {
                Some(precedence) if *precedence < standing.precedence => {
                    outdone.insert(place);
                }
                Some(_) => {}
                None => {
                    let precedence = self.precedence.max(standing.precedence);
                    gone.push(RunLine::gone(&self.project, standing, precedence));
                }
            }
        }
        self.runs.retain(|line| !outdone.contains(&place(line)));
        self.runs.append(&mut gone);

        let known: BTreeSet<_> =
            self.actions.iter().map(|line| (&line.owner, &line.action.key, &line.action.tool)).collect();
        let mut gone: Vec<ActionLine> = actions
            .iter()
            .filter(|standing| !known.contains(&(&standing.owner, &standing.key, &standing.tool)))
            .map(|standing| {
                let precedence = self.precedence.max(standing.precedence);
                ActionLine::gone(&self.project, standing, self.heard_ns, precedence)
            })
            .collect();
        self.actions.append(&mut gone);
    }
}

fn run_line(project: &Project, part: &Part, run: &Run, heard: &Heard) -> RunLine {
    let received = || part.records.iter().map(|record| record.received_ns);
    let traces: BTreeSet<TraceId> = part.records.iter().map(|record| record.facts.trace_id).collect();
    let mut summary = RunSummary::of(run);
    // Of every record: what the fold shows as an attempt may change, and the line with it.
    summary.received_ns = received().min().unwrap_or_default();
    RunLine {
        project: project.clone(),
        summary,
        heard_ns: received().max().unwrap_or_default(),
        precedence: heard.precedence(&traces),
        is_deleted: false,
    }
}
