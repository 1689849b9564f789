//! What a run has to do with an entity: which of its steps were on it, for it, or do not say for whom.
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::domain::entity::Entity;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunStep, Whole};

/// Clients that claim to start before 2015 have no clock.
const CLOCK_FROM_NS: u64 = 1_420_070_400_000_000_000;
/// How far ahead of the server a client's clock may be before its start no longer counts.
const AHEAD_NS: u64 = 3_600_000_000_000;

/// How a step has to do with an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// An attempt of it names the entity.
    On,
    /// It names none of this type, and what it was done within names the entity.
    For,
    /// It names none of this type, and its run names several: nobody can say whose it was.
    Unsaid,
}

impl Tie {
    /// The word of the API and of exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::For => "for",
            Self::Unsaid => "unsaid",
        }
    }
}

/// The entities that a step, or what it was done within, names of one type.
#[derive(Debug, Clone)]
struct Naming {
    own: bool,
    names: Rc<BTreeSet<Entity>>,
}

/// Whom each step of a run is about.
#[derive(Debug)]
pub struct Ties {
    /// One for each step: type -> entities.
    steps: Vec<BTreeMap<String, Naming>>,
    all: BTreeMap<String, Rc<BTreeSet<Entity>>>,
}

impl Ties {
    /// Reads whom each step names, and what the steps above it name.
    pub fn of(run: &Run) -> Self {
        let places: BTreeMap<&str, usize> =
            run.steps.iter().enumerate().map(|(at, step)| (step.step_id.as_str(), at)).collect();
        let own: Vec<BTreeSet<Entity>> = run.steps.iter().map(named).collect();
        let mut all: BTreeMap<String, BTreeSet<Entity>> = BTreeMap::new();
        for entity in own.iter().flatten().chain(&run.entities) {
            all.entry(entity.kind.clone()).or_default().insert(entity.clone());
        }
        let mut steps: Vec<BTreeMap<String, Naming>> = Vec::with_capacity(run.steps.len());
        for (at, (step, own)) in run.steps.iter().zip(own).enumerate() {
            let above = step.parent_step_id.as_deref().and_then(|id| places.get(id)).filter(|up| **up < at);
            let mut naming = above.and_then(|up| steps.get(*up)).cloned().unwrap_or_default();
            naming.values_mut().for_each(|naming| naming.own = false);
            let mut by_kind: BTreeMap<String, BTreeSet<Entity>> = BTreeMap::new();
            for entity in own {
                by_kind.entry(entity.kind.clone()).or_default().insert(entity);
            }
            for (kind, names) in by_kind {
                naming.insert(kind, Naming { own: true, names: Rc::new(names) });
            }
            steps.push(naming);
        }
        Self { steps, all: all.into_iter().map(|(kind, names)| (kind, Rc::new(names))).collect() }
    }

    /// What the step at this place has to do with an entity that goes by these names, all of one type.
    pub fn tie(&self, step: usize, names: &BTreeSet<Entity>) -> Option<Tie> {
        let kind = &names.first()?.kind;
        if let Some(naming) = self.steps.get(step)?.get(kind) {
            let hit = naming.names.iter().any(|name| names.contains(name));
            return hit.then_some(if naming.own { Tie::On } else { Tie::For });
        }
        let all = self.all.get(kind)?;
        if !all.iter().any(|name| names.contains(name)) {
            return None;
        }
        let sole = all.iter().all(|name| names.contains(name));
        Some(if sole { Tie::For } else { Tie::Unsaid })
    }

    /// Every entity that the run names.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.all.values().flat_map(|names| names.iter())
    }
}

/// Every entity that a step's records name, in their lists and as targets.
fn named(step: &RunStep) -> BTreeSet<Entity> {
    let records = step.attempts().flat_map(records);
    let all = records.flat_map(|record| {
        let facts = &record.facts;
        facts.entities.iter().cloned().chain(facts.target.as_deref().and_then(Entity::parse))
    });
    all.collect()
}

fn records(attempt: &Attempt) -> impl Iterator<Item = &Record> {
    let others = attempt.versions.iter().chain(&attempt.logs).chain(&attempt.transports);
    std::iter::once(&attempt.record).chain(others)
}

/// Whether steps of this kind are told of when somebody asks what was done.
pub fn is_told(kind: Kind) -> bool {
    match kind {
        Kind::Act | Kind::Read | Kind::Reconcile | Kind::Wait => true,
        Kind::Think | Kind::Agent | Kind::Transport | Kind::Other => false,
    }
}

/// When a step was first tried, nanoseconds since 1970: as its client says, or its receipt where that
/// clock lies.
pub fn step_ns(step: &RunStep) -> u64 {
    step.attempts().map(|attempt| record_ns(&attempt.record)).min().unwrap_or_default()
}

/// When a record began, as [`step_ns`].
pub fn record_ns(record: &Record) -> u64 {
    at_ns(record.facts.started_ns, record.received_ns)
}

/// A start as its client tells it, or the receipt where that clock lies. (The table of runs does the same.)
pub fn at_ns(started_ns: u64, received_ns: u64) -> u64 {
    let lies = started_ns < CLOCK_FROM_NS || started_ns > received_ns.saturating_add(AHEAD_NS);
    if lies { received_ns } else { started_ns }
}

/// How many steps of which kind and outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Acts that happened.
    pub confirmed: u64,
    /// Acts that did not.
    pub failed: u64,
    /// Acts that can't be told.
    pub unknown: u64,
    /// Acts that were sent and are not seen done.
    pub submitted: u64,
    /// Acts of which the gate held every call.
    pub held: u64,
    /// Reads.
    pub reads: u64,
    /// Look-ups that asked what became of an act.
    pub lookups: u64,
    /// Approvals and sleeps.
    pub waits: u64,
    /// Attempts at all of these.
    pub attempts: u64,
    /// Acts of these runs that name nobody where the run names several: not counted above.
    pub unsaid: u64,
}

impl Tally {
    /// Acts.
    pub fn acts(&self) -> u64 {
        self.confirmed + self.failed + self.unknown + self.submitted + self.held
    }

    /// Everything that is told of.
    pub fn steps(&self) -> u64 {
        self.acts() + self.reads + self.lookups + self.waits
    }

    /// Counts a step in.
    pub fn add(&mut self, step: &RunStep, tie: Tie) {
        if tie == Tie::Unsaid {
            self.unsaid += u64::from(step.kind == Kind::Act);
            return;
        }
        if !is_told(step.kind) {
            return;
        }
        self.attempts += step.attempts().count() as u64;
        let place = match (step.kind, step.outcome) {
            (Kind::Act, Some(Outcome::Confirmed)) => &mut self.confirmed,
            (Kind::Act, Some(Outcome::Failed)) => &mut self.failed,
            (Kind::Act, Some(Outcome::Unknown)) => &mut self.unknown,
            (Kind::Act, Some(Outcome::Submitted)) => &mut self.submitted,
            (Kind::Act, None) => &mut self.held,
            (Kind::Reconcile, _) => &mut self.lookups,
            (Kind::Wait, _) => &mut self.waits,
            (Kind::Read | Kind::Think | Kind::Agent | Kind::Transport | Kind::Other, _) => &mut self.reads,
        };
        *place += 1;
    }

    /// Adds another.
    pub fn merge(&mut self, other: &Self) {
        let Self { confirmed, failed, unknown, submitted, held, reads, lookups, waits, attempts, unsaid } =
            other;
        self.confirmed += confirmed;
        self.failed += failed;
        self.unknown += unknown;
        self.submitted += submitted;
        self.held += held;
        self.reads += reads;
        self.lookups += lookups;
        self.waits += waits;
        self.attempts += attempts;
        self.unsaid += unsaid;
    }
}

/// What one run did on or for one entity, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The entity, `type:id`.
    pub entity: String,
    /// Its steps.
    pub tally: Tally,
    /// When its submitted acts become unknown, nanoseconds since 1970, where they have a deadline.
    pub unknown_at_ns: Vec<u64>,
    /// When the first of its steps was tried; 0 when there is none.
    pub first_ns: u64,
    /// When the last was.
    pub last_ns: u64,
    /// What redaction did to their records: rule and hits.
    pub redactions: Vec<(String, u64)>,
    /// Whether the run's record is whole.
    pub complete: Whole,
    /// What is missing of it.
    pub gaps: Vec<String>,
    /// How far a client's clock ran ahead, milliseconds.
    pub skew_ms_max: u64,
}

impl About {
    /// What a run has to do with every entity that it names.
    pub fn all(run: &Run) -> Vec<Self> {
        let ties = Ties::of(run);
        let mut found: BTreeMap<&Entity, Self> =
            ties.entities().map(|entity| (entity, Self::none(run, entity.to_string()))).collect();
        for (at, step) in run.steps.iter().enumerate() {
            if !is_told(step.kind) {
                continue;
            }
            for (kind, all) in &ties.all {
                let naming = ties.steps.get(at).and_then(|naming| naming.get(kind));
                let sole = all.len() == 1;
                let (names, tie) = match naming {
                    Some(naming) if naming.own => (&naming.names, Tie::On),
                    Some(naming) => (&naming.names, Tie::For),
                    None if sole => (all, Tie::For),
                    None => (all, Tie::Unsaid),
                };
                for name in names.iter() {
                    if let Some(about) = found.get_mut(name) {
                        about.add(step, tie);
                    }
                }
            }
        }
        found.into_values().collect()
    }

    /// What a run has to do with an entity that goes by these names.
    pub fn of(run: &Run, names: &BTreeSet<Entity>, within: impl Fn(&RunStep) -> bool) -> Self {
        let ties = Ties::of(run);
        let mut about = Self::none(run, names.first().map(ToString::to_string).unwrap_or_default());
        for (at, step) in run.steps.iter().enumerate().filter(|(_, step)| is_told(step.kind) && within(step))
        {
            if let Some(tie) = ties.tie(at, names) {
                about.add(step, tie);
            }
        }
        about
    }

    fn none(run: &Run, entity: String) -> Self {
        Self {
            entity,
            tally: Tally::default(),
            unknown_at_ns: Vec::new(),
            first_ns: 0,
            last_ns: 0,
            redactions: Vec::new(),
            complete: run.completeness.verdict,
            gaps: run.completeness.gaps.clone(),
            skew_ms_max: run.completeness.skew_ms_max,
        }
    }

    fn add(&mut self, step: &RunStep, tie: Tie) {
        self.tally.add(step, tie);
        if tie == Tie::Unsaid {
            return;
        }
        let at = step_ns(step);
        self.first_ns = if self.first_ns == 0 { at } else { self.first_ns.min(at) };
        self.last_ns = self.last_ns.max(at);
        if step.outcome == Some(Outcome::Submitted) {
            self.unknown_at_ns.extend(step.attempts().filter_map(|attempt| attempt.unknown_at_ns).min());
        }
        for redaction in step.attempts().flat_map(|attempt| &attempt.record.redactions) {
            let hits = u64::from(redaction.count);
            match self.redactions.iter_mut().find(|(rule, _)| *rule == redaction.rule) {
                Some((_, count)) => *count += hits,
                None => self.redactions.push((redaction.rule.clone(), hits)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{RecordId, SpanId, TraceId};

    fn record(span: u8, parent: u8, kind: Kind, entities: &[&str]) -> Record {
        let mut record =
            Record { record_id: RecordId([span; 16]), received_ns: CLOCK_FROM_NS + 9, ..Record::default() };
        let facts = &mut record.facts;
        (facts.trace_id, facts.span_id) = (TraceId([1; 16]), SpanId([span; 8]));
        facts.parent_span_id = (parent > 0).then_some(SpanId([parent; 8]));
        (facts.kind, facts.name) = (kind, format!("step {span}"));
        facts.tool = is_told(kind).then(|| format!("tool_{span}"));
        facts.started_ns = CLOCK_FROM_NS + u64::from(span);
        facts.ended_ns = Some(facts.started_ns + 1);
        facts.entities = entities.iter().filter_map(|text| Entity::parse(text)).collect();
        record
    }

    fn ties(records: &[Record], name: &str) -> Vec<(String, Option<Tie>)> {
        let run = Run::of(records, &[], CLOCK_FROM_NS + 1_000);
        let names = [Entity::account(name)].into_iter().collect();
        let ties = Ties::of(&run);
        let told = run.steps.iter().enumerate().filter(|(_, step)| is_told(step.kind));
        told.map(|(at, step)| (step.name.clone(), ties.tie(at, &names))).collect()
    }

    #[test]
    fn an_account_named_at_the_top_is_whom_everything_below_was_for() {
        let records = [
            record(1, 0, Kind::Agent, &["account:2291"]),
            record(2, 1, Kind::Act, &[]),
            record(3, 1, Kind::Act, &["account:7"]),
            record(4, 1, Kind::Read, &["account:2291"]),
        ];
        let of = |name: &str| ties(&records, name).into_iter().map(|(_, tie)| tie).collect::<Vec<_>>();
        assert_eq!(of("2291"), [Some(Tie::For), None, Some(Tie::On)]);
        assert_eq!(of("7"), [None, Some(Tie::On), None]);
        assert_eq!(of("8"), [None, None, None]);
    }

    #[test]
    fn an_act_that_names_nobody_in_a_run_about_several_is_unsaid_and_never_lost() {
        let records = [
            record(1, 0, Kind::Agent, &[]),
            record(2, 1, Kind::Act, &["account:1"]),
            record(3, 1, Kind::Act, &["account:2"]),
            record(4, 1, Kind::Act, &[]),
        ];
        let run = Run::of(&records, &[], CLOCK_FROM_NS + 1_000);
        let all = About::all(&run);
        let of = |name: &str| all.iter().find(|about| about.entity == name).unwrap();
        for name in ["account:1", "account:2"] {
            let tally = &of(name).tally;
            assert_eq!((tally.acts(), tally.unsaid, tally.attempts), (1, 1, 1), "{name}");
            let names = [Entity::parse(name).unwrap()].into_iter().collect();
            assert_eq!(About::of(&run, &names, |_| true).tally, *tally);
        }
        assert_eq!(of("account:2").first_ns, CLOCK_FROM_NS + 3);
        // Both names are one customer: then nothing is unsaid.
        let both = ["account:1", "account:2"].iter().filter_map(|name| Entity::parse(name)).collect();
        let tally = About::of(&run, &both, |_| true).tally;
        assert_eq!((tally.acts(), tally.unsaid), (3, 0));
    }

    #[test]
    fn a_clock_that_lies_gives_way_to_the_receipt() {
        let mut early = record(2, 0, Kind::Act, &[]);
        early.facts.started_ns = 0;
        assert_eq!(record_ns(&early), early.received_ns);
        early.facts.started_ns = early.received_ns + AHEAD_NS + 1;
        assert_eq!(record_ns(&early), early.received_ns);
    }
}
