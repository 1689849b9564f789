//! Which model call proposed which execution: by call id, else the nearest earlier proposal of the same call.
use std::collections::{BTreeSet, HashMap};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::evidence::Owners;
use crate::domain::fold::node::Node;
use crate::domain::ids::{Digest, TraceId};
use crate::domain::kind::Kind;
use crate::domain::record::{KeptProposal, Record};

/// A proposal: the model call and the place among its proposals.
pub(super) type Proposed = (usize, usize);

/// Executions joined to proposals.
pub(super) struct Joined {
    /// For each node the proposal that it executes.
    pub(super) by_node: Arena<Option<Proposed>>,
    /// Proposals that were executed.
    pub(super) executed: BTreeSet<Proposed>,
}

/// Proposals by the key that an execution may share, in order of time.
type Index<K> = HashMap<K, Vec<(u64, Proposed)>>;

impl Joined {
    /// Joins them.
    pub(super) fn of(nodes: &Arena<Node<'_>>, owners: &Owners) -> Self {
        let mut by_id: Index<&str> = HashMap::new();
        let mut by_call: Index<(TraceId, &str, Option<Digest>)> = HashMap::new();
        let mut thinks: Vec<usize> =
            nodes.ids().filter(|id| nodes[*id].kind == Kind::Think && owners.is_step(*id)).collect();
        thinks.sort_by_key(|id| nodes[*id].order());
        for think in thinks {
            let node = &nodes[think];
            for (place, proposal) in node.record.proposed.iter().enumerate() {
                let entry = (node.start, (think, place));
                if let Some(id) = proposal.call.call_id.as_deref() {
                    by_id.entry(id).or_default().push(entry);
                }
                let tool = proposal.call.tool.as_str();
                by_call.entry((node.trace, tool, None)).or_default().push(entry);
                if let Some(digest) = proposal.arguments_canonical {
                    by_call.entry((node.trace, tool, Some(digest))).or_default().push(entry);
                }
            }
        }
        let mut joined = Self { by_node: Arena::beside(nodes, None), executed: BTreeSet::new() };
        for id in nodes.ids().filter(|id| nodes[*id].is_tool() && owners.is_step(*id)) {
            let node = &nodes[id];
            let facts = node.facts();
            let called = facts.tool_call_id.as_deref().and_then(|call| by_id.get(call));
            let alike = || {
                let tool = facts.tool.as_deref()?;
                let same = by_call.get(&(node.trace, tool, node.record.arguments_canonical));
                same.or_else(|| by_call.get(&(node.trace, tool, None)).filter(|_| is_bare(&node.record)))
            };
            let found = called
                .and_then(|entries| nearest(entries, node.start).or(entries.first().map(|(_, found)| *found)))
                .or_else(|| alike().and_then(|entries| nearest(entries, node.start)));
            joined.by_node[id] = found;
            joined.executed.extend(found);
        }
        joined
    }

    /// The proposal that a node executes.
    pub(super) fn proposal<'a>(&self, nodes: &'a Arena<Node<'_>>, id: usize) -> Option<&'a KeptProposal> {
        let (think, place) = self.by_node[id]?;
        nodes[think].record.proposed.get(place)
    }

    /// The canonical arguments of an execution: its own, else those proposed.
    pub(super) fn arguments(&self, nodes: &Arena<Node<'_>>, id: usize) -> Option<Digest> {
        let own = &nodes[id].record;
        let proposed = || self.proposal(nodes, id)?.arguments_canonical;
        own.arguments_canonical.or_else(|| own.arguments.is_none().then(proposed).flatten())
    }
}

/// LangChain sends a single argument as its bare value: it has no name, so it can't be compared.
pub(super) fn is_bare(record: &Record) -> bool {
    record.arguments.as_ref().is_some_and(|content| !content.preview.trim_start().starts_with(['{', '[']))
}

fn nearest(entries: &[(u64, Proposed)], start: u64) -> Option<Proposed> {
    let behind = entries.partition_point(|(at, _)| *at <= start);
    entries.get(behind.checked_sub(1)?).map(|(_, found)| *found)
}
