//! `arguments-differ`: what ran is not what was proposed.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::proposals::is_bare;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::ArgumentsDiffer,
    about: About {
        title: "Arguments differ",
        means: "The executed arguments are not the ones that the model proposed.",
        matters: "The model, and whoever approved its proposal, believe that something else was done.",
        remedy: "Execute what was proposed. If code completes or corrects arguments, let the model see \
                  the result of that.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for id in scene.received().filter(|id| scene.nodes[*id].is_tool() && scene.owners.is_step(*id)) {
        let Some(proposal) = scene.joined.proposal(&scene.nodes, id) else { continue };
        let record = &scene.nodes[id].record;
        let differ = match (proposal.arguments_canonical, record.arguments_canonical) {
            (Some(proposed), Some(executed)) => proposed != executed && !is_bare(record),
            _ => !proposal.call.complete && record.arguments.is_some(),
        };
        if differ {
            let message =
                format!("{} ran with other arguments than proposed", scene.act_words(scene.draft_of[id]));
            let think = scene.joined.by_node[id].map(|(think, _)| think);
            let nodes = [id].into_iter().chain(think).collect();
            noted.push(Noted::spans(scene, Code::ArgumentsDiffer, message, nodes));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_other_json_values() {
        let proposed = || a_run().think().proposes("refund", "c1", "a");
        check(
            Code::ArgumentsDiffer,
            vec![("other arguments", proposed().act("refund").call("c1").arguments("{}"))],
            vec![
                ("the same", proposed().act("refund").call("c1").arguments("a")),
                ("none told", proposed().act("refund").call("c1")),
                ("one bare value", proposed().act("refund").call("c1").arguments("4812")),
            ],
        );
    }
}
