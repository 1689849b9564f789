//! The shape of the record: parents, roots, ends, versions, ids and clocks.
use std::collections::BTreeSet;

use crate::domain::finding::Code;
use crate::domain::fold::completeness::{known_steps, never_ended as unended, said_steps, skew_ns};
use crate::domain::fold::limits::SKEW_NS;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::who::given;
use crate::domain::fold::words::{count, list, took};

/// Children whose parent has not arrived.
pub(super) fn parent_missing(scene: &Scene<'_>) -> Vec<Noted> {
    let orphan = |id: &usize| scene.tree.parent[*id].is_some_and(|parent| scene.nodes[parent].missing);
    let nodes: Vec<usize> = scene.received().filter(orphan).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let missing = scene.nodes.iter().filter(|node| node.missing).count();
    let message = count(missing, "parent span has not arrived", "parent spans have not arrived");
    vec![Noted::spans(scene, Code::ParentMissing, message, nodes)]
}

/// Spans that are each other's parents; one link was cut to show them.
pub(super) fn parent_loop(scene: &Scene<'_>) -> Vec<Noted> {
    if scene.tree.cut.is_empty() {
        return Vec::new();
    }
    let message = "Spans name each other as parents; the loop was cut".to_owned();
    vec![Noted::spans(scene, Code::ParentLoop, message, scene.tree.cut.clone())]
}

/// Traces of which no root has arrived.
pub(super) fn root_missing(scene: &Scene<'_>) -> Vec<Noted> {
    let cut: BTreeSet<usize> = scene.tree.cut.iter().copied().collect();
    let root = |id: usize| {
        let node = &scene.nodes[id];
        let outside = node.facts().parent_span_id.map(|parent| (node.trace, parent));
        let inside_other = outside.is_some_and(|parent| scene.around.parents.contains(&parent));
        (scene.tree.parent[id].is_none() && !cut.contains(&id)) || inside_other
    };
    let rooted: BTreeSet<_> =
        scene.received().filter(|id| root(*id)).map(|id| scene.nodes[id].trace).collect();
    let all: BTreeSet<_> = scene.received().map(|id| scene.nodes[id].trace).collect();
    let rootless: Vec<_> = all.difference(&rooted).collect();
    if rootless.is_empty() {
        return Vec::new();
    }
    let nodes = scene.received().filter(|id| {
        let top = scene.tree.parent[*id].is_none_or(|parent| scene.nodes[parent].missing);
        top && rootless.contains(&&scene.nodes[*id].trace)
    });
    let message = format!("No root has arrived for {}", count(rootless.len(), "trace", "traces"));
    vec![Noted::spans(scene, Code::RootMissing, message, nodes.collect())]
}

/// Spans that started and should have ended by now.
pub(super) fn never_ended(scene: &Scene<'_>) -> Vec<Noted> {
    let nodes = unended(scene);
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = count(nodes.len(), "span never ended", "spans never ended");
    vec![Noted::spans(scene, Code::NeverEnded, message, nodes)]
}

/// The runtime counted more steps than have arrived.
pub(super) fn steps_missing(scene: &Scene<'_>) -> Vec<Noted> {
    let (Some(said), known) = (said_steps(scene), known_steps(scene)) else { return Vec::new() };
    if known >= said {
        return Vec::new();
    }
    vec![Noted::steps(Code::StepsMissing, format!("{known} of {said} steps have arrived"), Vec::new())]
}

/// One span id with two contents.
pub(super) fn conflicting_versions(scene: &Scene<'_>) -> Vec<Noted> {
    let nodes: Vec<usize> = scene.received().filter(|id| scene.nodes[*id].conflict).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = format!("{} with different contents", count(nodes.len(), "span came", "spans came"));
    vec![Noted::spans(scene, Code::ConflictingVersions, message, nodes)]
}

/// Two sessions, users or run ids are given for one thing.
pub(super) fn conflicting_identity(scene: &Scene<'_>) -> Vec<Noted> {
    let facts: [(&str, Vec<&str>); 3] = [
        ("sessions", given(scene, |facts| facts.session_id.as_deref())),
        ("users", given(scene, |facts| facts.user_id.as_deref())),
        ("run ids", given(scene, |facts| facts.run_id.as_deref())),
    ];
    let several = facts.into_iter().filter(|(_, ids)| ids.len() > 1);
    several
        .map(|(what, ids)| {
            let first = ids.first().copied().unwrap_or_default();
            let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let message =
                format!("{} {what} are given: {}; {first} groups the run", ids.len(), list(&names, 3));
            Noted::steps(Code::ConflictingIdentity, message, Vec::new())
        })
        .collect()
}

/// Ends that lie before their starts.
pub(super) fn end_before_start(scene: &Scene<'_>) -> Vec<Noted> {
    let backwards = |id: &usize| {
        let facts = scene.nodes[*id].facts();
        facts.ended_ns.is_some_and(|ended| ended < facts.started_ns)
    };
    let nodes: Vec<usize> = scene.received().filter(backwards).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = count(nodes.len(), "span ends before it starts", "spans end before they start");
    vec![Noted::spans(scene, Code::EndBeforeStart, message, nodes)]
}

/// Client clocks that run ahead of the server's.
pub(super) fn clock_skew(scene: &Scene<'_>) -> Vec<Noted> {
    let skew = skew_ns(scene);
    if skew <= SKEW_NS {
        return Vec::new();
    }
    let message = format!("A client clock runs {} ahead of the server's", took(skew));
    vec![Noted::steps(Code::ClockSkew, message, Vec::new())]
}
