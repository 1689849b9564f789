//! `asked-again`: a model call failed after its proposal was already executed, and the model was asked again.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;
use crate::domain::kind::Kind;

pub(super) const RULE: Rule = Rule {
    code: Code::AskedAgain,
    about: About {
        title: "Asked again after the call went out",
        means: "A model answer broke off or failed after a call it proposed had already been executed, \
                 and the model was asked the same again.",
        matters: "The second answer may propose the act once more, or another one: a retry of a thought \
                   became a repeat of a deed.",
        remedy: "Once a streamed proposal is dispatched, treat the model call as a doing step: keep its \
                  proposals, wait for their results, and go on from them.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.of_kind(Kind::Think) {
        let tries = &scene.drafts[draft].tries;
        for (before, after) in tries.iter().zip(tries.iter().skip(1)) {
            let (first, second) = (scene.node(before), scene.node(after));
            let broke = first.erred() || first.open || !first.record.proposed.iter().all(|p| p.call.complete);
            let ran = |id: &usize| {
                let of = scene.joined.by_node[*id].is_some_and(|(think, _)| think == before.node);
                let sent = !scene.nodes[*id].facts().gate.held();
                of && sent && scene.nodes[*id].kind == Kind::Act && scene.nodes[*id].start <= second.start
            };
            let acts: Vec<usize> = scene.received().filter(ran).collect();
            if broke && !acts.is_empty() {
                let names: Vec<String> = acts.iter().map(|id| scene.act_words(scene.draft_of[*id])).collect();
                let message = format!(
                    "The model was asked again after its first answer had already sent {}",
                    list(&names, 3)
                );
                let nodes = [before.node, after.node].into_iter().chain(acts).collect();
                noted.push(Noted::spans(scene, Code::AskedAgain, message, nodes));
            }
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Gate;

    #[test]
    fn fires_where_the_first_answer_was_acted_upon() {
        let broken = || a_run().think().saw(&["ask"]).proposes("refund", "c1", "a").fails("StreamClosed", "");
        let dispatched = || broken().act("refund").call("c1").on("order:1");
        let whole = || a_run().think().saw(&["ask"]).proposes("refund", "c1", "a");
        check(
            Code::AskedAgain,
            vec![("and asked again", dispatched().think().saw(&["ask"]))],
            vec![
                ("nothing was dispatched", broken().think().saw(&["ask"])),
                ("a read was", broken().read("refund").call("c1").think().saw(&["ask"])),
                ("the gate held it", dispatched().gate(Gate::Duplicate).think().saw(&["ask"])),
                ("the next question", dispatched().think().saw(&["ask", "result"])),
                ("the first was whole", whole().act("refund").call("c1").think().saw(&["ask", "r"])),
            ],
        );
    }
}
