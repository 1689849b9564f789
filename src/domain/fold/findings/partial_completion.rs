//! `partial-completion`: some acts of the run took effect and others did not.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::outcome::Outcome;
use crate::domain::run::RunState;

pub(super) const RULE: Rule = Rule {
    code: Code::PartialCompletion,
    about: About {
        title: "Partly done",
        means: "Some acts of the run took effect, and another was refused and never done otherwise.",
        matters: "The world is in a state that nobody planned: the refund is made, and the order does \
                   not know it.",
        remedy: "Model such work as steps that are confirmed one by one, each with a way on or a way \
                  back: finish the missing one, or undo what was done and link it with \
                  recount.action.compensates.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let with = |outcome: Outcome| -> Vec<usize> {
        scene.acts().filter(|draft| scene.drafts[*draft].outcome == Some(outcome)).collect()
    };
    let (done, failed) = (with(Outcome::Confirmed), with(Outcome::Failed));
    let stands = |draft: &&usize| !undoes(scene, **draft) && !undone(scene, &done, **draft);
    let lost: Vec<usize> =
        failed.iter().copied().filter(|draft| !made_up_for(scene, &done, *draft)).collect();
    if lost.is_empty() || !done.iter().any(|draft| stands(&draft)) || scene.state() == RunState::Running {
        return Vec::new();
    }
    let all = done.len() + failed.len() + with(Outcome::Unknown).len() + with(Outcome::Submitted).len();
    let first = lost.first().map(|draft| scene.act_words(*draft)).unwrap_or_default();
    let more = if lost.len() > 1 { format!(" and {} more", lost.len() - 1) } else { String::new() };
    let message = format!("{} of {all} acts took effect; {first}{more} did not", done.len());
    vec![Noted::steps(Code::PartialCompletion, message, lost)]
}

/// A later act of the same tool, on the same target where both name one, was done: what was refused was said
/// wrongly, and then rightly.
fn made_up_for(scene: &Scene<'_>, done: &[usize], failed: usize) -> bool {
    let start = |draft: usize| scene.drafts[draft].first().map(|first| scene.nodes[first].start);
    done.iter().any(|other| {
        let targets = scene.target(failed).zip(scene.target(*other));
        let same = scene.tool(failed) == scene.tool(*other) && targets.is_none_or(|(a, b)| a == b);
        same && start(failed) < start(*other)
    })
}

fn undoes(scene: &Scene<'_>, draft: usize) -> bool {
    scene.sent(draft).any(|attempt| scene.node(attempt).facts().compensates.is_some())
}

/// Whether another act that was done says that it undoes this one, by its key or its step.
fn undone(scene: &Scene<'_>, done: &[usize], draft: usize) -> bool {
    let named = done.iter().flat_map(|other| scene.sent(*other));
    let mut named = named.filter_map(|attempt| scene.node(attempt).facts().compensates.as_deref());
    named.any(|name| {
        let key = |facts: Option<&str>| facts == Some(name);
        scene.drafts[draft].step_id == name
            || scene.sent(draft).any(|attempt| key(scene.node(attempt).facts().key.as_deref()))
    })
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_the_world_is_left_half_done() {
        let half =
            || a_run().act("refund").key("k").on("order:1").act("update_order").on("order:1").status(409);
        let undoes = |facts: &mut Facts| facts.compensates = Some("k".to_owned());
        check(
            Code::PartialCompletion,
            vec![("refused", half())],
            vec![
                ("unknown is not failed", a_run().act("refund").act("update_order").status(500)),
                ("nothing took effect", a_run().act("refund").status(422)),
                ("everything did", a_run().act("refund").act("update_order")),
                ("said rightly the second time", half().act("update_order").on("order:1").arguments("new")),
                ("undone", half().act("cancel_refund").on("order:1").with(undoes)),
                ("it still runs", half().act("mail").never_ends().now(60)),
            ],
        );
        assert_eq!(
            message(&half().fold(), Code::PartialCompletion),
            "1 of 2 acts took effect; update_order on order:1 did not"
        );
    }
}
