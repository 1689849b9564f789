//! Steps while they are being folded: attempts with numbers, and what became of each.
use std::collections::{BTreeSet, HashSet};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::limits::MISSING_SLOTS_MAX;
use crate::domain::fold::linking::Linked;
use crate::domain::fold::node::Node;
use crate::domain::fold::outcome::Told;
use crate::domain::ids::SpanId;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{Move, Origin};
use crate::domain::run::Look;

/// A step before it is shown.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) step_id: String,
    pub(super) kind: Kind,
    /// In number order.
    pub(super) tries: Vec<Try>,
    /// Numbers that must have existed.
    pub(super) missing: Vec<u32>,
    /// How many numbers are missing, also where they are too many for a place each.
    pub(super) missing_count: u64,
    /// A number came twice.
    pub(super) restarted: bool,
    pub(super) outcome: Option<Outcome>,
    pub(super) evidence: Option<Evidence>,
    /// How often somebody asked for the truth of it and got an answer.
    pub(super) looked_up: usize,
    /// Everybody who asked, answered or not.
    pub(super) looks: Vec<Look>,
    /// A read-back or look-up disagrees with what was answered.
    pub(super) contradicted: bool,
    /// A person or job closed its case.
    pub(super) resolved: bool,
    /// The step whose truth it asks for, found.
    pub(super) verifies: Option<usize>,
}

/// An attempt before it is shown.
#[derive(Debug)]
pub(super) struct Try {
    pub(super) node: usize,
    pub(super) number: u32,
    pub(super) given: bool,
    pub(super) link: Option<&'static str>,
    pub(super) outcome: Option<Outcome>,
    pub(super) now: Option<(Outcome, Evidence)>,
    /// When that was found out.
    pub(super) settled_ns: Option<u64>,
    /// How its state came to be.
    pub(super) path: Vec<Move>,
}

/// Who or what moves an act's state, when and why.
#[derive(Debug, Clone)]
pub(super) struct Mover {
    pub(super) at_ns: u64,
    pub(super) by: String,
    pub(super) evidence: Evidence,
    pub(super) origin: Origin,
}

impl Mover {
    /// The move to a state.
    pub(super) fn to(&self, state: Outcome) -> Move {
        let Self { at_ns, by, evidence, origin } = self.clone();
        Move { state, at_ns, by, evidence, origin }
    }
}

impl Try {
    /// What counts now.
    pub(super) fn effective(&self) -> Option<Outcome> {
        self.now.map(|(outcome, _)| outcome).or(self.outcome)
    }

    /// Whether it may have happened, as far as is known now.
    pub(super) fn is_open(&self) -> bool {
        self.effective().is_some_and(Outcome::blocks_retry)
    }

    /// It became this.
    pub(super) fn settle(&mut self, outcome: Outcome, mover: &Mover) {
        self.now = Some((outcome, mover.evidence));
        self.settled_ns = Some(mover.at_ns);
        self.path.push(mover.to(outcome));
    }

    /// What was found out counts no more: it is unknown again.
    pub(super) fn reopen(&mut self, mover: &Mover) {
        let own = self.outcome == Some(Outcome::Unknown);
        self.now = (!own).then_some((Outcome::Unknown, mover.evidence));
        self.settled_ns = None;
        self.path.push(mover.to(Outcome::Unknown));
    }
}

impl Draft {
    /// The first attempt that we have: steps hold at least one.
    pub(super) fn first(&self) -> Option<usize> {
        self.tries.first().map(|attempt| attempt.node)
    }
}

/// Makes drafts of linked attempts; each gets an id that no other step of the run has.
pub(super) fn drafts(linked: Vec<Linked>, nodes: &Arena<Node<'_>>, told: &Arena<Told>) -> Arena<Draft> {
    let ids = step_ids(&linked, nodes);
    let drafts: Vec<Draft> = linked
        .into_iter()
        .zip(ids)
        .map(|(step, step_id)| {
            let kind = kind(step.tries.iter().map(|(id, _)| nodes[*id].kind));
            let (tries, restarted) = number(&step, nodes, told);
            let (missing, missing_count) = missing(&tries);
            Draft {
                step_id,
                kind,
                tries,
                missing,
                missing_count,
                restarted,
                outcome: None,
                evidence: None,
                looked_up: 0,
                looks: Vec::new(),
                contradicted: false,
                resolved: false,
                verifies: None,
            }
        })
        .collect();
    drafts.into()
}

/// The kind of a step whose attempts are read differently: the one that is most dangerous to overlook.
fn kind(kinds: impl Iterator<Item = Kind>) -> Kind {
    kinds.min_by_key(|kind| weight(*kind)).unwrap_or_default()
}

fn weight(kind: Kind) -> u8 {
    match kind {
        Kind::Act => 0,
        Kind::Reconcile => 1,
        Kind::Read => 2,
        Kind::Think => 3,
        Kind::Wait => 4,
        Kind::Agent => 5,
        Kind::Transport => 6,
        Kind::Other => 7,
    }
}

/// Given ids go to acts before others that carry the same; then span ids, made longer where two traces
/// share one.
fn step_ids(linked: &[Linked], nodes: &Arena<Node<'_>>) -> Vec<String> {
    let mut order: Vec<usize> = (0..linked.len()).collect();
    let rank = |step: &Linked| {
        let first = step.tries.first().map(|(id, _)| *id);
        let weight = first.map(|id| weight(nodes[id].kind));
        (step.given.is_none(), weight, first.map(|id| nodes[id].order()))
    };
    let linked: Arena<&Linked> = linked.iter().collect::<Vec<_>>().into();
    order.sort_by_cached_key(|step| rank(linked[*step]));
    let mut named: HashSet<&str> = HashSet::new();
    let mut spans: HashSet<SpanId> = HashSet::new();
    let mut ids: Arena<String> = Arena::beside(&linked, String::new());
    for step in order {
        let Some(node) = linked[step].tries.first().map(|(first, _)| &nodes[*first]) else { continue };
        let given = linked[step].given.as_deref().filter(|given| named.insert(given));
        ids[step] = match given {
            Some(given) => {
                // A given id may read like a span id: then that span's step needs a longer one.
                spans.extend(SpanId::parse(given));
                given.to_owned()
            }
            None if spans.insert(node.span) => node.span.to_string(),
            None => format!("{}-{}", node.trace, node.span),
        };
    }
    ids.into_vec()
}

/// Numbers attempts: given numbers stay, others continue from the one before.
fn number(step: &Linked, nodes: &Arena<Node<'_>>, told: &Arena<Told>) -> (Vec<Try>, bool) {
    let given: Vec<u32> = step.tries.iter().filter_map(|(id, _)| nodes[*id].facts().attempt).collect();
    let taken: BTreeSet<u32> = given.iter().copied().collect();
    let restarted = taken.len() < given.len();
    let mut last = 0_u32;
    let mut tries: Vec<Try> = step
        .tries
        .iter()
        .map(|(id, link)| {
            let said = nodes[*id].facts().attempt;
            last = said.unwrap_or_else(|| next_free(last, &taken));
            Try {
                node: *id,
                number: last,
                given: said.is_some(),
                link: *link,
                outcome: told[*id].outcome,
                now: None,
                settled_ns: None,
                path: Vec::new(),
            }
        })
        .collect();
    if !restarted {
        tries.sort_by_key(|attempt| attempt.number);
        let link = tries.iter().find_map(|attempt| attempt.link);
        for (place, attempt) in tries.iter_mut().enumerate() {
            // Numbers may order attempts differently from their starts; the rule stays on all but the first.
            attempt.link = if place == 0 { None } else { attempt.link.or(link) };
        }
    }
    (tries, restarted)
}

fn next_free(last: u32, taken: &BTreeSet<u32>) -> u32 {
    let mut next = last.saturating_add(1);
    for number in taken.range(next..) {
        if *number != next {
            break;
        }
        next = next.saturating_add(1);
    }
    next
}

/// The numbers between the attempts that we have, and how many there are in all.
fn missing(tries: &[Try]) -> (Vec<u32>, u64) {
    let mut numbers: BTreeSet<u32> = tries.iter().map(|attempt| attempt.number).collect();
    if tries.iter().all(|attempt| !attempt.given) {
        return (Vec::new(), 0);
    }
    numbers.remove(&0);
    let mut places = Vec::new();
    let mut count = 0;
    let mut expected = 1_u32;
    for number in numbers {
        count += u64::from(number - expected);
        let room = MISSING_SLOTS_MAX.saturating_sub(places.len());
        places.extend((expected..number).take(room));
        expected = number.saturating_add(1);
    }
    (places, count)
}
