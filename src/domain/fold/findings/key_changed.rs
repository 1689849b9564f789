//! `key-changed`: the repeat of an unknown act carried another key.
use crate::domain::finding::Code;
use crate::domain::fold::blind::{blind, say};
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::KeyChanged,
    about: About {
        title: "Key changed while unknown",
        means: "An act ran again while its outcome was unknown, and under another idempotency key, or \
                 without the key it had.",
        matters: "The receiving system could not see that both are the same intent: it did both if the \
                   first arrived.",
        remedy: "Make the key once for the intent, store it with the intent, and send it with every \
                  attempt. Derive it from run, step, target and action, never from the words a model \
                  used.",
    },
    find: Find::Effects(find),
};

fn find(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let pairs = effects.iter().flat_map(|effect| blind(scene, effect));
    let changed = pairs.filter_map(|(before, after)| {
        let old = scene.node(before).facts().key.as_deref()?;
        let new = scene.node(after).facts().key.as_deref();
        let under = match new {
            Some(new) if new == old => return None,
            Some(_) => "under a different key",
            None => "without its key",
        };
        let message = format!("{}, whose outcome was unknown, {under}", say(scene, before, after));
        Some(Noted::spans(scene, Code::KeyChanged, message, vec![before.node, after.node]))
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Outcome::Failed;

    #[test]
    fn fires_only_where_the_first_may_have_happened() {
        let first = || a_run().act("refund").on("order:1").key("a");
        let second = |story: crate::domain::fold::tests::story::Story| story.act("refund").on("order:1");
        check(
            Code::KeyChanged,
            vec![
                ("another key", second(first().times_out()).key("b")),
                ("no key any more", second(first().times_out())),
            ],
            vec![
                ("the same key", second(first().times_out()).key("a")),
                ("the first was refused", second(first().status(422)).key("b")),
                (
                    "looked up and not there",
                    second(first().times_out().reconcile("find", Some(Failed)).key("a")).key("b"),
                ),
                ("never had one", second(a_run().act("refund").on("order:1").times_out())),
            ],
        );
    }
}
