//! From records to lines: pure, the same records give the same lines.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::about::About;
use crate::domain::action::Action;
use crate::domain::case::CaseEvent;
use crate::domain::fold::{Ledger, Part, case_id, listed_findings, runs_of, work_of};
use crate::domain::ids::{Project, TraceId};
use crate::domain::path::{Origin, Telling};
use crate::domain::readiness::marks_of;
use crate::domain::record::Record;
use crate::domain::run::Run;
use crate::domain::summary::RunSummary;
use crate::projection::gather::Material;
use crate::projection::heard::Heard;
use crate::store::{ActionLine, CaseLine, RunLine, StandingAction, StandingCase, StandingRun};

/// New lines, and under what ids and keys older ones may stand that are wrong now.
#[derive(Debug)]
pub(super) struct Folded {
    project: Project,
    /// Lines of runs.
    pub(super) runs: Vec<RunLine>,
    /// Lines of actions.
    pub(super) actions: Vec<ActionLine>,
    /// Lines of cases.
    pub(super) cases: Vec<CaseLine>,
    /// Ids under which a line of the touched traces may stand that is wrong now.
    pub(super) doubtful_run_ids: BTreeSet<String>,
    /// Keys under which a line may stand that is wrong now.
    pub(super) doubtful_keys: BTreeSet<String>,
    /// Cases that may stand although there is nothing unknown any more.
    pub(super) doubtful_case_ids: BTreeSet<String>,
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
    let Material { touched, keys, records, events, .. } = material;
    let heard = Heard::of(&records, &events);
    let all: BTreeSet<TraceId> = records.iter().map(|record| record.facts.trace_id).collect();
    let received = || records.iter().map(|record| record.received_ns);
    let here = records.iter().filter(|record| touched.contains(&record.facts.trace_id));
    let appended = events.iter().map(|event| event.at_ns);
    let mut folded = Folded {
        project: project.clone(),
        runs: Vec::new(),
        actions: Vec::new(),
        cases: Vec::new(),
        doubtful_run_ids: BTreeSet::new(),
        doubtful_keys: BTreeSet::new(),
        doubtful_case_ids: BTreeSet::new(),
        record_count: here.count() as u64,
        received_from_ns: received().min().unwrap_or_default(),
        precedence: heard.precedence(&all),
        heard_ns: received().chain(appended).max().unwrap_or_default(),
    };
    let mut runs = Vec::new();
    let mut written = BTreeSet::new();
    for Told { part, run, tellers } in told(records, &touched, &keys, (&events, now_ns)) {
        let is_touched = part.records.iter().any(|record| touched.contains(&record.facts.trace_id));
        // A run that heard something of another's key changes with it.
        if is_touched || !tellers.is_empty() {
            let mut line = run_line(project, &part, &run, (&heard, &tellers));
            line.findings = listed_findings(&part, &run, &events, now_ns);
            folded.runs.push(line);
            let traces: BTreeSet<&TraceId> =
                part.records.iter().map(|record| &record.facts.trace_id).collect();
            if is_touched && heard.came_in_pieces(traces.iter().copied()) {
                // Before its id was given or joined, a run had the id of a trace.
                folded.doubtful_run_ids.extend(traces.iter().map(ToString::to_string));
                folded.doubtful_run_ids.insert(part.run_id.clone());
            }
            written.insert(part.run_id);
        }
        runs.push(run);
    }
    folded.add_ledger(&runs, &events, (&keys, &written), &heard);
    folded
}

/// A run, with the traces of other runs that told it something.
struct Told {
    part: Part,
    run: Run,
    tellers: BTreeSet<TraceId>,
}

/// Folds the runs that are touched or use a touched key, each knowing what the others tell about its keys.
fn told(
    records: Vec<Record>,
    touched: &BTreeSet<TraceId>,
    keys: &BTreeSet<String>,
    (events, now_ns): (&[CaseEvent], u64),
) -> Vec<Told> {
    let concerned = |part: &Part| {
        part.records.iter().any(|record| {
            touched.contains(&record.facts.trace_id)
                || record.facts.key.as_ref().is_some_and(|key| keys.contains(key))
        })
    };
    let parts = runs_of(records).into_values().filter(concerned);
    let mut all: Vec<Told> = parts
        .map(|part| {
            let run = Run::of_part(&part, events, now_ns);
            Told { part, run, tellers: BTreeSet::new() }
        })
        .collect();
    let tellings: Vec<Telling> = all.iter().flat_map(|told| told.run.tellings()).collect();
    if all.len() < 2 || tellings.is_empty() {
        return all;
    }
    for told in &mut all {
        let acts = told.run.acted_under();
        let from_others = |telling: &&Telling| {
            acts.contains(telling.key.as_str()) && telling.told.origin.run_id() != Some(&told.part.run_id)
        };
        let heard: Vec<Telling> = tellings.iter().filter(from_others).cloned().collect();
        if heard.is_empty() {
            continue;
        }
        told.tellers = heard.iter().filter_map(|telling| trace_of(&telling.told.origin)).collect();
        told.part.hear(heard);
        told.run = Run::of_part(&told.part, events, now_ns);
    }
    all
}

fn trace_of(origin: &Origin) -> Option<TraceId> {
    match origin {
        Origin::Span { trace_id, .. } => Some(*trace_id),
        Origin::Event(_) | Origin::Deadline => None,
    }
}

impl Folded {
    /// Lines of the actions under these keys, and of those without a key in these runs, and of their cases.
    fn add_ledger(
        &mut self,
        runs: &[Run],
        events: &[CaseEvent],
        (keys, run_ids): (&BTreeSet<String>, &BTreeSet<String>),
        heard: &Heard,
    ) {
        let by_id: BTreeMap<&str, &Run> = runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let traces_of = |run_ids: &[String]| -> Vec<TraceId> {
            let runs = run_ids.iter().filter_map(|id| by_id.get(id.as_str()));
            runs.flat_map(|run| run.traces.iter().copied()).collect()
        };
        let ledger = Ledger::fold(&self.project, runs, events);
        let is_ours = |key: Option<&String>, run_ids_of: &[String]| match key {
            Some(key) => keys.contains(key),
            None => run_ids_of.first().is_some_and(|owner| run_ids.contains(owner)),
        };
        for action in ledger.actions {
            if !is_ours(action.key_given.then_some(&action.key), &action.run_ids) {
                continue;
            }
            let traces = traces_of(&action.run_ids);
            if heard.came_in_pieces(&traces) {
                if action.key_given {
                    self.doubtful_keys.insert(action.key.clone());
                }
                self.doubt_cases(&action);
            }
            let owner = if action.key_given { None } else { action.run_ids.first().cloned() };
            self.actions.push(ActionLine {
                project: self.project.clone(),
                precedence: heard.precedence(&traces),
                heard_ns: self.heard_ns,
                owner: owner.unwrap_or_default(),
                action,
                is_deleted: false,
            });
        }
        for case in ledger.cases {
            if is_ours(case.key.as_ref(), &case.run_ids) {
                self.doubtful_case_ids.remove(&case.case_id);
                self.cases.push(CaseLine {
                    project: self.project.clone(),
                    precedence: heard.precedence(&traces_of(&case.run_ids)),
                    heard_ns: self.heard_ns,
                    case,
                    is_deleted: false,
                });
            }
        }
    }

    /// Cases that an action may have had before all of it arrived.
    fn doubt_cases(&mut self, action: &Action) {
        let project = &self.project;
        let of_spans = action.spans.iter().map(|(trace, span)| case_id::of_span(project, *trace, *span));
        self.doubtful_case_ids.extend(of_spans);
        if action.key_given {
            self.doubtful_case_ids.insert(case_id::of_key(project, &action.tool, &action.key));
        }
    }

    /// Takes back cases that stand although nothing of them is, was or may become unknown any more.
    pub(super) fn settle_cases(&mut self, standing: &[StandingCase]) {
        let known: BTreeSet<&str> = self.cases.iter().map(|line| line.case.case_id.as_str()).collect();
        let gone = standing.iter().filter(|standing| !known.contains(standing.case_id.as_str()));
        let mut gone: Vec<CaseLine> = gone
            .map(|standing| {
                let precedence = self.precedence.max(standing.precedence);
                CaseLine::gone(&self.project, standing, self.heard_ns, precedence)
            })
            .collect();
        self.cases.append(&mut gone);
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

fn run_line(
    project: &Project,
    part: &Part,
    run: &Run,
    (heard, tellers): (&Heard, &BTreeSet<TraceId>),
) -> RunLine {
    let received = || part.records.iter().map(|record| record.received_ns);
    let traces: BTreeSet<TraceId> = part.records.iter().map(|record| record.facts.trace_id).collect();
    let mut summary = RunSummary::of(run);
    // Of every record: what the fold shows as an attempt may change, and the line with it.
    summary.received_ns = received().min().unwrap_or_default();
    RunLine {
        project: project.clone(),
        work: work_of(run, &summary),
        summary,
        about: About::all(run),
        findings: Vec::new(),
        marks: marks_of(run),
        heard_ns: received().max().unwrap_or_default(),
        precedence: heard.precedence(traces.union(tellers)),
        is_deleted: false,
    }
}
