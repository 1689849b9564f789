//! How acts stand now: unknown and unowned, not read back, contradicted, or done in part.
use crate::domain::finding::Code;
use crate::domain::fold::draft::Try;
use crate::domain::fold::limits::READ_BACK_NS;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{count, took};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::run::RunState;

/// Unknown, and nobody has found out or closed the case.
pub(super) fn unknown_open(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts().filter(|draft| !scene.drafts[*draft].resolved) {
        let unknown = scene.sent(draft).filter(|attempt| attempt.effective() == Some(Outcome::Unknown));
        let nodes: Vec<usize> = unknown.map(|attempt| attempt.node).collect();
        let Some(first) = nodes.first() else { continue };
        let node = &scene.nodes[*first];
        let age = took(scene.now_ns.saturating_sub(node.end.unwrap_or(node.start)));
        let looks = match scene.drafts[draft].looked_up {
            0 => "nobody has looked it up".to_owned(),
            looks => format!("{} did not settle it", count(looks, "look-up", "look-ups")),
        };
        let message = format!("{} has been unknown for {age}; {looks}", scene.act_words(draft));
        noted.push(Noted::spans(scene, Code::UnknownOpen, message, nodes));
    }
    noted
}

/// The tool asks for a read-back (or the answer was only "accepted"), and none has come.
pub(super) fn not_read_back(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let step = &scene.drafts[draft];
        let due = |attempt: &&Try| {
            let node = scene.node(attempt);
            let told = &scene.told[attempt.node];
            let waits =
                attempt.effective() == Some(Outcome::Submitted) && told.evidence == Some(Evidence::Status);
            let end = node.end.unwrap_or(node.start).min(node.received);
            waits && told.lapses_at.is_none() && scene.now_ns >= end.saturating_add(READ_BACK_NS)
        };
        let nodes: Vec<usize> = scene.sent(draft).filter(due).map(|attempt| attempt.node).collect();
        if !nodes.is_empty() && step.looked_up == 0 && !step.resolved {
            let message = format!("{} was answered OK and never read back", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::NotReadBack, message, nodes));
        }
    }
    noted
}

/// A read-back disagrees with the answer: the call returned, and nothing happened.
pub(super) fn contradicted(scene: &Scene<'_>) -> Vec<Noted> {
    let doubtful = scene.acts().filter(|draft| scene.drafts[*draft].contradicted);
    doubtful
        .map(|draft| {
            let looks = scene.drafts.ids().filter(|look| scene.drafts[*look].verifies == Some(draft));
            let message =
                format!("{} was answered OK, and the read-back does not confirm it", scene.act_words(draft));
            Noted::steps(Code::ReadBackContradicts, message, [draft].into_iter().chain(looks).collect())
        })
        .collect()
}

/// Some acts of the run took effect and others did not.
pub(super) fn partial(scene: &Scene<'_>) -> Vec<Noted> {
    let with = |outcome: Outcome| -> Vec<usize> {
        scene.acts().filter(|draft| scene.drafts[*draft].outcome == Some(outcome)).collect()
    };
    let (done, failed) = (with(Outcome::Confirmed), with(Outcome::Failed));
    if done.is_empty() || failed.is_empty() || scene.state() == RunState::Running {
        return Vec::new();
    }
    let all = done.len() + failed.len() + with(Outcome::Unknown).len() + with(Outcome::Submitted).len();
    let first = failed.first().map(|draft| scene.act_words(*draft)).unwrap_or_default();
    let more = if failed.len() > 1 { format!(" and {} more", failed.len() - 1) } else { String::new() };
    let message = format!("{} of {all} acts took effect; {first}{more} did not", done.len());
    vec![Noted::steps(Code::PartialCompletion, message, failed)]
}
