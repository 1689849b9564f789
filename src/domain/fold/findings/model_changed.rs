//! `model-changed`: the model was another one on a later attempt.
use std::collections::BTreeSet;

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;

pub(super) const RULE: Rule = Rule {
    code: Code::ModelChanged,
    about: About {
        title: "Model changed",
        means: "Attempts of one step were asked of different models.",
        matters: "The second attempt is not the same question: a fallback model may choose another act, \
                   and a change of behaviour can be put down to it.",
        remedy: "Decide which steps may fall back. For an act that was already proposed, repeat the act, \
                  not the question.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.drafts.ids().filter(|draft| scene.drafts[*draft].tries.len() > 1) {
        let asked = |think: usize| {
            let facts = scene.nodes[think].facts();
            facts.model_requested.as_ref().or(facts.model.as_ref()).cloned()
        };
        let models: BTreeSet<String> = scene.thinks_of(draft).into_iter().filter_map(asked).collect();
        if models.len() > 1 {
            let names: Vec<String> = models.into_iter().collect();
            let message = format!("Attempts of {} used {}", scene.act_words(draft), list(&names, 3));
            noted.push(Noted::steps(Code::ModelChanged, message, vec![draft]));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{Story, a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_another_model_for_the_same_step() {
        let mini = |facts: &mut Facts| facts.model = Some("gpt-5-mini".to_owned());
        let asked = |facts: &mut Facts| facts.model_requested = Some("gpt-5".to_owned());
        let first = || a_run().think().proposes("refund", "c1", "a");
        let lost = |story: Story| story.act("refund").call("c1").on("order:1").times_out();
        let again = |story: Story| story.think().proposes("refund", "c2", "a");
        let act = |story: Story| story.act("refund").call("c2").on("order:1");
        check(
            Code::ModelChanged,
            vec![
                ("a smaller one", act(again(lost(first())).with(mini))),
                (
                    "a model call tried again",
                    a_run().think().step("s").status(503).think().step("s").with(mini),
                ),
            ],
            vec![
                ("the same", act(again(lost(first())))),
                (
                    "asked the same, answered by another version",
                    act(again(lost(first().with(asked))).with(asked).with(mini)),
                ),
                ("another step", first().act("refund").call("c1").think().with(mini)),
            ],
        );
    }
}
