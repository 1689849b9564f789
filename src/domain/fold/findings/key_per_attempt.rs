//! `key-per-attempt`: attempts of one step carry different keys although none of them was unknown.
use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::blind::blind;
use crate::domain::fold::draft::Try;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::KeyPerAttempt,
    about: About {
        title: "Key made per attempt",
        means: "A further attempt of one step carried another idempotency key, after an attempt that the \
                 provider had not decided.",
        matters: "A key that is made anew for each attempt protects nothing: the day an answer is lost, \
                   the repeat counts as a new act.",
        remedy: "Make the key once for the step, before its first attempt, and reuse it on every retry.",
    },
    find: Find::Effects(find),
};

fn find(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let blind: Vec<usize> =
        effects.iter().flat_map(|effect| blind(scene, effect)).map(|(_, after)| after.node).collect();
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let tries: Vec<&Try> = scene.sent(draft).collect();
        let anew = |pair: &&[&Try]| {
            let [before, after] = pair else { return false };
            let (first, second) = (scene.node(before).facts(), scene.node(after).facts());
            let keys = first.key.as_deref().zip(second.key.as_deref());
            // After a plain refusal providers answer the same again under the same key: a new one is right.
            let undecided = match scene.told[before.node].answer {
                Answer::Throttled | Answer::NeverSent(_) | Answer::Lost(_) => true,
                Answer::Broken(_) | Answer::Unclear => true,
                Answer::Fine | Answer::Accepted | Answer::Refused(_) => false,
            };
            let forgotten = first.key_expires_ns.is_some_and(|expires| expires <= second.started_ns);
            let settled = before.settled_ns.is_some_and(|at| at <= second.started_ns);
            let said = blind.contains(&after.node);
            keys.is_some_and(|(a, b)| a != b) && undecided && !forgotten && !settled && !said
        };
        let nodes: Vec<usize> = tries.windows(2).filter(anew).flatten().map(|attempt| attempt.node).collect();
        if !nodes.is_empty() {
            let message = format!("Attempts of {} carry different keys", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::KeyPerAttempt, message, nodes));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_where_a_retry_got_a_key_of_its_own() {
        let throttled = || a_run().act("refund").step("s").on("order:1").key("a").status(429).after(9);
        let refused = || a_run().act("refund").step("s").on("order:1").key("a").status(422);
        let again = |story: crate::domain::fold::tests::story::Story, key: &str| {
            story.act("refund").step("s").on("order:1").key(key)
        };
        check(
            Code::KeyPerAttempt,
            vec![("after a throttle", again(throttled(), "b"))],
            vec![
                ("the same key", again(throttled(), "a")),
                ("after a refusal that the provider remembers", again(refused(), "b")),
                (
                    "while unknown: that is key-changed",
                    again(a_run().act("refund").step("s").on("order:1").key("a").times_out(), "b"),
                ),
                ("two steps", throttled().act("refund").step("t").on("order:2").key("b")),
            ],
        );
    }
}
