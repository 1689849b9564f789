//! Whether the record of a run is whole, and what is missing.
use std::collections::BTreeSet;

use crate::domain::finding::Code;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run::{Completeness, RunState, Whole};

/// Judges it. `Yes` only where the runtime's own count of steps proves it.
pub(super) fn completeness(scene: &Scene<'_>, record_count: u64) -> Completeness {
    let gaps = gaps(scene);
    let said = said_steps(scene);
    let verdict = match said {
        _ if !gaps.is_empty() => Whole::No,
        Some(_) if scene.state() == RunState::Ended => Whole::Yes,
        Some(_) | None => Whole::NotProvable,
    };
    let redacted = every_record(scene)
        .flat_map(|record| &record.redactions)
        .map(|redaction| u64::from(redaction.count))
        .sum();
    Completeness {
        verdict,
        gaps,
        rejected: 0,
        sampled: sampled(scene),
        redacted,
        skew_ms_max: skew_ns(scene) / 1_000_000,
        record_count,
    }
}

/// How many steps the run says it had.
pub(super) fn said_steps(scene: &Scene<'_>) -> Option<u64> {
    scene.received().filter_map(|id| scene.nodes[id].facts().run_step_count).max()
}

/// How many steps we have, by the count that the runtime may have used: steps it named, or steps that do
/// work.
pub(super) fn known_steps(scene: &Scene<'_>) -> u64 {
    let named: BTreeSet<&str> =
        scene.received().filter_map(|id| scene.nodes[id].facts().step_id.as_deref()).collect();
    let working = scene.drafts.iter().filter(|draft| match draft.kind {
        Kind::Think | Kind::Read | Kind::Act | Kind::Reconcile | Kind::Wait => true,
        Kind::Agent | Kind::Transport | Kind::Other => false,
    });
    named.len().max(working.count()) as u64
}

/// Nodes that never ended, and by now should have.
pub(super) fn never_ended(scene: &Scene<'_>) -> Vec<usize> {
    if scene.state() == RunState::Running {
        return scene.received().filter(|id| scene.nodes[*id].lapsed(scene.now_ns)).collect();
    }
    scene.received().filter(|id| scene.nodes[*id].open).collect()
}

/// How far client clocks run ahead of the server's, nanoseconds. Behind can't be told from late.
pub(super) fn skew_ns(scene: &Scene<'_>) -> u64 {
    let ahead = |record: &Record| {
        let latest = record.facts.ended_ns.unwrap_or_default().max(record.facts.started_ns);
        latest.saturating_sub(record.received_ns)
    };
    every_record(scene).map(ahead).max().unwrap_or_default()
}

/// Every record that the fold keeps, wherever it stands.
pub(super) fn every_record<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = &'a Record> {
    scene.nodes.iter().filter(|node| !node.missing).flat_map(|node| {
        std::iter::once(node.record.as_ref())
            .chain(node.versions.iter().copied())
            .chain(node.logs.iter().copied())
    })
}

/// How many records were left out by sampling, as the findings about it begin with their number.
fn sampled(scene: &Scene<'_>) -> u64 {
    let said = every_record(scene).flat_map(|record| &record.facts.findings);
    let counts = said
        .filter(|finding| finding.code == Code::ReadsSampled)
        .filter_map(|finding| finding.message.split(' ').next().and_then(|count| count.parse::<u64>().ok()));
    counts.sum()
}

fn gaps(scene: &Scene<'_>) -> Vec<String> {
    let mut gaps = Vec::new();
    let mut add = |number: usize, one: &str, many: &str| {
        if number > 0 {
            gaps.push(count(number, one, many));
        }
    };
    let parents = scene.nodes.iter().filter(|node| node.missing).count();
    add(parents, "parent has not arrived", "parents have not arrived");
    let attempts: u64 = scene.drafts.iter().map(|draft| draft.missing_count).sum();
    let attempts = usize::try_from(attempts).unwrap_or(usize::MAX);
    add(attempts, "attempt has not arrived", "attempts have not arrived");
    add(never_ended(scene).len(), "span never ended", "spans never ended");
    if let Some(said) = said_steps(scene)
        && known_steps(scene) < said
    {
        gaps.push(format!("{} of {said} steps have arrived", known_steps(scene)));
    }
    let dropped = every_record(scene).map(|record| record.facts.dropped);
    let (attributes, events, links) = dropped.fold((0_u64, 0_u64, 0_u64), |sum, dropped| {
        let add = |sum: u64, more: u32| sum.saturating_add(u64::from(more));
        (add(sum.0, dropped.attributes), add(sum.1, dropped.events), add(sum.2, dropped.links))
    });
    let said = every_record(scene).flat_map(|record| &record.facts.findings);
    let sampled = said.filter(|finding| finding.code == Code::ReadsSampled);
    gaps.extend(sampled.map(|finding| finding.message.clone()).collect::<BTreeSet<_>>());
    let dropped =
        [(attributes, "attribute", "attributes"), (events, "event", "events"), (links, "link", "links")];
    for (number, one, many) in dropped {
        if number > 0 {
            gaps.push(format!("the client dropped {} before sending", count(number, one, many)));
        }
    }
    gaps
}
