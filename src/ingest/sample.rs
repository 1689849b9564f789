//! Sampling: reads may be left out, run by run, so that a kept run is whole. Acts never are.
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::domain::finding::{Code, Finding};
use crate::domain::ids::{Project, RecordId, SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind, KindSource};
use crate::domain::step::Step;
use crate::domain::value::Value;

/// The attribute that says at which rate the reads of a record's project are kept.
const RATE: &str = "recount.kept.reads_rate";

/// The share of runs whose reads are kept, for every project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling {
    /// Of every project that has none of its own; `None`: all reads are kept.
    pub general: Option<f64>,
    /// Of single projects.
    pub projects: BTreeMap<Project, Option<f64>>,
}

impl Sampling {
    /// The share of a project.
    pub fn of(&self, project: &Project) -> Option<f64> {
        self.projects.get(project).copied().unwrap_or(self.general)
    }
}

/// A record that was read, not yet redacted.
pub(crate) type Read = (RecordId, Step);

/// Takes reads out of the runs that are not chosen, and says so on what stays. Gives back how many left in
/// traces of which nothing stayed to say it on.
pub(crate) fn sample(rate: Option<f64>, records: &mut Vec<Read>) -> u64 {
    let Some(rate) = rate.filter(|rate| *rate < 1.0) else { return 0 };
    let gone = left_out(rate, records);
    let mut counts: BTreeMap<TraceId, u64> = BTreeMap::new();
    records.retain(|(_, step)| {
        let goes = gone.contains(&place(step));
        if goes {
            *counts.entry(step.facts.trace_id).or_default() += 1;
        }
        !goes
    });
    for (_, step) in records {
        step.attributes.push((RATE.to_owned(), Value::Double(rate)));
        if let Some(count) = counts.remove(&step.facts.trace_id) {
            let noun = if count == 1 { "read was" } else { "reads were" };
            let message = format!("{count} {noun} left out by the rule sampling.reads = {rate}");
            step.facts.findings.push(Finding::new(Code::ReadsSampled, message));
        }
    }
    counts.values().sum()
}

type Place = (TraceId, SpanId);

fn place(step: &Step) -> Place {
    (step.facts.trace_id, step.facts.span_id)
}

/// Reads of runs that are not chosen, and what hangs below them and came with them.
fn left_out(rate: f64, records: &[Read]) -> BTreeSet<Place> {
    let spans = || records.iter().map(|(_, step)| step).filter(|step| step.facts.carrier == Carrier::Span);
    let needed: BTreeSet<Place> = needed(records);
    let may_go = |step: &&Step| !needed.contains(&place(step)) && !is_chosen(step.facts.trace_id, rate);
    let mut gone: BTreeSet<Place> =
        spans().filter(may_go).filter(|step| is_plain_read(step)).map(place).collect();
    // Plumbing goes only with the read that it belongs to: of any other nobody knows what stands above.
    loop {
        let below = |step: &&Step| {
            let parent = step.facts.parent_span_id.map(|parent| (step.facts.trace_id, parent));
            parent.is_some_and(|parent| gone.contains(&parent)) && !gone.contains(&place(step))
        };
        let plumbing = spans().filter(may_go).filter(|step| is_plumbing(step)).filter(below);
        let more: Vec<Place> = plumbing.map(place).collect();
        if more.is_empty() {
            return gone;
        }
        gone.extend(more);
    }
}

/// Spans that stay whatever they are: something that stays hangs below them.
fn needed(records: &[Read]) -> BTreeSet<Place> {
    let parents: BTreeMap<Place, Place> = records
        .iter()
        .filter_map(|(_, step)| Some((place(step), (step.facts.trace_id, step.facts.parent_span_id?))))
        .collect();
    let mut needed = BTreeSet::new();
    for (_, step) in records.iter().filter(|(_, step)| !(is_plain_read(step) || is_plumbing(step))) {
        let mut at = parents.get(&place(step));
        while let Some(parent) = at.filter(|parent| needed.insert(**parent)) {
            at = parents.get(parent);
        }
    }
    needed
}

/// The same for every span of a trace, whichever request brings it.
fn is_chosen(trace: TraceId, rate: f64) -> bool {
    let hash: [u8; 32] = Sha256::digest(trace.0).into();
    let share = hash.first_chunk().map_or(0, |head| u32::from_be_bytes(*head));
    f64::from(share) < rate * f64::from(u32::MAX)
}

/// A read that somebody vouches for and that is evidence for nothing: no key, no outcome, no look at an act,
/// no error, not the root of its trace.
fn is_plain_read(step: &Step) -> bool {
    let facts = &step.facts;
    let vouched = match facts.kind_source {
        KindSource::Given | KindSource::Rule | KindSource::Convention => true,
        KindSource::Inferred | KindSource::Default => false,
    };
    facts.kind == Kind::Read
        && vouched
        && facts.parent_span_id.is_some()
        && (&facts.key, &facts.verifies, &facts.compensates) == (&None, &None, &None)
        && facts.outcome.is_none()
        && facts.error.is_none()
        && facts.run_step_count.is_none()
}

fn is_plumbing(step: &Step) -> bool {
    match step.facts.kind {
        Kind::Transport | Kind::Other => step.facts.key.is_none() && step.facts.outcome.is_none(),
        Kind::Read | Kind::Think | Kind::Act | Kind::Reconcile | Kind::Wait | Kind::Agent => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::step::Facts;

    fn step(trace: u8, span: u8, parent: u8, kind: Kind) -> Read {
        let facts = Facts {
            trace_id: TraceId([trace; 16]),
            span_id: SpanId([span; 8]),
            parent_span_id: (parent > 0).then_some(SpanId([parent; 8])),
            kind,
            kind_source: KindSource::Rule,
            ..Facts::default()
        };
        (RecordId::default(), Step { facts, ..Step::default() })
    }

    fn spans(records: &[Read]) -> Vec<u8> {
        records.iter().map(|(_, step)| step.facts.span_id.0[0]).collect()
    }

    #[test]
    fn acts_stay_exact_and_reads_go_with_their_plumbing() {
        let run = || {
            vec![
                step(1, 1, 0, Kind::Agent),
                step(1, 2, 1, Kind::Read),
                step(1, 3, 2, Kind::Transport),
                step(1, 4, 1, Kind::Act),
                step(1, 5, 4, Kind::Transport),
                step(1, 6, 9, Kind::Transport),
                step(1, 7, 1, Kind::Other),
                step(1, 8, 1, Kind::Think),
            ]
        };
        let mut none = run();
        assert_eq!(sample(Some(0.0), &mut none), 0);
        assert_eq!(spans(&none), [1, 4, 5, 6, 7, 8]);
        let said = &none[0].1.facts.findings[0];
        assert_eq!(said.code, Code::ReadsSampled);
        assert_eq!(said.message, "2 reads were left out by the rule sampling.reads = 0");
        assert!(none.iter().all(|(_, step)| step.attributes[0].0 == RATE));
        for rate in [None, Some(1.0)] {
            let mut all = run();
            assert_eq!((sample(rate, &mut all), all.len()), (0, 8));
        }
    }

    #[test]
    fn a_read_that_is_evidence_or_stands_above_an_act_stays() {
        let with = |change: fn(&mut Facts)| {
            let mut read = step(1, 2, 1, Kind::Read);
            change(&mut read.1.facts);
            let mut records = vec![read];
            sample(Some(0.0), &mut records);
            records.len()
        };
        assert_eq!(with(|_| {}), 0);
        for change in [
            (|facts| facts.verifies = Some("s".to_owned())) as fn(&mut Facts),
            |facts| facts.key = Some("k".to_owned()),
            |facts| facts.kind_source = KindSource::Inferred,
            |facts| facts.error = Some(crate::domain::step::Failure::default()),
            |facts| facts.parent_span_id = None,
        ] {
            assert_eq!(with(change), 1);
        }
        let mut above = vec![step(1, 2, 1, Kind::Read), step(1, 3, 2, Kind::Other), step(1, 4, 3, Kind::Act)];
        sample(Some(0.0), &mut above);
        assert_eq!(spans(&above), [2, 3, 4]);
    }

    #[test]
    fn runs_are_chosen_whole_and_at_the_rate() {
        let mut records: Vec<Read> = (0..=255)
            .flat_map(|trace| [step(trace, 1, 9, Kind::Read), step(trace, 2, 9, Kind::Read)])
            .collect();
        let alone = sample(Some(0.5), &mut records);
        assert_eq!(alone, 512 - records.len() as u64, "what left whole traces is counted");
        assert_eq!(records.len() % 2, 0);
        assert!((150..=360).contains(&records.len()), "{} of 512 were kept", records.len());
    }
}
