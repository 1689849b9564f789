//! `sent-though-held`: the gate held a call, and a request went out below it all the same.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::SentThoughHeld,
    about: About {
        title: "Sent although held",
        means: "The gate said duplicate or unknown, so nothing should have been sent; but a changing \
                 HTTP request stands below the call.",
        matters: "The gate does not enforce what it decides. The effect it should have prevented may \
                   have been made.",
        remedy: "Let the gate return before the client is called. Check the receiving system for a \
                  second effect.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let held = scene.drafts[draft].tries.iter().filter(|attempt| scene.node(attempt).facts().gate.held());
        for attempt in held {
            let calls = scene.owners.evidence(attempt.node).iter().copied();
            let sent: Vec<usize> = calls.filter(|call| scene.nodes[*call].changes()).collect();
            if !sent.is_empty() {
                let gate = scene.node(attempt).facts().gate;
                let message =
                    format!("The gate said {gate}, and {} was sent all the same", scene.act_words(draft));
                let nodes = [attempt.node].into_iter().chain(sent).collect();
                noted.push(Noted::spans(scene, Code::SentThoughHeld, message, nodes));
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
    fn fires_on_a_request_below_a_held_call() {
        let held = || a_run().act("refund").on("order:1").key("k").gate(Gate::Duplicate);
        check(
            Code::SentThoughHeld,
            vec![
                ("a POST", held().http("POST", Some(200))),
                ("held as unknown", a_run().act("refund").key("k").gate(Gate::Unknown).http("POST", None)),
            ],
            vec![
                ("nothing below it", held()),
                ("a look at the first result", held().http("GET", Some(200))),
                ("the gate let it pass", a_run().act("refund").gate(Gate::New).http("POST", Some(200))),
            ],
        );
    }
}
