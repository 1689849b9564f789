//! Acts that were sent again while an earlier attempt might have happened, and nothing made that safe.
use crate::domain::fold::answer::Answer;
use crate::domain::fold::draft::Try;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::took;
use crate::domain::outcome::Outcome;

/// Each repeat with the attempt whose outcome nobody knew then.
pub(super) fn blind<'a>(scene: &'a Scene<'_>, effect: &Effect) -> Vec<(&'a Try, &'a Try)> {
    let mut tries: Vec<&Try> = effect.drafts.iter().flat_map(|draft| scene.sent(*draft)).collect();
    tries.sort_by_key(|attempt| scene.node(attempt).order());
    let mut pairs = Vec::new();
    let mut open: Option<&Try> = None;
    for attempt in tries {
        pairs.extend(open.filter(|before| is_blind(scene, before, attempt)).map(|before| (before, attempt)));
        if attempt.outcome.is_some_and(Outcome::blocks_retry) {
            open = Some(attempt);
        }
    }
    pairs
}

/// Whether `after` was sent although nobody could know what `before` did.
fn is_blind(scene: &Scene<'_>, before: &Try, after: &Try) -> bool {
    let (first, second) = (scene.node(before), scene.node(after));
    let ended = first.end.unwrap_or(first.start) <= second.start && first.start < second.start;
    let parallel = scene.draft_of[before.node] != scene.draft_of[after.node] && first.end.is_none();
    let settled = before.settled_ns.is_some_and(|at| at <= second.start);
    let never_sent = matches!(scene.told[after.node].answer, Answer::NeverSent(_));
    let expired = first.facts().key_expires_ns.is_some_and(|expires| expires <= second.start);
    let same_key = first.facts().key.is_some() && first.facts().key == second.facts().key && !expired;
    ended && !parallel && !settled && !never_sent && !same_key
}

/// Which ran after which, and how soon: the beginning of a sentence.
pub(super) fn say(scene: &Scene<'_>, before: &Try, after: &Try) -> String {
    let (first, second) = (scene.node(before), scene.node(after));
    let act = scene.act_words(scene.draft_of[after.node]);
    let waited = took(second.start.saturating_sub(first.end.unwrap_or(first.start)));
    if scene.draft_of[before.node] == scene.draft_of[after.node] {
        format!("Attempt {} of {act} ran {waited} after attempt {}", after.number, before.number)
    } else {
        format!("{act} ran again {waited} after an earlier call")
    }
}
