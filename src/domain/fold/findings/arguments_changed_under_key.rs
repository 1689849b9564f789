//! `arguments-changed-under-key`: one key was used with different arguments.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::ids::Digest;

pub(super) const RULE: Rule = Rule {
    code: Code::ArgumentsChangedUnderKey,
    about: About {
        title: "Same key, other arguments",
        means: "One idempotency key was used with different arguments.",
        matters: "The receiving system may have refused the second call, or answered it with the result \
                   of the first. What the model asked for last may not be what was done.",
        remedy: "Send the stored arguments of the intent with every attempt. If the arguments must \
                  change, that is a new intent with a new key.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut uses: BTreeMap<(&str, &str), Vec<(usize, Digest)>> = BTreeMap::new();
    for draft in scene.acts() {
        for attempt in &scene.drafts[draft].tries {
            let arguments = scene.joined.arguments(&scene.nodes, attempt.node);
            if let Some((key, arguments)) = scene.node(attempt).facts().key.as_deref().zip(arguments) {
                uses.entry((scene.tool(draft), key)).or_default().push((attempt.node, arguments));
            }
        }
    }
    let changed = uses.into_values().filter(|uses| {
        uses.iter().any(|(_, arguments)| Some(arguments) != uses.first().map(|(_, first)| first))
    });
    changed
        .map(|uses| {
            let nodes: Vec<usize> = uses.into_iter().map(|(node, _)| node).collect();
            let act = nodes.first().map(|node| scene.act_words(scene.draft_of[*node])).unwrap_or_default();
            let message = format!("{act} was called with different arguments under one key");
            Noted::spans(scene, Code::ArgumentsChangedUnderKey, message, nodes)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_other_arguments_under_one_key() {
        let first = |arguments: &str| a_run().act("refund").on("order:1").key("k").arguments(arguments);
        check(
            Code::ArgumentsChangedUnderKey,
            vec![("another amount", first("40").times_out().act("refund").key("k").arguments("50"))],
            vec![
                ("the same", first("40").times_out().act("refund").key("k").arguments("40")),
                ("another key", first("1").act("refund").key("b").arguments("2")),
                ("not told", first("1").times_out().act("refund").key("k")),
                ("another tool, which has keys of its own", first("1").act("mail").key("k").arguments("2")),
            ],
        );
    }
}
