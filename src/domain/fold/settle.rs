//! What became of acts afterwards: look-ups, read-backs, repeats under one key, and what people and jobs
//! resolved. An attempt's own outcome is never rewritten; what it became stands beside it.
use std::collections::{BTreeMap, HashMap};

use crate::domain::case::{CaseEvent, lapsed};
use crate::domain::fold::answer::Answer;
use crate::domain::fold::arena::Arena;
use crate::domain::fold::closing::Closing;
use crate::domain::fold::draft::{Draft, Mover, Try};
use crate::domain::fold::limits::LOOK_TARGETS_MAX;
use crate::domain::fold::node::Node;
use crate::domain::fold::outcome::Told;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{Move as Moved, Origin, Telling};
use crate::domain::run::Look;

/// What settling looks at.
pub(super) struct Settling<'a> {
    pub(super) nodes: &'a Arena<Node<'a>>,
    pub(super) told: &'a Arena<Told>,
    pub(super) events: &'a [CaseEvent],
    /// What other runs tell about keys of this one.
    pub(super) tellings: &'a [Telling],
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
    Telling(&'a Telling),
    Event(&'a CaseEvent),
}

/// Moves by draft, each with its time and a tie-break that no order of arrival changes.
type Moves<'a> = BTreeMap<usize, Vec<((u64, bool, Tie<'a>), Move<'a>)>>;

/// What decides among moves at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie<'a> {
    Span(TraceId, SpanId),
    Event(&'a str),
    Telling(&'a Origin),
}

impl<'a> Settling<'a> {
    /// Settles every act, then says what counts now for every step.
    pub(super) fn settle(&self, drafts: &mut Arena<Draft>) {
        for draft in drafts.iter_mut() {
            draft.tries.iter_mut().for_each(|attempt| attempt.path = self.own_moves(attempt));
        }
        let moves = self.moves(drafts);
        for (draft, mut moves) in moves {
            moves.sort_by(|a, b| a.0.cmp(&b.0));
            let mut closing = Closing::default();
            for (_, step) in moves {
                let draft = &mut drafts[draft];
                match step {
                    Move::Look { node, found, only } => self.look(draft, node, (found, only)),
                    Move::Telling(telling) => self.hear(draft, telling),
                    Move::Event(event) => closing.take(draft, event, self.nodes),
                }
            }
        }
        self.repeats(drafts);
        for draft in drafts.iter_mut() {
            draft.tries.iter_mut().for_each(put_in_order);
            let (outcome, evidence) = self.counts(draft);
            draft.outcome = outcome;
            draft.evidence = evidence;
        }
    }

    /// How an attempt's own outcome came to be: it was sent, and then it was answered, or not.
    fn own_moves(&self, attempt: &Try) -> Vec<Moved> {
        let (node, told) = (&self.nodes[attempt.node], &self.told[attempt.node]);
        let Some(outcome) = attempt.outcome else { return Vec::new() };
        let sent = self.mover(node, Evidence::Given, node.start).to(Outcome::Submitted);
        if outcome == Outcome::Submitted {
            return vec![sent];
        }
        let evidence = told.evidence.unwrap_or(Evidence::Given);
        match told.lapses_at.filter(|_| outcome == Outcome::Unknown) {
            Some(at) => vec![sent, lapsed(at)],
            None => vec![sent, self.mover(node, evidence, node.end.unwrap_or(node.start)).to(outcome)],
        }
    }

    /// The worker of a span as what moves a state.
    fn mover(&self, node: &Node<'_>, evidence: Evidence, at_ns: u64) -> Mover {
        let facts = node.facts();
        let by = facts.worker.as_deref().or(facts.agent.as_deref()).or(facts.service.as_deref());
        let origin =
            Origin::Span { run_id: self.run_id.to_owned(), trace_id: node.trace, span_id: node.span };
        Mover { at_ns, by: by.unwrap_or("runtime").to_owned(), evidence, origin }
    }

    fn moves(&self, drafts: &mut Arena<Draft>) -> Moves<'a> {
        let mut moves: Moves<'a> = BTreeMap::new();
        let asks = |node: &Node<'_>| node.kind == Kind::Reconcile || node.facts().verifies.is_some();
        let is_told = !self.events.is_empty() || !self.tellings.is_empty();
        if !is_told && !self.nodes.iter().any(asks) {
            return moves;
        }
        let index = Index::of(drafts, self.nodes);
        let mut looks = Vec::new();
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
                    looks.push((target, Look { at_ns: at.0, answered: found.is_some(), span_id: node.span }));
                    if let Some(found) = found {
                        let look = Move::Look { node: attempt.node, found, only };
                        moves.entry(target).or_default().push((at, look));
                    }
                }
            }
            drafts[id].verifies = verifies;
        }
        for (target, look) in looks {
            drafts[target].looks.push(look);
        }
        for event in self.events {
            for target in index.of_event(event, self.nodes) {
                let at = (event.at_ns, true, Tie::Event(&event.event_id));
                moves.entry(target).or_default().push((at, Move::Event(event)));
            }
        }
        for telling in self.tellings {
            for target in index.by_key.get(&telling.key).into_iter().flatten() {
                let at = (telling.told.at_ns, false, Tie::Telling(&telling.told.origin));
                moves.entry(*target).or_default().push((at, Move::Telling(telling)));
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
        let mover = self.mover(look, evidence, at);
        let (contradicted, reopened) = match found {
            Found::Done => (false, self.done(&mut meant, &mover)),
            Found::NotDone => twice(not_done(&mut meant, reconcile, &mover)),
            Found::Silent => twice(self.silent(meant, &mover)),
        };
        draft.contradicted |= contradicted;
        draft.resolved &= !reopened;
    }

    /// Another run tells what became of an act under the same key.
    fn hear(&self, draft: &mut Draft, telling: &Telling) {
        let told = &telling.told;
        let mover = Mover {
            at_ns: told.at_ns,
            by: told.by.clone(),
            evidence: told.evidence,
            origin: told.origin.clone(),
        };
        let is_look = matches!(told.evidence, Evidence::Reconcile | Evidence::ReadBack);
        let meant = |attempt: &Try| {
            let node = &self.nodes[attempt.node];
            let facts = node.facts();
            let same_tool = telling.tool.is_none() || telling.tool == facts.tool;
            let kept = is_look || facts.key_expires_ns.is_none_or(|expires| told.at_ns < expires);
            attempt.outcome.is_some()
                && facts.key.as_deref() == Some(telling.key.as_str())
                && same_tool
                && kept
                && node.start <= told.at_ns
        };
        let mut meant: Vec<&mut Try> = draft.tries.iter_mut().filter(|attempt| meant(attempt)).collect();
        let reopened = match told.state {
            Outcome::Confirmed if is_look => self.done(&mut meant, &mover),
            Outcome::Confirmed => {
                // An attempt elsewhere that went well says nothing about one that was refused here.
                let open = meant.into_iter().filter(|attempt| attempt.is_open());
                open.for_each(|attempt| attempt.settle(Outcome::Confirmed, &mover));
                false
            }
            Outcome::Failed => not_done(&mut meant, true, &mover),
            Outcome::Submitted | Outcome::Unknown => false,
        };
        draft.looked_up += usize::from(is_look);
        draft.resolved &= !reopened;
    }

    /// It is there: the last open attempt made it, and all others under the same key with it. Whether that
    /// contradicts a resolution.
    fn done(&self, meant: &mut [&mut Try], mover: &Mover) -> bool {
        let any_open = meant.iter().any(|attempt| attempt.is_open());
        let Some(last) = meant.iter().rposition(|attempt| !any_open || attempt.is_open()) else {
            return false;
        };
        let key = meant.get(last).and_then(|attempt| self.key(attempt)).map(str::to_owned);
        let confirmed = |attempt: &Try| attempt.effective() == Some(Outcome::Confirmed);
        let any_confirmed = key.is_some() && meant.iter().any(|attempt| confirmed(attempt));
        let mut reopened = false;
        for (place, attempt) in meant.iter_mut().enumerate() {
            let same = key.is_some() && self.key(attempt) == key.as_deref() && attempt.is_open();
            if attempt.now == Some((Outcome::Confirmed, Evidence::Resolution)) {
                // It agrees with what somebody found out before.
                continue;
            }
            if place == last || same {
                // Somebody closed it as not done: now nobody knows, and the case is open again.
                let closed = attempt.now == Some((Outcome::Failed, Evidence::Resolution)) && !any_confirmed;
                reopened |= closed;
                attempt.settle(if closed { Outcome::Unknown } else { Outcome::Confirmed }, mover);
            }
        }
        reopened
    }

    /// It answered without saying so: what was only confirmed by an answer is not confirmed by it.
    fn silent(&self, meant: Vec<&mut Try>, mover: &Mover) -> bool {
        let Some(attempt) = meant.into_iter().next_back() else { return false };
        let by_status = self.told[attempt.node].evidence == Some(Evidence::Status);
        let doubtful = by_status && attempt.now.is_none() && attempt.outcome != Some(Outcome::Unknown);
        if doubtful {
            attempt.settle(Outcome::Unknown, mover);
        }
        doubtful
    }

    /// A repeat under the same key is the same effect: once the provider confirms either, both are settled.
    fn repeats(&self, drafts: &mut Arena<Draft>) {
        let mut confirmed: HashMap<(&str, &str), Mover> = HashMap::new();
        for draft in drafts.iter() {
            for attempt in
                draft.tries.iter().filter(|attempt| attempt.effective() == Some(Outcome::Confirmed))
            {
                let node = &self.nodes[attempt.node];
                let facts = node.facts();
                let own = self.told[attempt.node].evidence;
                let evidence = attempt.now.map(|(_, evidence)| evidence).or(own).unwrap_or(Evidence::Status);
                if let (Some(tool), Some(key)) = (facts.tool.as_deref(), facts.key.as_deref())
                    && facts.key_expires_ns.is_none_or(|expires| node.start < expires)
                {
                    let at_ns = attempt.settled_ns.or(node.end).unwrap_or(node.start);
                    let mover = self.mover(node, evidence, at_ns);
                    let best = confirmed.entry((tool, key)).or_insert_with(|| mover.clone());
                    if evidence < best.evidence {
                        *best = mover;
                    }
                }
            }
        }
        for draft in drafts.iter_mut() {
            for attempt in draft.tries.iter_mut() {
                let facts = self.nodes[attempt.node].facts();
                let (Some(tool), Some(key)) = (facts.tool.as_deref(), facts.key.as_deref()) else { continue };
                if attempt.is_open()
                    && attempt.now.is_none()
                    && let Some(mover) = confirmed.get(&(tool, key))
                {
                    attempt.now = Some((Outcome::Confirmed, mover.evidence));
                    attempt.path.push(mover.to(Outcome::Confirmed));
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

/// It is not there: what was open did not happen, and what was answered well is in doubt. Whether it was.
fn not_done(meant: &mut [&mut Try], reconcile: bool, mover: &Mover) -> bool {
    let any_open = meant.iter().any(|attempt| attempt.is_open());
    let mut contradicted = false;
    for attempt in meant {
        let doubtful = match attempt.effective() {
            Some(Outcome::Unknown) => false,
            Some(Outcome::Submitted) => !reconcile,
            Some(Outcome::Confirmed) if !any_open => true,
            Some(Outcome::Confirmed | Outcome::Failed) | None => continue,
        };
        contradicted |= doubtful;
        attempt.settle(if doubtful { Outcome::Unknown } else { Outcome::Failed }, mover);
    }
    contradicted
}

/// By time. A deadline moves only what is still waited for when it passes.
fn put_in_order(attempt: &mut Try) {
    attempt.path.sort_by_key(|moved| moved.at_ns);
    let mut before = Outcome::Submitted;
    attempt.path.retain(|moved| {
        let stays = moved.origin != Origin::Deadline || before == Outcome::Submitted;
        if stays {
            before = moved.state;
        }
        stays
    });
}

fn twice(both: bool) -> (bool, bool) {
    (both, both)
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

    fn of_event(&self, event: &CaseEvent, nodes: &Arena<Node<'_>>) -> Vec<usize> {
        if let Some(key) = &event.key {
            return self.by_key.get(key).cloned().unwrap_or_default();
        }
        let found = self.by_span.get(&event.span_id);
        found
            .filter(|(_, node)| nodes[*node].trace == event.trace_id)
            .map(|(step, _)| *step)
            .into_iter()
            .collect()
    }
}

fn push_new(acts: &mut Vec<usize>, id: usize) {
    if acts.last() != Some(&id) {
        acts.push(id);
    }
}
