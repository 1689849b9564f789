//! Workers and their epochs: writes by a worker that has lost the run, and two that take turns.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;

/// An act was sent under an epoch lower than one that had already begun.
pub(super) fn stale_epoch(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    let mut highest: Option<u64> = None;
    for id in scene.received() {
        let node = &scene.nodes[id];
        let Some(epoch) = node.facts().epoch else { continue };
        let sent = node.kind == Kind::Act && scene.owners.is_step(id) && !node.facts().gate.held();
        if let Some(seen) = highest.filter(|seen| sent && epoch < *seen) {
            let draft = scene.draft_of[id];
            let worker = node.facts().worker.as_deref().unwrap_or("A worker");
            let refused = scene.told[id].outcome == Some(Outcome::Failed);
            let message = format!(
                "{worker} sent {} under epoch {epoch} after epoch {seen} had begun{}",
                scene.act_words(draft),
                if refused { "; it was refused" } else { "" }
            );
            noted.push(Noted::spans(scene, Code::StaleEpoch, message, vec![id]));
        }
        highest = highest.max(Some(epoch));
    }
    noted
}

/// A worker went on after another had taken over, without a newer epoch of its own.
pub(super) fn workers_interleave(scene: &Scene<'_>) -> Vec<Noted> {
    let mut back: Vec<usize> = Vec::new();
    // By agent: sub-agents may run elsewhere at the same time.
    let mut last: BTreeMap<Option<&str>, (&str, Option<u64>)> = BTreeMap::new();
    let mut seen: BTreeMap<(Option<&str>, &str), Option<u64>> = BTreeMap::new();
    for id in scene.received() {
        let node = &scene.nodes[id];
        let facts = node.facts();
        let Some(worker) = facts.worker.as_deref().filter(|_| node.is_work() && scene.owners.is_step(id))
        else {
            continue;
        };
        let agent = facts.agent.as_deref();
        let other = last.get(&agent).filter(|(before, _)| *before != worker).copied();
        if let Some((_, epoch)) = other.filter(|_| seen.contains_key(&(agent, worker))) {
            let newer = facts.epoch.is_some() && facts.epoch > epoch;
            if !newer {
                back.push(id);
            }
        }
        last.insert(agent, (worker, facts.epoch));
        seen.insert((agent, worker), facts.epoch);
    }
    let Some(first) = back.first() else { return Vec::new() };
    let worker = scene.nodes[*first].facts().worker.as_deref().unwrap_or_default();
    let message = format!("{worker} went on after another worker had taken over");
    vec![Noted::spans(scene, Code::WorkersInterleave, message, back)]
}
