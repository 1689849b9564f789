//! `double-effect`: the same intent took effect more than once.
use crate::domain::finding::Code;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::times;
use crate::domain::outcome::Outcome;

pub(super) const RULE: Rule = Rule {
    code: Code::DoubleEffect,
    about: About {
        title: "Same effect twice",
        means: "The same tool took effect on the same target more than once, under different keys or \
                 none, where one intent can be seen.",
        matters: "Somebody may have been paid, charged or written to twice.",
        remedy: "Undo the second one where that is possible, and link the undoing with \
                  recount.action.compensates. Then put a gate before the tool, so that one intent has one \
                  key.",
    },
    find: Find::Effects(find),
};

fn find(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let double = effects.iter().filter(|effect| effect.done > 1);
    double
        .map(|effect| {
            let confirmed = effect.drafts.iter().flat_map(|draft| scene.sent(*draft));
            let nodes = confirmed
                .filter(|attempt| attempt.effective() == Some(Outcome::Confirmed))
                .map(|attempt| attempt.node)
                .collect();
            let act = effect.drafts.first().map(|draft| scene.act_words(*draft)).unwrap_or_default();
            let message = format!("{act} took effect {}", times(effect.done));
            let mut finding = Noted::spans(scene, Code::DoubleEffect, message, nodes);
            finding.drafts.clone_from(&effect.drafts);
            finding
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::kind::KindSource;
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_one_intent_was_done_twice() {
        let refund = || a_run().act("refund").on("order:1");
        let same = || refund().arguments("a").act("refund").on("order:1");
        let rule = |facts: &mut Facts| facts.kind_source = KindSource::Rule;
        let bare = |tool: &'static str| a_run().act(tool).arguments("a").after(1).act(tool).arguments("a");
        let id = |facts: &mut Facts| facts.downstream_id = Some("re_1".to_owned());
        check(
            Code::DoubleEffect,
            vec![
                ("the same again", same().arguments("a")),
                ("nothing known of the second", same()),
                (
                    "two keys",
                    refund().key("a").arguments("x").act("refund").on("order:1").key("b").arguments("x"),
                ),
                (
                    "a tool that a rule calls acting",
                    a_run().act("send").arguments("a").with(rule).act("send").arguments("a").with(rule),
                ),
            ],
            vec![
                ("another text", same().arguments("b")),
                ("another order", refund().arguments("a").act("refund").on("order:2").arguments("a")),
                ("one key", refund().key("a").act("refund").on("order:1").key("a")),
                ("a tool that nobody classified and no target", bare("next_page")),
                ("one downstream id", refund().with(id).act("refund").on("order:1").with(id)),
                ("the first was refused", refund().status(422).act("refund").on("order:1")),
            ],
        );
    }
}
