//! What became of acts afterwards: look-ups, read-backs, repeats under one key, and what people and jobs
//! resolved. An attempt's own outcome is never rewritten; what it became stands beside it.
use std::collections::{BTreeMap, HashMap};

use crate::domain::case::{CaseAct, CaseEvent};
use crate::domain::fold::answer::Answer;
use crate::domain::fold::arena::Arena;
use crate::domain::fold::draft::{Draft, Try};
use crate::domain::fold::limits::LOOK_TARGETS_MAX;
use crate::domain::fold::node::Node;
use crate::domain::fold::outcome::Told;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};

/// What settling looks at.
pub(super) struct Settling<'a> {
    pub(super) nodes: &'a Arena<Node<'a>>,
    pub(super) told: &'a Arena<Told>,
    pub(super) events: &'a [CaseEvent],
    pub(super) run_id: &'a str,
}

/// What a look-up found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// It happened.
    Done,
    /// It did not happen.
    NotDone,
    /// It answered, and does not say.
    Silent,
}

/// One thing that moves an act's state, at its time.
#[derive(Debug, Clone, Copy)]
enum Move<'a> {
    Look { node: usize, found: Found, only: Option<usize> },
    Event(&'a CaseEvent),
}

/// Moves by draft, each with its time and a tie-break that no order of arrival changes.
type Moves<'a> = BTreeMap<usize, Vec<((u64, bool, Tie<'a>), Move<'a>)>>;

/// What decides among moves at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie<'a> {
    Span(TraceId, SpanId),
    Event(&'a str),
}

impl<'a> Settling<'a> {
    /// Settles every act, then says what counts now for every step.
    pub(super) fn settle(&self, drafts: &mut Arena<Draft>) {
        let moves = self.moves(drafts);
        for (draft, mut moves) in moves {
            moves.sort_by(|a, b| a.0.cmp(&b.0));
            let mut closed = false;
            for ((at, ..), step) in moves {
                match step {
                    Move::Look { node, found, only } => self.look(&mut drafts[draft], node, (found, only)),
                    Move::Event(event) => event_moves(&mut drafts[draft], event, &mut closed, self.nodes, at),
                }
            }
        }
        self.repeats(drafts);
        for draft in drafts.iter_mut() {
            let (outcome, evidence) = self.counts(draft);
            draft.outcome = outcome;
            draft.evidence = evidence;
        }
    }

    fn moves(&self, drafts: &mut Arena<Draft>) -> Moves<'a> {
        let mut moves: Moves<'a> = BTreeMap::new();
        let asks = |node: &Node<'_>| node.kind == Kind::Reconcile || node.facts().verifies.is_some();
        if self.events.is_empty() && !self.nodes.iter().any(asks) {
            return moves;
        }
        let index = Index::of(drafts, self.nodes);
        for id in drafts.ids() {
            let mut verifies = None;
            for attempt in &drafts[id].tries {
                let node = &self.nodes[attempt.node];
                if !asks(node) {
                    continue;
                }
                let found = self.found(attempt.node);
                let at = (node.end.unwrap_or(node.start), false, Tie::Span(node.trace, node.span));
                for (target, only) in index.targets(node, drafts, self.nodes) {
                    if target == id {
                        continue;
                    }
                    verifies = verifies.or(Some(target));
                    if let Some(found) = found {
                        let look = Move::Look { node: attempt.node, found, only };
                        moves.entry(target).or_default().push((at, look));
                    }
                }
            }
            drafts[id].verifies = verifies;
        }
        for event in self.events {
            for target in index.of_event(event, self.run_id) {
                let at = (event.at_ns, true, Tie::Event(&event.event_id));
                moves.entry(target).or_default().push((at, Move::Event(event)));
            }
        }
        moves
    }

    /// What a look-up found; `None` when it got no answer itself, which proves nothing either way.
    fn found(&self, id: usize) -> Option<Found> {
        let node = &self.nodes[id];
        let said = node.facts().outcome;
        if !matches!(self.told[id].answer, Answer::Fine | Answer::Accepted) || (node.open && said.is_none()) {
            return None;
        }
        Some(match said {
            Some(Outcome::Confirmed) => Found::Done,
            Some(Outcome::Failed) => Found::NotDone,
            Some(Outcome::Submitted | Outcome::Unknown) | None => Found::Silent,
        })
    }

    fn look(&self, draft: &mut Draft, node: usize, (found, only): (Found, Option<usize>)) {
        let look = &self.nodes[node];
        let reconcile = look.kind == Kind::Reconcile;
        let evidence = if reconcile { Evidence::Reconcile } else { Evidence::ReadBack };
        let at = look.end.unwrap_or(look.start);
        let explicit = look.facts().verifies.is_some();
        // Silence about an act that it does not name says nothing at all.
        if found == Found::Silent && !explicit {
            return;
        }
        draft.looked_up += 1;
        let before = |attempt: &Try| self.nodes[attempt.node].start <= at;
        let named = |attempt: &Try| attempt.outcome.is_some() && only.is_none_or(|only| attempt.node == only);
        let any_before = draft.tries.iter().any(|attempt| attempt.outcome.is_some() && before(attempt));
        // Clocks differ: a look-up that names this act, and is older than all of it, is about its first try.
        let first = draft.tries.iter().position(named).filter(|_| explicit && !any_before);
        let eligible: Vec<bool> = draft
            .tries
            .iter()
            .enumerate()
            .map(|(place, attempt)| named(attempt) && (before(attempt) || first == Some(place)))
            .collect();
        let mut meant: Vec<&mut Try> = draft
            .tries
            .iter_mut()
            .zip(eligible)
            .filter_map(|(attempt, meant)| meant.then_some(attempt))
            .collect();
        draft.contradicted |= match found {
            Found::Done => self.done(&mut meant, evidence, at),
            Found::NotDone => not_done(&mut meant, reconcile, evidence, at),
            Found::Silent => self.silent(meant, evidence),
        };
    }

    /// It is there: the last open attempt made it, and all others under the same key with it.
    fn done(&self, meant: &mut [&mut Try], evidence: Evidence, at: u64) -> bool {
        let any_open = meant.iter().any(|attempt| is_open(attempt));
        let Some(last) = meant.iter().rposition(|attempt| !any_open || is_open(attempt)) else {
            return false;
        };
        let key = meant.get(last).and_then(|attempt| self.key(attempt)).map(str::to_owned);
        for (place, attempt) in meant.iter_mut().enumerate() {
            let same = key.is_some() && self.key(attempt) == key.as_deref() && is_open(attempt);
            if place == last || same {
                // Somebody closed it as not done: now nobody knows, and the case is open again.
                let closed = attempt.now == Some((Outcome::Failed, Evidence::Resolution));
                let outcome = if closed { Outcome::Unknown } else { Outcome::Confirmed };
                attempt.now = Some((outcome, evidence));
                attempt.settled_ns = Some(at);
            }
        }
        false
    }

    /// It answered without saying so: what was only confirmed by an answer is not confirmed by it.
    fn silent(&self, meant: Vec<&mut Try>, evidence: Evidence) -> bool {
        let Some(attempt) = meant.into_iter().next_back() else { return false };
        let by_status = self.told[attempt.node].evidence == Some(Evidence::Status);
        let doubtful = by_status && attempt.now.is_none() && attempt.outcome != Some(Outcome::Unknown);
        if doubtful {
            attempt.now = Some((Outcome::Unknown, evidence));
        }
        doubtful
    }

    /// A repeat under the same key is the same effect: once the provider confirms either, both are settled.
    fn repeats(&self, drafts: &mut Arena<Draft>) {
        let mut confirmed: HashMap<(&str, &str), Evidence> = HashMap::new();
        for draft in drafts.iter() {
            for attempt in
                draft.tries.iter().filter(|attempt| attempt.effective() == Some(Outcome::Confirmed))
            {
                let facts = self.nodes[attempt.node].facts();
                let own = self.told[attempt.node].evidence;
                let evidence = attempt.now.map(|(_, evidence)| evidence).or(own).unwrap_or(Evidence::Status);
                if let (Some(tool), Some(key)) = (facts.tool.as_deref(), facts.key.as_deref())
                    && facts.key_expires_ns.is_none_or(|expires| self.nodes[attempt.node].start < expires)
                {
                    let best = confirmed.entry((tool, key)).or_insert(evidence);
                    *best = (*best).min(evidence);
                }
            }
        }
        for draft in drafts.iter_mut() {
            for attempt in draft.tries.iter_mut() {
                let open = attempt.effective().is_some_and(Outcome::blocks_retry);
                let facts = self.nodes[attempt.node].facts();
                let (Some(tool), Some(key)) = (facts.tool.as_deref(), facts.key.as_deref()) else { continue };
                if let Some(evidence) = confirmed.get(&(tool, key)).filter(|_| open && attempt.now.is_none())
                {
                    attempt.now = Some((Outcome::Confirmed, *evidence));
                }
            }
        }
    }

    fn key(&self, attempt: &Try) -> Option<&str> {
        self.nodes[attempt.node].facts().key.as_deref()
    }

    /// The outcome that counts: the worst open one, else confirmed if any attempt is, else the last.
    fn counts(&self, draft: &Draft) -> (Option<Outcome>, Option<Evidence>) {
        let rank = |outcome: Outcome| match outcome {
            Outcome::Unknown => 3,
            Outcome::Submitted => 2,
            Outcome::Confirmed => 1,
            Outcome::Failed => 0,
        };
        let counting = draft
            .tries
            .iter()
            .filter_map(|attempt| Some((rank(attempt.effective()?), attempt)))
            .max_by_key(|(rank, _)| *rank);
        let Some((_, attempt)) = counting else { return (None, None) };
        let evidence = attempt.now.map(|(_, evidence)| evidence).or(self.told[attempt.node].evidence);
        (attempt.effective(), evidence)
    }
}

/// It is not there: what was open did not happen, and what was answered well is in doubt.
fn not_done(meant: &mut [&mut Try], reconcile: bool, evidence: Evidence, at: u64) -> bool {
    let any_open = meant.iter().any(|attempt| is_open(attempt));
    let mut contradicted = false;
    for attempt in meant {
        let doubtful = match attempt.effective() {
            Some(Outcome::Unknown) => false,
            Some(Outcome::Submitted) => !reconcile,
            Some(Outcome::Confirmed) if !any_open => true,
            Some(Outcome::Confirmed | Outcome::Failed) | None => continue,
        };
        contradicted |= doubtful;
        attempt.now = Some((if doubtful { Outcome::Unknown } else { Outcome::Failed }, evidence));
        attempt.settled_ns = Some(at);
    }
    contradicted
}

fn is_open(attempt: &Try) -> bool {
    attempt.effective().is_some_and(Outcome::blocks_retry)
}

fn event_moves(draft: &mut Draft, event: &CaseEvent, closed: &mut bool, nodes: &Arena<Node<'_>>, at: u64) {
    match &event.act {
        CaseAct::Resolve { outcome, .. } if !*closed => {
            *closed = true;
            draft.resolved = true;
            for attempt in &mut draft.tries {
                let key = nodes[attempt.node].facts().key.as_deref();
                let meant = event.key.as_deref().is_none_or(|meant| key == Some(meant));
                if meant && attempt.effective().is_some_and(Outcome::blocks_retry) {
                    attempt.now = Some((*outcome, Evidence::Resolution));
                    attempt.settled_ns = Some(at);
                }
            }
        }
        CaseAct::Reopen(_) => {
            *closed = false;
            draft.resolved = false;
            for attempt in &mut draft.tries {
                if attempt.now.is_some_and(|(_, evidence)| evidence == Evidence::Resolution) {
                    attempt.now = None;
                    attempt.settled_ns = None;
                }
            }
        }
        // Of two that close at once the first counts; the second was answered with a conflict.
        CaseAct::Resolve { .. } | CaseAct::Claim | CaseAct::Comment(_) => {}
    }
}

/// Finds the acts that a look-up or a case event is about.
struct Index {
    by_step: HashMap<String, usize>,
    by_span: HashMap<SpanId, (usize, usize)>,
    by_key: HashMap<String, Vec<usize>>,
    by_target: HashMap<String, Vec<usize>>,
}

impl Index {
    fn of(drafts: &Arena<Draft>, nodes: &Arena<Node<'_>>) -> Self {
        let mut index = Self {
            by_step: HashMap::new(),
            by_span: HashMap::new(),
            by_key: HashMap::new(),
            by_target: HashMap::new(),
        };
        for id in drafts.ids() {
            index.by_step.insert(drafts[id].step_id.clone(), id);
            for attempt in &drafts[id].tries {
                let node = &nodes[attempt.node];
                index.by_span.entry(node.span).or_insert((id, attempt.node));
                if node.kind != Kind::Act {
                    continue;
                }
                let facts = node.facts();
                if let Some(key) = &facts.key {
                    push_new(index.by_key.entry(key.clone()).or_default(), id);
                }
                if let Some(target) = &facts.target {
                    push_new(index.by_target.entry(target.clone()).or_default(), id);
                }
            }
        }
        index
    }

    /// The acts that a look-up is about, and the one attempt where it names a span.
    fn targets(
        &self,
        look: &Node<'_>,
        drafts: &Arena<Draft>,
        nodes: &Arena<Node<'_>>,
    ) -> Vec<(usize, Option<usize>)> {
        let facts = look.facts();
        if let Some(named) = &facts.verifies {
            if let Some(step) = self.by_step.get(named) {
                return vec![(*step, None)];
            }
            if let Some((step, node)) = self.span(named) {
                return vec![(*step, Some(*node))];
            }
            return self.by_key.get(named).into_iter().flatten().map(|step| (*step, None)).collect();
        }
        let began =
            |step: &usize| drafts[*step].first().is_some_and(|first| nodes[first].start <= look.start);
        let same_key = facts.key.as_ref().and_then(|key| self.by_key.get(key));
        let found = same_key.or_else(|| facts.target.as_ref().and_then(|target| self.by_target.get(target)));
        let found = found.map(Vec::as_slice).unwrap_or_default().iter().rev().copied();
        found.filter(began).take(LOOK_TARGETS_MAX).map(|step| (step, None)).collect()
    }

    fn span(&self, id: &str) -> Option<&(usize, usize)> {
        self.by_span.get(&SpanId::parse(id)?)
    }

    fn of_event(&self, event: &CaseEvent, run_id: &str) -> Vec<usize> {
        if let Some(key) = &event.key {
            return self.by_key.get(key).cloned().unwrap_or_default();
        }
        if event.run_id != run_id {
            return Vec::new();
        }
        let step = self.by_step.get(&event.step_id).copied();
        step.or_else(|| self.span(&event.step_id).map(|(step, _)| *step)).into_iter().collect()
    }
}

fn push_new(acts: &mut Vec<usize>, id: usize) {
    if acts.last() != Some(&id) {
        acts.push(id);
    }
}
