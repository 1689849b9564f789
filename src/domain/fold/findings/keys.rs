//! Idempotency keys: absent, used for something else, outlived, or not written down before the call.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::draft::Try;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;
use crate::domain::ids::Digest;
use crate::domain::outcome::Outcome;

/// Acts that were sent without a key: nothing could recognise a repeat.
pub(super) fn no_key(scene: &Scene<'_>) -> Vec<Noted> {
    let bare = |draft: &usize| {
        let mut sent = scene.sent(*draft).peekable();
        sent.peek().is_some() && sent.any(|attempt| scene.node(attempt).facts().key.is_none())
    };
    let acts: Vec<usize> = scene.acts().filter(bare).collect();
    if acts.is_empty() {
        return Vec::new();
    }
    let carry = if acts.len() == 1 { "carries" } else { "carry" };
    let message = format!(
        "{} {carry} no idempotency key, so nothing could recognise a repeat",
        count(acts.len(), "act", "acts")
    );
    vec![Noted::steps(Code::NoKey, message, acts)]
}

/// One key, two calls that say different things.
pub(super) fn arguments_changed(scene: &Scene<'_>) -> Vec<Noted> {
    let mut uses: BTreeMap<&str, Vec<(usize, Digest)>> = BTreeMap::new();
    for draft in scene.acts() {
        for attempt in &scene.drafts[draft].tries {
            let arguments = scene.joined.arguments(&scene.nodes, attempt.node);
            if let Some((key, arguments)) = scene.node(attempt).facts().key.as_deref().zip(arguments) {
                uses.entry(key).or_default().push((attempt.node, arguments));
            }
        }
    }
    let changed = uses.into_values().filter(|uses| {
        uses.iter().any(|(_, arguments)| Some(arguments) != uses.first().map(|(_, first)| first))
    });
    changed
        .map(|uses| {
            let nodes: Vec<usize> = uses.into_iter().map(|(node, _)| node).collect();
            let act = nodes.first().map(|node| scene.act_words(scene.draft_of[*node])).unwrap_or_default();
            let message = format!("{act} was called with different arguments under one key");
            Noted::spans(scene, Code::ArgumentsChangedUnderKey, message, nodes)
        })
        .collect()
}

/// Still unknown after the provider forgot the key, or sent again after that: replay is no longer safe.
pub(super) fn expired(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let step = &scene.drafts[draft];
        let expiry = |attempt: &Try| scene.node(attempt).facts().key_expires_ns;
        let open = |attempt: &&Try| attempt.effective().is_some_and(Outcome::blocks_retry);
        let stale: Vec<usize> = step
            .tries
            .iter()
            .filter(open)
            .filter(|attempt| expiry(attempt).is_some_and(|expires| expires <= scene.now_ns))
            .map(|attempt| attempt.node)
            .collect();
        if !stale.is_empty() && !step.resolved {
            let message = format!(
                "{} is still open, and the provider no longer knows its key: a repeat may do it twice",
                scene.act_words(draft)
            );
            noted.push(Noted::spans(scene, Code::KeyExpired, message, stale));
        }
        let first = step.tries.first().and_then(expiry);
        let late = scene.sent(draft).skip(1).filter(|attempt| {
            let node = scene.node(attempt);
            let same = step.tries.first().map(|first| scene.node(first).facts().key.as_deref());
            same == Some(node.facts().key.as_deref()) && first.is_some_and(|expires| expires <= node.start)
        });
        let late: Vec<usize> = late.map(|attempt| attempt.node).collect();
        if !late.is_empty() {
            let message =
                format!("{} was sent again after the provider had forgotten its key", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::KeyExpired, message, late));
        }
    }
    noted
}

/// A runtime that keeps keys wrote down no intent before the call: a crash would leave no trace of it.
pub(super) fn intent_not_durable(scene: &Scene<'_>) -> Vec<Noted> {
    let bare = |draft: &usize| {
        scene.sent(*draft).any(|attempt| {
            let node = scene.node(attempt);
            let sent = !matches!(scene.told[attempt.node].answer, Answer::NeverSent(_));
            node.facts().key.is_some() && sent && !node.intended && !node.open
        })
    };
    let acts: Vec<usize> = scene.acts().filter(bare).collect();
    if acts.is_empty() {
        return Vec::new();
    }
    let message =
        format!("No intent was recorded before {}", count(acts.len(), "act was sent", "acts were sent"));
    vec![Noted::steps(Code::IntentNotDurable, message, acts)]
}
