//! What a run amounts to, said first: one line, its tone, and the rest behind it.
use crate::domain::finding::{Code, Severity};
use crate::domain::fold::effects::Effect;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{count, list, times};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::run::{RunFinding, Tone, Verdict};

/// Says it.
pub(super) fn verdict(scene: &Scene<'_>, effects: &[Effect], findings: &[RunFinding]) -> Verdict {
    Verdict {
        tone: tone(scene, findings),
        line: line(scene, effects, findings),
        detail: detail(scene, findings).join(" · "),
    }
}

fn tone(scene: &Scene<'_>, findings: &[RunFinding]) -> Tone {
    if findings.iter().any(|finding| finding.code.severity() == Severity::Danger) {
        return Tone::Finding;
    }
    let outcomes = scene.acts().filter_map(|act| scene.drafts[act].outcome);
    outcomes.map(tone_of).max().unwrap_or(Tone::None)
}

/// The tone of one outcome.
pub(super) fn tone_of(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Confirmed => Tone::Confirmed,
        Outcome::Submitted => Tone::Submitted,
        Outcome::Failed => Tone::Failed,
        Outcome::Unknown => Tone::Unknown,
    }
}

fn line(scene: &Scene<'_>, effects: &[Effect], findings: &[RunFinding]) -> String {
    let repeated =
        |twice: fn(&Effect) -> bool| effects.iter().filter(|effect| twice(effect)).collect::<Vec<_>>();
    let double = repeated(|effect| effect.done > 1);
    let maybe_double = repeated(|effect| effect.done + effect.maybe > 1);
    let confirmed = |act: &usize| scene.drafts[*act].outcome == Some(Outcome::Confirmed);
    let doubtful: Vec<usize> =
        scene.acts().filter(|act| scene.drafts[*act].contradicted && !confirmed(act)).collect();
    let unknown: Vec<usize> = with(scene, Outcome::Unknown);
    if let [one] = double.as_slice() {
        return format!(
            "{}, where 1 was intended",
            took_effect(scene, one, &format!(" {}", times(one.done)))
        );
    } else if !double.is_empty() {
        return format!("{} acts took effect more than once", double.len());
    }
    if let [one] = maybe_double.as_slice() {
        return match one.done {
            0 => {
                let act = act(scene, one);
                format!("{act} may have taken effect {}, where 1 was intended", times(one.maybe))
            }
            _ => format!("{}, and may have again", took_effect(scene, one, " once")),
        };
    } else if !maybe_double.is_empty() {
        return format!("{} acts may have taken effect more than once", maybe_double.len());
    }
    if let [one] = doubtful.as_slice() {
        return format!("{} was answered OK, and the read-back does not confirm it", scene.act_words(*one));
    }
    match unknown.as_slice() {
        [] => {}
        [one] => return format!("We can't say whether {} happened", scene.act_words(*one)),
        many => return format!("We can't say whether {} of {} acts happened", many.len(), effects.len()),
    }
    let throttled = findings.iter().find(|finding| finding.code == Code::ThrottledOut);
    match (throttled, effects) {
        (Some(finding), _) => finding.message.clone(),
        (None, [one]) => single(scene, one),
        (None, _) => counts(scene, effects),
    }
}

fn single(scene: &Scene<'_>, effect: &Effect) -> String {
    let Some(draft) = effect.drafts.last().copied() else { return counts(scene, &[]) };
    let looked_up = scene.drafts[draft].looked_up;
    match scene.drafts[draft].outcome {
        Some(Outcome::Confirmed) if looked_up > 0 => {
            format!("{}, looked up {}", took_effect(scene, effect, ""), times(looked_up))
        }
        Some(Outcome::Confirmed) => took_effect(scene, effect, ""),
        Some(Outcome::Failed) => {
            let reason = scene.sent(draft).last().map(|attempt| scene.told[attempt.node].reason.clone());
            let reason = reason.filter(|_| looked_up == 0).map(|reason| format!(": {}", lower(&reason)));
            format!("{} did not happen{}", act(scene, effect), reason.unwrap_or_default())
        }
        Some(Outcome::Submitted) => format!("{} was sent and is not seen done yet", act(scene, effect)),
        Some(Outcome::Unknown) => format!("We can't say whether {} happened", act(scene, effect)),
        None => counts(scene, &[]),
    }
}

fn counts(scene: &Scene<'_>, effects: &[Effect]) -> String {
    let outcomes = effects.iter().filter_map(|effect| {
        let outcomes = effect.drafts.iter().filter_map(|draft| scene.drafts[*draft].outcome);
        outcomes.max_by_key(|outcome| tone_of(*outcome))
    });
    let outcomes: Vec<Outcome> = outcomes.collect();
    let number = |wanted: Outcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    let (confirmed, failed, open) =
        (number(Outcome::Confirmed), number(Outcome::Failed), number(Outcome::Submitted));
    if outcomes.is_empty() {
        let held = scene.acts().next().is_some();
        return if held { "Nothing was sent: the gate held every call" } else { "Nothing was acted upon" }
            .to_owned();
    }
    let mut said = format!("{confirmed} of {} effects confirmed", outcomes.len());
    if failed > 0 {
        said += &format!(", {failed} failed");
    }
    if open > 0 {
        said += &format!(", {open} not seen done yet");
    }
    said
}

fn detail(scene: &Scene<'_>, findings: &[RunFinding]) -> Vec<String> {
    let acts: Vec<usize> = scene.acts().collect();
    let retries: usize = acts.iter().map(|act| scene.sent(*act).count().saturating_sub(1)).sum();
    let held: usize = acts.iter().map(|act| scene.drafts[*act].tries.len() - scene.sent(*act).count()).sum();
    let lookups = scene.of_kind(Kind::Reconcile).count();
    let blind = findings.iter().filter(|finding| finding.code == Code::RetriedWhileUnknown).count();
    let unknown = with(scene, Outcome::Unknown);
    let undone = acts.iter().filter(|act| {
        let done = scene.drafts[**act].outcome == Some(Outcome::Confirmed);
        done && scene.sent(**act).any(|attempt| scene.node(attempt).facts().compensates.is_some())
    });
    let by_status = acts.iter().filter(|act| {
        let draft = &scene.drafts[**act];
        draft.outcome == Some(Outcome::Confirmed) && draft.evidence == Some(Evidence::Status)
    });
    let mut said = Vec::new();
    let mut add = |number: usize, one: &str, many: &str| {
        if number > 0 {
            said.push(count(number, one, many));
        }
    };
    add(retries, "retry", "retries");
    add(blind, "retry ran while the outcome was unknown", "retries ran while the outcome was unknown");
    add(held, "call held", "calls held");
    add(lookups, "look-up", "look-ups");
    add(undone.count(), "act undone", "acts undone");
    add(by_status.count(), "answered OK, not read back", "answered OK, not read back");
    match unknown.as_slice() {
        [] if acts.is_empty() => {}
        [] => said.push("nothing unknown".to_owned()),
        many => {
            let names: Vec<String> = many.iter().map(|act| scene.act_words(*act)).collect();
            said.push(format!("{} still unknown", list(&names, 2)));
        }
    }
    said
}

fn with(scene: &Scene<'_>, outcome: Outcome) -> Vec<usize> {
    scene.acts().filter(|act| scene.drafts[*act].outcome == Some(outcome)).collect()
}

fn took_effect(scene: &Scene<'_>, effect: &Effect, often: &str) -> String {
    let Some(draft) = effect.drafts.first().copied() else { return String::new() };
    let on = scene.target(draft).map(|target| format!(" on {target}")).unwrap_or_default();
    format!("{} took effect{often}{on}", scene.tool(draft))
}

fn act(scene: &Scene<'_>, effect: &Effect) -> String {
    effect.drafts.first().map(|draft| scene.act_words(*draft)).unwrap_or_default()
}

/// A sentence's beginning inside another sentence.
pub(super) fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
