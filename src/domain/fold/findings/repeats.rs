//! Acts that ran again: while nobody knew about the first time, and with effect more than once.
use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::draft::Try;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{times, took};
use crate::domain::outcome::Outcome;

/// An act was sent again while an earlier attempt might have happened, and nothing made that safe.
pub(super) fn retried_while_unknown(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let mut noted = Vec::new();
    for effect in effects {
        let mut tries: Vec<&Try> = effect.drafts.iter().flat_map(|draft| scene.sent(*draft)).collect();
        tries.sort_by_key(|attempt| scene.node(attempt).order());
        let mut open: Option<&Try> = None;
        for attempt in tries {
            if let Some(before) = open.filter(|before| blind(scene, before, attempt)) {
                noted.extend(say(scene, before, attempt));
            }
            if attempt.outcome.is_some_and(Outcome::blocks_retry) {
                open = Some(attempt);
            }
        }
        noted.extend(effect.drafts.iter().flat_map(|draft| resent_below(scene, *draft)));
    }
    noted
}

/// The same intent took effect more than once.
pub(super) fn double_effect(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let double = effects.iter().filter(|effect| effect.done > 1);
    double
        .map(|effect| {
            let confirmed = effect.drafts.iter().flat_map(|draft| scene.sent(*draft));
            let nodes = confirmed
                .filter(|attempt| attempt.effective() == Some(Outcome::Confirmed))
                .map(|attempt| attempt.node)
                .collect();
            let act = effect.drafts.first().map(|draft| scene.act_words(*draft)).unwrap_or_default();
            let message = format!("{act} took effect {}", times(effect.done));
            let mut finding = Noted::spans(scene, Code::DoubleEffect, message, nodes);
            finding.drafts.clone_from(&effect.drafts);
            finding
        })
        .collect()
}

/// Whether `after` was sent although nobody could know what `before` did.
fn blind(scene: &Scene<'_>, before: &Try, after: &Try) -> bool {
    let (first, second) = (scene.node(before), scene.node(after));
    let ended = first.end.unwrap_or(first.start) <= second.start && first.start < second.start;
    let parallel = scene.draft_of[before.node] != scene.draft_of[after.node] && first.end.is_none();
    let settled = before.settled_ns.is_some_and(|at| at <= second.start);
    let never_sent = matches!(scene.told[after.node].answer, Answer::NeverSent(_));
    let expired = first.facts().key_expires_ns.is_some_and(|expires| expires <= second.start);
    let same_key = first.facts().key.is_some() && first.facts().key == second.facts().key && !expired;
    ended && !parallel && !settled && !never_sent && !same_key
}

fn say(scene: &Scene<'_>, before: &Try, after: &Try) -> Vec<Noted> {
    let (first, second) = (scene.node(before), scene.node(after));
    let act = scene.act_words(scene.draft_of[after.node]);
    let waited = took(second.start.saturating_sub(first.end.unwrap_or(first.start)));
    let same_step = scene.draft_of[before.node] == scene.draft_of[after.node];
    let earlier = if same_step {
        format!("attempt {} of {act} ran {waited} after attempt {}", after.number, before.number)
    } else {
        format!("{act} ran again {waited} after an earlier call")
    };
    let mut letters = earlier.chars();
    let start = letters.next().map(|letter| if same_step { letter.to_ascii_uppercase() } else { letter });
    let earlier: String = start.into_iter().chain(letters).collect();
    let nodes = vec![before.node, after.node];
    let message = format!("{earlier}, whose outcome was unknown");
    let mut noted = vec![Noted::spans(scene, Code::RetriedWhileUnknown, message, nodes.clone())];
    let (old, new) = (first.facts().key.as_deref(), second.facts().key.as_deref());
    if old.is_some() && old != new {
        let under = if new.is_some() { "under a different key" } else { "without its key" };
        let message = format!("{earlier}, whose outcome was unknown, {under}");
        noted.push(Noted::spans(scene, Code::KeyChanged, message, nodes));
    }
    noted
}

/// The HTTP client sent a call again by itself after it got no answer.
fn resent_below(scene: &Scene<'_>, draft: usize) -> Vec<Noted> {
    let mut noted = Vec::new();
    for attempt in scene.sent(draft) {
        let calls = scene.owners.evidence(attempt.node);
        let mut lost: Option<usize> = None;
        for call in calls.iter().copied() {
            let node = &scene.nodes[call];
            let http = node.facts().http.as_ref();
            let method = http.and_then(|http| http.method.as_deref());
            if !matches!(method, Some("POST" | "PUT" | "PATCH" | "DELETE")) {
                continue;
            }
            let keyed = scene.node(attempt).facts().key.is_some() || node.facts().key.is_some();
            let same = |before: usize| {
                let before = &scene.nodes[before];
                let alike = before.facts().http.as_ref().and_then(|http| http.method.as_deref()) == method
                    && before.facts().name == node.facts().name;
                alike && before.end.is_some_and(|end| end <= node.start)
            };
            if let Some(before) = lost.filter(|before| !keyed && same(*before)) {
                let act = scene.act_words(draft);
                let message = format!("{act} was sent again by the HTTP client after no answer");
                noted.push(Noted::spans(scene, Code::RetriedWhileUnknown, message, vec![before, call]));
            }
            let no_status = http.is_none_or(|http| http.status_code.is_none());
            lost = (no_status && (node.erred() || node.open)).then_some(call);
        }
    }
    noted
}
