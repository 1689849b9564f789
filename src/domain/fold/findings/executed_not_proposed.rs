//! `executed-not-proposed`: an act ran that no model call proposed, in a run whose proposals are known.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::ExecutedNotProposed,
    about: About {
        title: "Executed, not proposed",
        means: "An act was executed that no recorded model answer proposed, in a run whose model answers \
                 are recorded.",
        matters: "Nobody can say why it was done. Code may have decided it, or a model call is missing \
                   from the record.",
        remedy: "If code decides, say so with recount.step.kind and an approver or policy version. Else \
                  find the model call that was not sent.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let tells = |id: usize| {
        let node = &scene.nodes[id];
        !node.record.output.is_empty() || !node.record.proposed.is_empty() || node.erred()
    };
    let proposes = scene.thinks().any(|id| !scene.nodes[id].record.proposed.is_empty());
    if !proposes || !scene.thinks().all(tells) {
        return Vec::new();
    }
    let alone = |draft: &usize| {
        let tries = &scene.drafts[*draft].tries;
        tries.iter().all(|attempt| scene.joined.by_node[attempt.node].is_none())
            && scene.sent(*draft).next().is_some()
    };
    let acts: Vec<usize> = scene.acts().filter(alone).collect();
    let noted = |draft: usize| {
        let message = format!("{} was executed, and no model call proposed it", scene.act_words(draft));
        Noted::steps(Code::ExecutedNotProposed, message, vec![draft])
    };
    acts.into_iter().map(noted).collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_where_every_model_answer_is_known() {
        let proposed = || a_run().think().proposes("refund", "c1", "a");
        check(
            Code::ExecutedNotProposed,
            vec![("another act", proposed().act("refund").call("c1").act("delete").arguments("x"))],
            vec![
                ("content is not captured", a_run().think().act("delete").arguments("x")),
                ("it was proposed", proposed().act("refund").call("c1")),
                (
                    "a retry by the runtime",
                    proposed().act("refund").call("c1").times_out().act("refund").call("c1"),
                ),
                ("one answer is not known", proposed().act("refund").call("c1").think().act("delete")),
                ("a read", proposed().act("refund").call("c1").read("get").arguments("x")),
            ],
        );
    }
}
