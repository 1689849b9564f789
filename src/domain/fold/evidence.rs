//! Spans that are no step of their own but tell about one: HTTP calls, MCP calls, and one call instrumented
//! twice.
use crate::domain::fold::arena::Arena;
use crate::domain::fold::merge;
use crate::domain::fold::node::Node;
use crate::domain::fold::tree::Tree;
use crate::domain::kind::Kind;
use crate::domain::step::Facts;

/// How much plumbing may lie between a wrapper and its attempts.
const WRAP_DEPTH_MAX: usize = 64;

/// For each node the step that it is evidence for.
pub(super) struct Owners {
    owner: Arena<Option<usize>>,
    evidence: Arena<Vec<usize>>,
}

impl Owners {
    /// Finds them, and merges into each step what its evidence tells and it does not.
    pub(super) fn of(nodes: &mut Arena<Node<'_>>, tree: &Tree) -> Self {
        unwrap_numbered(nodes, tree);
        let mut owner: Arena<Option<usize>> = Arena::beside(&tree.parent, None);
        let mut nearest: Arena<Option<usize>> = Arena::beside(&tree.parent, None);
        for id in tree.order.iter().copied() {
            let above = tree.parent[id].and_then(|parent| match nodes[parent].kind {
                _ if nodes[parent].missing => None,
                _ if owner[parent].is_some() => owner[parent],
                Kind::Think | Kind::Read | Kind::Act | Kind::Reconcile | Kind::Wait => Some(parent),
                Kind::Agent => None,
                Kind::Transport | Kind::Other => nearest[parent],
            });
            nearest[id] = above;
            owner[id] = above.filter(|above| tells_about(&nodes[id], &nodes[*above]));
        }
        let mut evidence: Arena<Vec<usize>> = Arena::beside(&tree.parent, Vec::new());
        for id in tree.order.iter().copied() {
            if let Some(step) = owner[id] {
                evidence[step].push(id);
            }
        }
        let owners = Self { owner, evidence };
        owners.merge(nodes);
        owners
    }

    /// Whether a node is a step (or plumbing), not evidence.
    pub(super) fn is_step(&self, id: usize) -> bool {
        self.owner[id].is_none()
    }

    /// The evidence for a step, in order.
    pub(super) fn evidence(&self, id: usize) -> &[usize] {
        &self.evidence[id]
    }

    fn merge(&self, nodes: &mut Arena<Node<'_>>) {
        for step in nodes.ids() {
            for id in &self.evidence[step] {
                let transport = nodes[*id].facts().kind == Kind::Transport;
                if transport && !merge::tells_more(nodes[step].facts(), nodes[*id].facts()) {
                    continue;
                }
                let inner = nodes[*id].record.clone().into_owned();
                let outer = nodes[step].record.to_mut();
                if transport {
                    merge::transport_into(outer, &inner);
                } else {
                    merge::inner_into(outer, &inner);
                }
            }
        }
    }
}

/// A tool span around numbered attempts of the same tool is the wrapper of its retry loop, hence plumbing.
fn unwrap_numbered(nodes: &mut Arena<Node<'_>>, tree: &Tree) {
    let mut wrappers = Vec::new();
    for id in nodes.ids().filter(|id| nodes[*id].is_tool() && nodes[*id].facts().attempt.is_some()) {
        let plumbing = |above: &usize| matches!(nodes[*above].kind, Kind::Other | Kind::Transport);
        let Some(above) = tree.above(id).take(WRAP_DEPTH_MAX).find(|above| !plumbing(above)) else {
            continue;
        };
        let (outer, inner) = (&nodes[above], &nodes[id]);
        if outer.is_tool() && outer.facts().attempt.is_none() && same_tool(outer.facts(), inner.facts()) {
            wrappers.push(above);
        }
    }
    for wrapper in wrappers {
        nodes[wrapper].kind = Kind::Other;
    }
}

fn tells_about(inner: &Node<'_>, outer: &Node<'_>) -> bool {
    let (facts, above) = (inner.facts(), outer.facts());
    let own_step = facts.step_id.is_some() && facts.step_id != above.step_id;
    let own_attempt = facts.attempt.is_some() && facts.attempt != above.attempt;
    match inner.kind {
        Kind::Transport => true,
        Kind::Read | Kind::Act | Kind::Reconcile => {
            let mcp = facts.dialect.split('+').any(|dialect| dialect == "mcp");
            outer.is_tool() && !own_step && !own_attempt && (mcp || same_call(above, facts))
        }
        Kind::Think => {
            let differs = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
            let other_model = differs(&facts.model, &above.model)
                && differs(&facts.model_requested, &above.model_requested);
            outer.kind == Kind::Think && !own_step && !own_attempt && !other_model
        }
        Kind::Wait | Kind::Agent | Kind::Other => false,
    }
}

/// The same call: one id, or one tool.
fn same_call(outer: &Facts, inner: &Facts) -> bool {
    let by_id = outer.tool_call_id.is_some() && outer.tool_call_id == inner.tool_call_id;
    by_id || same_tool(outer, inner)
}

/// The same tool, also where one of both carries a prefix such as `mcp__payments__`.
fn same_tool(outer: &Facts, inner: &Facts) -> bool {
    let (Some(outer), Some(inner)) = (&outer.tool, &inner.tool) else { return false };
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(['_', '-', '.', '/', ':']))
    };
    ends(outer, inner) || ends(inner, outer)
}
