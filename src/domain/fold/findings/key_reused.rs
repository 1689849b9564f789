//! `key-reused`: one idempotency key was used for two targets.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;

pub(super) const RULE: Rule = Rule {
    code: Code::KeyReused,
    about: About {
        title: "One key, two targets",
        means: "The same tool was called on different targets under one idempotency key.",
        matters: "A provider that honours keys answers the second call with the result of the first: the \
                   second act never happens, and looks done.",
        remedy: "Put the target into the key: run, step, target and action.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut uses: BTreeMap<(&str, &str), Vec<(usize, &str)>> = BTreeMap::new();
    for draft in scene.acts() {
        for attempt in scene.sent(draft) {
            let facts = scene.node(attempt).facts();
            if let (Some(key), Some(target)) = (facts.key.as_deref(), facts.target.as_deref()) {
                uses.entry((scene.tool(draft), key)).or_default().push((attempt.node, target));
            }
        }
    }
    let mut noted = Vec::new();
    for ((tool, _), uses) in uses {
        let mut targets: Vec<String> = uses.iter().map(|(_, target)| (*target).to_owned()).collect();
        targets.sort_unstable();
        targets.dedup();
        if targets.len() > 1 {
            let nodes = uses.into_iter().map(|(node, _)| node).collect();
            let message = format!("{tool} was called on {} under one key", list(&targets, 3));
            noted.push(Noted::spans(scene, Code::KeyReused, message, nodes));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_two_targets_of_one_tool() {
        let first = || a_run().act("refund").on("order:1").key("k");
        check(
            Code::KeyReused,
            vec![("another order", first().act("refund").on("order:2").key("k"))],
            vec![
                ("the same order", first().act("refund").on("order:1").key("k")),
                ("another key", first().act("refund").on("order:2").key("l")),
                ("another tool, which has keys of its own", first().act("mail").on("order:2").key("k")),
                ("no target told", first().act("refund").key("k")),
            ],
        );
    }
}
