//! Everything that is known about a run before it is judged: what findings, the verdict and completeness
//! look at.
use crate::domain::case::CaseEvent;
use crate::domain::fold::arena::Arena;
use crate::domain::fold::draft::{Draft, Try, drafts};
use crate::domain::fold::evidence::Owners;
use crate::domain::fold::identity::Around;
use crate::domain::fold::limits::SILENCE_NS;
use crate::domain::fold::linking::Linking;
use crate::domain::fold::node::Node;
use crate::domain::fold::outcome::{Told, told};
use crate::domain::fold::proposals::Joined;
use crate::domain::fold::settle::Settling;
use crate::domain::fold::tree::Tree;
use crate::domain::fold::versions;
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run::RunState;

/// A run taken apart.
pub(super) struct Scene<'a> {
    pub(super) nodes: Arena<Node<'a>>,
    /// Nodes that stand for something received, in order of time.
    pub(super) by_time: Vec<usize>,
    /// The same from the top down: by depth, then by time.
    pub(super) from_top: Vec<usize>,
    pub(super) tree: Tree,
    pub(super) owners: Owners,
    pub(super) joined: Joined,
    pub(super) told: Arena<Told>,
    pub(super) drafts: Arena<Draft>,
    /// The step of each node; evidence belongs to the step that it tells about.
    pub(super) draft_of: Arena<usize>,
    pub(super) around: Around,
    pub(super) now_ns: u64,
}

impl<'a> Scene<'a> {
    /// Takes the records of a run apart.
    pub(super) fn of(
        run_id: &str,
        records: &'a [Record],
        around: Around,
        events: &[CaseEvent],
        now_ns: u64,
    ) -> Self {
        let mut nodes = versions::nodes(records);
        let tree = Tree::of(&mut nodes, &around);
        let owners = Owners::of(&mut nodes, &tree);
        let joined = Joined::of(&nodes, &owners);
        let told: Arena<Told> = nodes
            .ids()
            .map(|id| {
                let evidence: Vec<&Node<'_>> = owners.evidence(id).iter().map(|call| &nodes[*call]).collect();
                told(&nodes[id], &evidence, now_ns)
            })
            .collect::<Vec<_>>()
            .into();
        let linking =
            Linking { nodes: &nodes, tree: &tree, owners: &owners, joined: &joined, told: &told, now_ns };
        let mut drafts = drafts(linking.steps(), &nodes, &told);
        let tellings = &around.tellings;
        Settling { nodes: &nodes, told: &told, events, tellings, run_id }.settle(&mut drafts);
        let mut draft_of = Arena::beside(&nodes, 0);
        for id in drafts.ids() {
            for attempt in &drafts[id].tries {
                draft_of[attempt.node] = id;
                for call in owners.evidence(attempt.node) {
                    draft_of[*call] = id;
                }
            }
        }
        let (by_time, from_top) = orders(&nodes, &tree);
        Self { nodes, by_time, from_top, tree, owners, joined, told, drafts, draft_of, around, now_ns }
    }

    /// The node of an attempt.
    pub(super) fn node(&self, attempt: &Try) -> &Node<'a> {
        &self.nodes[attempt.node]
    }

    /// Nodes that stand for something received, in order of time.
    pub(super) fn received(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.by_time.iter().copied()
    }

    /// The acts of the run.
    pub(super) fn acts(&self) -> impl Iterator<Item = usize> {
        self.of_kind(Kind::Act)
    }

    /// The steps of one kind.
    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = usize> {
        self.drafts.ids().filter(move |id| self.drafts[*id].kind == kind)
    }

    /// The model calls, in order of time.
    pub(super) fn thinks(&self) -> impl Iterator<Item = usize> {
        self.received().filter(|id| self.nodes[*id].kind == Kind::Think && self.owners.is_step(*id))
    }

    /// The model calls behind the attempts of a step: themselves, or those that proposed them.
    pub(super) fn thinks_of(&self, draft: usize) -> Vec<usize> {
        let step = &self.drafts[draft];
        let of = |attempt: &Try| match step.kind {
            Kind::Think => Some(attempt.node),
            Kind::Read | Kind::Act | Kind::Reconcile => {
                self.joined.by_node[attempt.node].map(|(think, _)| think)
            }
            Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => None,
        };
        step.tries.iter().filter_map(of).collect()
    }

    /// Nothing but a place for a parent that has not arrived.
    pub(super) fn is_placeholder(&self, draft: usize) -> bool {
        self.drafts[draft].first().is_none_or(|first| self.nodes[first].missing)
    }

    /// The tool of a step: that of its first attempt that has one, else its name.
    pub(super) fn tool(&self, draft: usize) -> &str {
        let facts = || self.drafts[draft].tries.iter().map(|attempt| self.node(attempt).facts());
        let tool = facts().find_map(|facts| facts.tool.as_deref());
        tool.or_else(|| facts().map(|facts| facts.name.as_str()).find(|name| !name.is_empty()))
            .unwrap_or("a call without a name")
    }

    /// What a step is on.
    pub(super) fn target(&self, draft: usize) -> Option<&str> {
        self.drafts[draft].tries.iter().find_map(|attempt| self.node(attempt).facts().target.as_deref())
    }

    /// Tool and target in words.
    pub(super) fn act_words(&self, draft: usize) -> String {
        crate::domain::fold::words::act(self.tool(draft), self.target(draft))
    }

    /// Attempts that were sent: neither held by the gate nor paused nor missing.
    pub(super) fn sent(&self, draft: usize) -> impl Iterator<Item = &Try> {
        self.drafts[draft].tries.iter().filter(|attempt| {
            let node = self.node(attempt);
            !node.missing && !node.facts().gate.held() && !self.told[attempt.node].paused
        })
    }

    /// Whether it still goes on.
    pub(super) fn state(&self) -> RunState {
        if !self.nodes.iter().any(|node| node.open) {
            return RunState::Ended;
        }
        let heard = self.nodes.iter().map(|node| node.received).max().unwrap_or_default();
        if self.now_ns < heard.saturating_add(SILENCE_NS) { RunState::Running } else { RunState::Lost }
    }
}

fn orders(nodes: &Arena<Node<'_>>, tree: &Tree) -> (Vec<usize>, Vec<usize>) {
    let mut depth = Arena::beside(nodes, 0_usize);
    for id in tree.order.iter().copied() {
        depth[id] = tree.parent[id].map_or(0, |above| depth[above] + 1);
    }
    let mut by_time: Vec<usize> = nodes.ids().filter(|id| !nodes[*id].missing).collect();
    // A parent that starts together with its child comes first.
    by_time.sort_by_cached_key(|id| {
        (nodes[*id].start, nodes[*id].facts().seq.unwrap_or(u64::MAX), tree.place[*id])
    });
    let mut from_top = by_time.clone();
    from_top.sort_by_key(|id| depth[*id]);
    (by_time, from_top)
}
