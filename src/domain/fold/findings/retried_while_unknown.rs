//! `retried-while-unknown`: an act ran again before anybody knew what became of the time before.
use crate::domain::finding::Code;
use crate::domain::fold::blind::{blind, say};
use crate::domain::fold::draft::Try;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::RetriedWhileUnknown,
    about: About {
        title: "Retried while unknown",
        means: "An act ran again, in the same step or as another call with the same intent, while an \
                 earlier attempt might have taken effect.",
        matters: "A timeout is a missing answer, not a no. If the first attempt took effect and its \
                   answer was lost, the second makes it twice.",
        remedy: "Let unknown block the repeat: look the effect up first, or send the repeat under the \
                  same idempotency key while the provider still knows it.",
    },
    find: Find::Effects(find),
};

fn find(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let mut noted = Vec::new();
    for effect in effects {
        for (before, after) in blind(scene, effect) {
            let message = format!("{}, whose outcome was unknown", say(scene, before, after));
            let nodes = vec![before.node, after.node];
            noted.push(Noted::spans(scene, Code::RetriedWhileUnknown, message, nodes));
        }
        for draft in &effect.drafts {
            for attempt in scene.sent(*draft) {
                noted.extend(resent_below(scene, *draft, attempt));
            }
        }
    }
    noted
}

/// The HTTP client sent a call again by itself after it got no answer.
fn resent_below(scene: &Scene<'_>, draft: usize, attempt: &Try) -> Vec<Noted> {
    let mut noted = Vec::new();
    let mut lost: Option<usize> = None;
    for call in scene.owners.evidence(attempt.node).iter().copied() {
        let node = &scene.nodes[call];
        if !node.changes() {
            continue;
        }
        let http = node.facts().http.as_ref();
        let keyed = scene.node(attempt).facts().key.is_some() || node.facts().key.is_some();
        let same = |before: usize| {
            let before = &scene.nodes[before];
            let alike = before.facts().http.as_ref().and_then(|http| http.method.as_deref())
                == http.and_then(|http| http.method.as_deref())
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
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{Story, a_run, check};
    use crate::domain::outcome::Outcome::Failed;

    #[test]
    fn fires_where_the_repeat_was_blind() {
        let refund = || a_run().act("refund").on("order:1");
        let again = |story: Story| story.act("refund").on("order:1");
        check(
            Code::RetriedWhileUnknown,
            vec![
                ("at once", again(refund().times_out())),
                ("by another given step", again(refund().step("a").times_out()).step("b")),
                (
                    "after a look-up that found nothing out",
                    again(refund().times_out().reconcile("find", None).on("order:1")),
                ),
                ("by the HTTP client", refund().http("POST", None).http("POST", Some(200))),
            ],
            vec![
                ("after a refusal", again(refund().status(422))),
                ("after a throttle", again(refund().status(429))),
                ("never sent", again(refund().fails("ConnectError", ""))),
                (
                    "after it was settled",
                    again(refund().times_out().reconcile("find", Some(Failed)).on("order:1")),
                ),
                ("under the same key", refund().key("k").times_out().act("refund").on("order:1").key("k")),
                ("another order", refund().times_out().act("refund").on("order:2")),
                ("a read", a_run().read("get").times_out().read("get")),
                ("in parallel", again(refund().times_out().at(1))),
                ("reads by the HTTP client", refund().http("GET", None).http("GET", Some(200))),
            ],
        );
    }
}
