//! Attempt numbers and throttling: what is missing, what started again, what gave up.
use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{count, list, took};
use crate::domain::step::Http;

/// Numbers that must have existed have not arrived.
pub(super) fn missing(scene: &Scene<'_>) -> Vec<Noted> {
    let holed = scene.drafts.ids().filter(|draft| scene.drafts[*draft].missing_count > 0);
    holed
        .map(|draft| {
            let step = &scene.drafts[draft];
            let numbers: Vec<String> = step.missing.iter().map(ToString::to_string).collect();
            let more = usize::try_from(step.missing_count).unwrap_or(usize::MAX).max(1);
            let message = match more {
                1 => format!("Attempt {} of {} has not arrived", list(&numbers, 1), scene.act_words(draft)),
                2..=8 => {
                    format!("Attempts {} of {} have not arrived", list(&numbers, 8), scene.act_words(draft))
                }
                _ => format!("{more} attempts of {} have not arrived", scene.act_words(draft)),
            };
            Noted::steps(Code::AttemptMissing, message, vec![draft])
        })
        .collect()
}

/// A number came twice: the count started again, as after a resume that forgot.
pub(super) fn restarted(scene: &Scene<'_>) -> Vec<Noted> {
    let again = scene.drafts.ids().filter(|draft| scene.drafts[*draft].restarted);
    again
        .map(|draft| {
            let message = format!("Attempt numbers of {} start again", scene.act_words(draft));
            let nodes = scene.drafts[draft].tries.iter().map(|attempt| attempt.node).collect();
            Noted::spans(scene, Code::AttemptRestarted, message, nodes)
        })
        .collect()
}

/// Every attempt was refused for going too fast: it never ran, and no answer is not "no result".
pub(super) fn throttled_out(scene: &Scene<'_>) -> Vec<Noted> {
    let gave_up = |draft: &usize| {
        let mut refusals = 0;
        let all = scene.sent(*draft).all(|attempt| {
            refusals += 1;
            scene.told[attempt.node].answer == Answer::Throttled
        });
        all && refusals > 1 && scene.drafts[*draft].looked_up == 0
    };
    scene
        .drafts
        .ids()
        .filter(gave_up)
        .map(|draft| {
            let refusals = scene.sent(draft).count();
            let message = format!(
                "{} gave up after {} and was never executed",
                scene.act_words(draft),
                count(refusals, "refusal", "refusals")
            );
            let nodes = scene.sent(draft).map(|attempt| attempt.node).collect();
            Noted::spans(scene, Code::ThrottledOut, message, nodes)
        })
        .collect()
}

/// An attempt began before the time that the refusal before it asked for.
pub(super) fn too_soon(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.drafts.ids() {
        let tries: Vec<usize> = scene.sent(draft).map(|attempt| attempt.node).collect();
        for pair in tries.windows(2) {
            let [before, after] = pair else { continue };
            let (refused, again) = (&scene.nodes[*before], &scene.nodes[*after]);
            let calls = scene.owners.evidence(*before).iter().map(|call| &scene.nodes[*call]);
            let asked =
                calls.chain([refused]).filter_map(|call| retry_after_ns(call.facts().http.as_ref()?)).max();
            let Some((asked, end)) = asked.zip(refused.end) else { continue };
            let waited = again.start.saturating_sub(end);
            if again.start >= refused.start && waited < asked {
                let message = format!(
                    "{} was tried again after {} where the refusal asked for {}",
                    scene.act_words(draft),
                    took(waited),
                    took(asked)
                );
                noted.push(Noted::spans(scene, Code::RetriedTooSoon, message, vec![*before, *after]));
            }
        }
    }
    noted
}

/// The seconds of a `Retry-After`. Dates are left alone: they need the other side's clock.
fn retry_after_ns(http: &Http) -> Option<u64> {
    let seconds: f64 = http.retry_after.as_deref()?.trim().parse().ok()?;
    let ms = (seconds * 1000.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: within a day")]
    let ms = (0.0..=86_400_000.0).contains(&ms).then_some(ms as u64)?;
    Some(ms * 1_000_000)
}
