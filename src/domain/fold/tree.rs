//! Who hangs below whom: parents that have not arrived get a place, loops are cut, everything gets an order.
use std::collections::BTreeMap;

use crate::domain::fold::arena::Arena;
use crate::domain::fold::identity::Around;
use crate::domain::fold::node::{Node, SpanKey};

/// The nodes as a forest.
#[derive(Debug)]
pub(super) struct Tree {
    /// The node above.
    pub(super) parent: Arena<Option<usize>>,
    /// All nodes, each before its children, siblings by start.
    pub(super) order: Vec<usize>,
    /// Place of each node in `order`.
    pub(super) place: Arena<usize>,
    /// Place in `order` behind the last node below.
    pub(super) after: Arena<usize>,
    /// Nodes whose parent link was cut because it closed a loop.
    pub(super) cut: Vec<usize>,
}

impl Tree {
    /// Builds it, adding a placeholder to the nodes for every parent that is missing.
    pub(super) fn of(nodes: &mut Arena<Node<'_>>, around: &Around) -> Self {
        let mut parent = parents(nodes, around);
        let cut = cut_loops(&mut parent, |id| nodes[id].order());
        let (order, place, after) = walk(&parent, |id| nodes[id].order());
        Self { parent, order, place, after, cut }
    }

    /// Every node above, nearest first.
    pub(super) fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent[node], |id| self.parent[*id])
    }
}

fn parents(nodes: &mut Arena<Node<'_>>, around: &Around) -> Arena<Option<usize>> {
    let mut index: BTreeMap<SpanKey, usize> =
        nodes.ids().map(|id| ((nodes[id].trace, nodes[id].span), id)).collect();
    let mut parent = Arena::default();
    for id in nodes.ids() {
        let node = &nodes[id];
        let above = node.facts().parent_span_id.filter(|above| !above.is_zero());
        let Some(key) = above.map(|above| (node.trace, above)).filter(|key| !around.parents.contains(key))
        else {
            parent.add(None);
            continue;
        };
        let found = index.get(&key).copied();
        let (start, received) = (node.start, node.received);
        let above = found.unwrap_or_else(|| nodes.add(Node::placeholder(key.0, key.1, start, received)));
        index.insert(key, above);
        if nodes[above].missing {
            let missing = &mut nodes[above];
            missing.start = missing.start.min(start);
            missing.received = missing.received.min(received);
        }
        parent.add(Some(above));
    }
    while parent.len() < nodes.len() {
        parent.add(None);
    }
    parent
}

/// Takes away one parent of every loop, that of its first member, and says which.
pub(super) fn cut_loops<O: Ord>(parent: &mut Arena<Option<usize>>, order: impl Fn(usize) -> O) -> Vec<usize> {
    let mut done = Arena::beside(parent, 0_usize);
    let mut cut = Vec::new();
    for start in parent.ids() {
        let mark = start + 1;
        let mut here = Some(start);
        while let Some(id) = here.filter(|id| done[*id] == 0) {
            done[id] = mark;
            here = parent[id];
        }
        let Some(met) = here.filter(|id| done[*id] == mark) else { continue };
        let mut members = vec![met];
        let mut at = parent[met];
        while let Some(id) = at.filter(|id| *id != met) {
            members.push(id);
            at = parent[id];
        }
        if let Some(first) = members.into_iter().min_by_key(|id| order(*id)) {
            parent[first] = None;
            cut.push(first);
        }
    }
    cut
}

/// Every number, parents before children, siblings in order; its place there; and the place behind its last
/// child.
pub(super) fn walk<O: Ord>(
    parent: &Arena<Option<usize>>,
    order: impl Fn(usize) -> O,
) -> (Vec<usize>, Arena<usize>, Arena<usize>) {
    let mut children: Arena<Vec<usize>> = Arena::beside(parent, Vec::new());
    let mut roots = Vec::new();
    let mut sorted: Vec<usize> = parent.ids().collect();
    sorted.sort_by_cached_key(|id| order(*id));
    for id in sorted {
        match parent[id] {
            Some(above) => children[above].push(id),
            None => roots.push(id),
        }
    }
    let mut walked = Vec::with_capacity(parent.len());
    let mut place = Arena::beside(parent, 0);
    let mut stack: Vec<usize> = roots.into_iter().rev().collect();
    while let Some(id) = stack.pop() {
        place[id] = walked.len();
        walked.push(id);
        stack.extend(children[id].iter().rev());
    }
    let mut after = Arena::beside(parent, 0);
    for id in walked.iter().rev() {
        let last = children[*id].last().map(|child| after[*child]);
        after[*id] = last.unwrap_or(place[*id] + 1);
    }
    (walked, place, after)
}
