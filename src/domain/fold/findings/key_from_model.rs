//! `key-from-model`: the idempotency key stands in the arguments that the model proposed.
use crate::domain::entity::Entity;
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::KeyFromModel,
    about: About {
        title: "Key made by the model",
        means: "The idempotency key is a value in the arguments that the model proposed: the model made \
                 it up.",
        matters: "A model that is asked again makes another key, so the repeat counts as a new act. A \
                   key from a model protects nothing.",
        remedy: "Let the application make the key before the first attempt, from run, step, target and \
                  action, and keep it out of the tool schema that the model sees.",
    },
    find: Find::Run(find),
};

/// Shorter texts are found in arguments by chance.
const KEY_CHARS_MIN: usize = 8;

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let proposed = |node: &usize| {
            let facts = scene.nodes[*node].facts();
            let Some(key) = facts.key.as_deref().filter(|key| key.len() >= KEY_CHARS_MIN) else {
                return false;
            };
            let arguments = scene.joined.proposal(&scene.nodes, *node);
            let arguments = arguments.and_then(|proposal| proposal.call.arguments.as_ref());
            // A key that is the id of what is acted on is no invention.
            let names = |entity: &Entity| entity.id == key || entity.to_string() == key;
            let target = facts.target.as_deref().is_some_and(|target| target.ends_with(key));
            let own = target || facts.entities.iter().any(names);
            !own && arguments.is_some_and(|content| content.preview.contains(&format!("\"{key}\"")))
        };
        let nodes: Vec<usize> = scene.sent(draft).map(|attempt| attempt.node).filter(proposed).collect();
        if !nodes.is_empty() {
            let message = format!("The key of {} was proposed by the model", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::KeyFromModel, message, nodes));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_where_the_model_wrote_the_key() {
        let proposed = |arguments: &str| a_run().think().proposes("refund", "c1", arguments);
        let act = |arguments: &str| proposed(arguments).act("refund").call("c1").key("refund-77-x");
        check(
            Code::KeyFromModel,
            vec![("a field of the arguments", act(r#"{"amount":40,"idempotency_key":"refund-77-x"}"#))],
            vec![
                ("the application made it", act(r#"{"amount":40}"#)),
                ("a part of a longer word", act(r#"{"note":"see refund-77-xy"}"#)),
                ("the id of the target", act(r#"{"order":"refund-77-x"}"#).on("order:refund-77-x")),
                ("too short to tell", proposed(r#"{"order":"4812"}"#).act("refund").call("c1").key("4812")),
            ],
        );
    }
}
