//! `no-key`: an act was sent without an idempotency key.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::NoKey,
    about: About {
        title: "No key",
        means: "An act was sent without an idempotency key.",
        matters: "Nothing can recognise a repeat: neither the receiving system, nor your gate, nor this \
                   page for certain.",
        remedy: "Send a key with every act, derived from run, step, target and action, and tell us as \
                  recount.action.key. Where the provider takes none, use a unique business reference.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let bare = |draft: &usize| scene.sent(*draft).any(|attempt| scene.node(attempt).facts().key.is_none());
    let acts: Vec<usize> = scene.acts().filter(bare).collect();
    if acts.is_empty() {
        return Vec::new();
    }
    let carry = if acts.len() == 1 { "carries" } else { "carry" };
    let message = format!(
        "{} {carry} no idempotency key, so nothing could recognise a repeat",
        count(acts.len(), "act", "acts")
    );
    vec![Noted::steps(Code::NoKey, message, acts)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};
    use crate::domain::outcome::Gate;

    #[test]
    fn fires_on_acts_that_were_sent_without_one() {
        let refund = || a_run().act("refund").on("order:1");
        check(
            Code::NoKey,
            vec![("an act without one", refund()), ("one of two", refund().key("k").act("mail"))],
            vec![
                ("an act with one", refund().key("k")),
                ("a read", a_run().read("get")),
                ("a look-up", a_run().reconcile("find", None)),
                ("held by the gate: nothing was sent", refund().gate(Gate::Duplicate)),
            ],
        );
        assert_eq!(
            message(&refund().fold(), Code::NoKey),
            "1 act carries no idempotency key, so nothing could recognise a repeat"
        );
    }
}
