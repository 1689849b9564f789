//! `key-expired`: the provider has forgotten the key of an act that is open or was sent again.
use crate::domain::finding::Code;
use crate::domain::fold::draft::Try;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::outcome::Outcome;

pub(super) const RULE: Rule = Rule {
    code: Code::KeyExpired,
    about: About {
        title: "Key window passed",
        means: "The receiving system no longer remembers the idempotency key of an act that is still \
                 open, or of one that was sent again under it.",
        matters: "Sending again would count as new. The key protected only as long as the provider kept \
                   it, often 24 hours.",
        remedy: "Look the effect up by its target or reference; never replay it. Reconcile well within \
                  the window next time: the queue shows what is left of it.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let step = &scene.drafts[draft];
        let expiry = |attempt: &Try| scene.node(attempt).facts().key_expires_ns;
        let open = |attempt: &&Try| attempt.effective().is_some_and(Outcome::blocks_retry);
        let stale: Vec<&Try> = step
            .tries
            .iter()
            .filter(open)
            .filter(|attempt| expiry(attempt).is_some_and(|expires| expires <= scene.now_ns))
            .collect();
        let since = stale.iter().copied().filter_map(expiry).min();
        if let Some(since) = since.filter(|_| !step.resolved) {
            let message = format!(
                "{} is still open, and the provider no longer knows its key: a repeat may do it twice",
                scene.act_words(draft)
            );
            let nodes = stale.iter().map(|attempt| attempt.node).collect();
            noted.push(Noted::spans(scene, Code::KeyExpired, message, nodes).since(since));
        }
        let first = step.tries.first().and_then(expiry);
        let late = scene.sent(draft).skip(1).filter(|attempt| {
            let node = scene.node(attempt);
            let same = step.tries.first().map(|first| scene.node(first).facts().key.as_deref());
            same == Some(node.facts().key.as_deref()) && first.is_some_and(|expires| expires <= node.start)
        });
        let late: Vec<usize> = late.map(|attempt| attempt.node).collect();
        if !late.is_empty() {
            let message =
                format!("{} was sent again after the provider had forgotten its key", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::KeyExpired, message, late));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{SECOND, a_run, check};
    use crate::domain::outcome::Outcome::Confirmed;
    use crate::domain::step::Facts;

    #[test]
    fn fires_once_the_window_has_passed() {
        let expires = |facts: &mut Facts| facts.key_expires_ns = Some(facts.started_ns + 3600 * SECOND);
        let lost = || a_run().act("refund").step("s").key("k").with(expires).times_out();
        check(
            Code::KeyExpired,
            vec![
                ("open, after the window", lost().now(7_200)),
                ("sent again after the window", lost().at(7_200).act("refund").step("s").key("k")),
            ],
            vec![
                ("open, within the window", lost().now(600)),
                ("settled within it", lost().reconcile("find", Some(Confirmed)).verifies("s").now(7_200)),
                ("sent again within the window", lost().act("refund").step("s").key("k").now(7_200)),
                ("nobody says how long", a_run().act("refund").step("s").key("k").times_out().now(7_200)),
            ],
        );
    }
}
