//! `raw-error-shown`: an act was unknown, and the model was handed the error as it came.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::shown::{Shown, shown};
use crate::domain::outcome::Outcome;

pub(super) const RULE: Rule = Rule {
    code: Code::RawErrorShown,
    about: About {
        title: "Raw error shown",
        means: "After an unknown outcome the model was shown the raw error, which reads like a failure.",
        matters: "A model asked what to do about a failure will often try again, which is the wrong move \
                   for an act that may have happened.",
        remedy: "Show it a status: outcome unknown, look-up pending, do not call again. Let the executor \
                  own the next move.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let last_think = scene.thinks().map(|id| scene.nodes[id].start).max();
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let raw = |node: &usize| {
            let after = last_think.is_some_and(|think| think >= scene.nodes[*node].start);
            let record = &scene.nodes[*node].record;
            let handed_back =
                after && shown(record.result.as_ref(), record.facts.error.as_ref()) == Shown::Raw;
            handed_back || was_shown(scene, *node)
        };
        let unknown = scene.sent(draft).filter(|attempt| attempt.outcome == Some(Outcome::Unknown));
        let nodes: Vec<usize> = unknown.map(|attempt| attempt.node).filter(raw).collect();
        if !nodes.is_empty() {
            let message = format!("The model was shown the raw error of {}", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::RawErrorShown, message, nodes));
        }
    }
    noted
}

/// Whether a later model call's input ends with the error of this call as it came.
fn was_shown(scene: &Scene<'_>, node: usize) -> bool {
    let call = &scene.nodes[node];
    let Some(call_id) = call.facts().tool_call_id.as_ref() else { return false };
    let told = |think: usize| {
        let think = &scene.nodes[think];
        think.start >= call.start && think.facts().errors_shown.contains(call_id)
    };
    scene.thinks().any(told)
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    fn saw(facts: &mut Facts, call_id: &str) {
        facts.errors_shown.push(call_id.to_owned());
    }

    #[test]
    fn fires_on_errors_as_they_came() {
        let lost = || a_run().act("refund").on("order:1").times_out();
        let shown = |result: &str| lost().result(result).think();
        check(
            Code::RawErrorShown,
            vec![
                ("as it came", shown("Error: request timed out after 30 s")),
                ("in other words", shown("refund: timed out!")),
                ("wrapped in JSON", shown("{\"error\":\"timed out\"}")),
                ("only in what the next call saw", lost().call("c1").think().with(|facts| saw(facts, "c1"))),
            ],
            vec![
                ("a structured status", shown("{\"status\":\"unknown\",\"next\":\"reconcile\"}")),
                ("a status in words", shown("Outcome unknown: a look-up is pending. Do not call again.")),
                ("no model call after it", lost().result("Error: timed out")),
                ("nothing shown", lost().think()),
                ("another call's error", lost().call("c1").think().with(|facts| saw(facts, "c2"))),
                (
                    "a refusal that the next call saw",
                    a_run()
                        .act("refund")
                        .on("order:1")
                        .call("c1")
                        .status(422)
                        .think()
                        .with(|facts| saw(facts, "c1")),
                ),
                ("a refusal", a_run().act("refund").on("order:1").status(422).result("Error: 422").think()),
            ],
        );
    }
}
