//! `intent-not-durable`: a runtime that keeps keys wrote down no intent before the call.
use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::IntentNotDurable,
    about: About {
        title: "Intent not recorded first",
        means: "The act carries a key, but was not recorded as submitted before it was sent: its first \
                 record is that of its end.",
        matters: "A crash between the call and its answer would have left no trace that anything was \
                   sent.",
        remedy: "Write the intent to durable storage before the call, and send it ahead as a log record \
                  or span event with recount.action.outcome = submitted.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
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

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Outcome::Submitted;
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_keyed_acts_without_a_record_before_the_call() {
        let intent = |facts: &mut Facts| facts.outcome = Some(Submitted);
        let refund = || a_run().act("refund").on("order:1");
        check(
            Code::IntentNotDurable,
            vec![("a key and no intent", refund().key("k"))],
            vec![
                ("an intent log", refund().key("k").log(intent)),
                ("no key: another finding", refund()),
                ("never sent", refund().key("k").fails("ConnectError", "")),
                ("its start is its intent", refund().key("k").never_ends().now(60)),
            ],
        );
    }
}
