//! The order in which steps are shown: what hangs below what, plumbing skipped, and the idle time between.
use std::collections::{HashMap, HashSet};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::tree::{cut_loops, walk};
use crate::domain::ids::Digest;
use crate::domain::kind::Kind;

/// Places of steps.
pub(super) struct Rail {
    /// Steps in order, parents before children.
    pub(super) order: Vec<usize>,
    /// The step shown above: an agent, or the nearest that is no plumbing.
    pub(super) parent: Arena<Option<usize>>,
    /// How deep below the top.
    pub(super) depth: Arena<u32>,
    /// Idle time before the step, nanoseconds.
    pub(super) gap: Arena<u64>,
}

impl Rail {
    /// Places every step.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let drafts = &scene.drafts;
        let hangs = |draft: usize| {
            let first = drafts[draft].first()?;
            let above = scene.tree.parent[first].map(|node| scene.draft_of[node])?;
            (above != draft).then_some(above)
        };
        let mut below: Arena<Option<usize>> = drafts.ids().map(hangs).collect::<Vec<_>>().into();
        let start = |draft: usize| drafts[draft].first().map(|first| scene.nodes[first].order());
        // Attempts of one step may hang below each other's children.
        cut_loops(&mut below, start);
        let (order, ..) = walk(&below, start);
        let mut parent = Arena::beside(drafts, None);
        let mut depth = Arena::beside(drafts, 0);
        for draft in order.iter().copied() {
            let above = below[draft];
            parent[draft] = above.and_then(|above| {
                let plumbing = drafts[above].kind == Kind::Other && !scene.is_placeholder(above);
                if plumbing { parent[above] } else { Some(above) }
            });
            depth[draft] = parent[draft].map_or(0, |above| depth[above] + 1);
        }
        Self { order, parent, depth, gap: gaps(scene) }
    }
}

/// How long nothing of the run was going on before each step. Containers do not count as something going on.
fn gaps(scene: &Scene<'_>) -> Arena<u64> {
    let mut gap = Arena::beside(&scene.drafts, 0);
    let mut busy_until: Option<u64> = None;
    for id in scene.received() {
        let node = &scene.nodes[id];
        let idle = busy_until.map_or(0, |until| node.start.saturating_sub(until));
        let draft = scene.draft_of[id];
        if scene.drafts[draft].first() == Some(id) {
            gap[draft] = idle;
        }
        let leaf = scene.tree.after[id] == scene.tree.place[id] + 1;
        let end = node.end.filter(|_| node.is_work() || leaf).unwrap_or(node.start);
        busy_until = Some(busy_until.unwrap_or_default().max(node.start).max(end));
    }
    gap
}

/// For each model call the bodies that the previous call of the same agent had not seen.
pub(super) fn new_in_context(scene: &Scene<'_>) -> HashMap<usize, Vec<Digest>> {
    let agents = agents(scene);
    let mut seen: HashMap<(Option<usize>, Option<&str>), &[Digest]> = HashMap::new();
    let mut fresh = HashMap::new();
    let thinks =
        scene.received().filter(|id| scene.nodes[*id].kind == Kind::Think && scene.owners.is_step(*id));
    for id in thinks {
        let node = &scene.nodes[id];
        let before = seen.entry((agents[id], node.facts().agent.as_deref())).or_default();
        let context = node.record.context.as_slice();
        fresh.insert(id, not_in(context, before));
        if !context.is_empty() {
            *before = context;
        }
    }
    fresh
}

/// What of a context an earlier one does not hold. Most contexts only grow at their end.
fn not_in(context: &[Digest], before: &[Digest]) -> Vec<Digest> {
    let same = context.iter().zip(before).take_while(|(a, b)| a == b).count();
    let rest = context.get(same..).unwrap_or_default();
    if rest.is_empty() {
        return Vec::new();
    }
    if rest.len() <= 8 {
        return rest.iter().filter(|digest| !before.contains(digest)).copied().collect();
    }
    let before: HashSet<&Digest> = before.iter().collect();
    rest.iter().filter(|digest| !before.contains(digest)).copied().collect()
}

/// The agent span above each node.
fn agents(scene: &Scene<'_>) -> Arena<Option<usize>> {
    let mut agents = Arena::beside(&scene.nodes, None);
    for id in scene.tree.order.iter().copied() {
        agents[id] = scene.tree.parent[id].and_then(|above| {
            if scene.nodes[above].kind == Kind::Agent { Some(above) } else { agents[above] }
        });
    }
    agents
}
