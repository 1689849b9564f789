//! What people and jobs appended to a case, replayed onto the attempts that it is about.
use std::collections::BTreeMap;

use crate::domain::case::{CaseAct, CaseEvent, Resolution};
use crate::domain::fold::arena::Arena;
use crate::domain::fold::draft::{Draft, Mover, Try};
use crate::domain::fold::node::Node;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::Origin;

/// The resolutions of one step's cases that wait for a second person, by case.
#[derive(Debug, Default)]
pub(super) struct Closing<'a> {
    pending: BTreeMap<&'a str, &'a Resolution>,
}

impl<'a> Closing<'a> {
    /// Takes the next event. Of two that close at once the first counts; the second was answered with a
    /// conflict.
    pub(super) fn take(&mut self, draft: &mut Draft, event: &'a CaseEvent, nodes: &Arena<Node<'_>>) {
        match &event.act {
            CaseAct::Resolve(resolution) if resolution.outcome.blocks_retry() => {}
            CaseAct::Resolve(resolution) if resolution.needs_second => {
                self.pending.entry(&event.case_id).or_insert(resolution);
            }
            CaseAct::Resolve(resolution) => resolve(draft, event, resolution, nodes),
            CaseAct::Agree { .. } => {
                if let Some(resolution) = self.pending.remove(event.case_id.as_str()) {
                    resolve(draft, event, resolution, nodes);
                }
            }
            CaseAct::Reopen(_) => {
                if self.pending.remove(event.case_id.as_str()).is_none() {
                    draft.resolved = false;
                    let closed = |attempt: &&mut Try| !attempt.is_open() && was_unknown(attempt);
                    meant(draft, event, nodes)
                        .filter(closed)
                        .for_each(|attempt| attempt.reopen(&mover(event)));
                }
            }
            CaseAct::Claim | CaseAct::HandOver { .. } | CaseAct::Comment(_) => {}
        }
    }
}

fn resolve(draft: &mut Draft, event: &CaseEvent, resolution: &Resolution, nodes: &Arena<Node<'_>>) {
    let mover = mover(event);
    let mut meant: Vec<&mut Try> = meant(draft, event, nodes).collect();
    let by_resolution =
        |attempt: &&mut Try| attempt.now.is_some_and(|(_, evidence)| evidence == Evidence::Resolution);
    if meant.iter().any(|attempt| attempt.is_open()) {
        let open = meant.into_iter().filter(|attempt| attempt.is_open());
        open.for_each(|attempt| attempt.settle(resolution.outcome, &mover));
        draft.resolved = true;
        return;
    }
    if meant.iter().any(by_resolution) {
        return;
    }
    // It was open when somebody closed it. Evidence that came late says what it became before that: where the
    // two disagree, nobody knows.
    let agrees = meant.iter().any(|attempt| attempt.effective() == Some(resolution.outcome));
    if let Some(last) = meant.last_mut().filter(|_| !agrees) {
        last.settle(Outcome::Unknown, &mover);
        draft.contradicted = true;
    }
}

/// The attempts that a case is about, of those that were made or heard of before the event.
fn meant<'d>(
    draft: &'d mut Draft,
    event: &CaseEvent,
    nodes: &Arena<Node<'_>>,
) -> impl Iterator<Item = &'d mut Try> {
    draft.tries.iter_mut().filter(|attempt| {
        let node = &nodes[attempt.node];
        let facts = node.facts();
        let same = match &event.key {
            Some(key) => facts.key.as_ref() == Some(key) && tool_of(node) == event.tool,
            None => facts.key.is_none() && (node.trace, node.span) == (event.trace_id, event.span_id),
        };
        same && attempt.outcome.is_some() && node.start.min(node.received) <= event.at_ns
    })
}

/// The tool by which a case is named: the record's own, so that it never moves when late spans arrive.
pub(super) fn tool_of<'n>(node: &'n Node<'_>) -> &'n str {
    let facts = node.facts();
    facts.tool.as_deref().unwrap_or(&facts.name)
}

fn was_unknown(attempt: &Try) -> bool {
    attempt.path.iter().any(|moved| moved.state == Outcome::Unknown)
}

fn mover(event: &CaseEvent) -> Mover {
    Mover {
        at_ns: event.at_ns,
        by: event.by.clone(),
        evidence: Evidence::Resolution,
        origin: Origin::Event(event.event_id.clone()),
    }
}
