//! `parameters-changed`: the parameters of the model call were others on a later attempt.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::ParametersChanged,
    about: About {
        title: "Parameters changed",
        means: "Attempts of one step ran with different sampling parameters.",
        matters: "The second attempt is not the same question, so a difference in what came out proves \
                   nothing about the model.",
        remedy: "Keep the parameters with the step, and reuse them when it is tried again.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.drafts.ids().filter(|draft| scene.drafts[*draft].tries.len() > 1) {
        let thinks = scene.thinks_of(draft);
        let told = || {
            let parameters = thinks.iter().map(|think| &scene.nodes[*think].facts().parameters);
            parameters.filter(|parameters| !parameters.is_empty())
        };
        if told().any(|parameters| Some(parameters) != told().next()) {
            let message = format!("Attempts of {} used different parameters", scene.act_words(draft));
            noted.push(Noted::steps(Code::ParametersChanged, message, vec![draft]));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{Story, a_run, check};
    use crate::domain::step::Facts;
    use crate::domain::value::Value;

    #[test]
    fn fires_on_other_parameters_for_the_same_step() {
        let warmth = |value: f64| {
            move |facts: &mut Facts| facts.parameters.push(("temperature".to_owned(), Value::Double(value)))
        };
        let first = || {
            let story = a_run().think().proposes("refund", "c1", "a").with(warmth(0.2));
            story.act("refund").call("c1").on("order:1").times_out().think().proposes("refund", "c2", "a")
        };
        let act = |story: Story| story.act("refund").call("c2").on("order:1");
        check(
            Code::ParametersChanged,
            vec![("warmer", act(first().with(warmth(0.9))))],
            vec![("the same", act(first().with(warmth(0.2)))), ("not told", act(first()))],
        );
    }
}
