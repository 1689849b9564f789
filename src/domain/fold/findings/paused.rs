//! `paused`: a call waits for somebody and looks like an error.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::Paused,
    about: About {
        title: "Paused",
        means: "The call was paused, for approval for example, and was recorded as an error.",
        matters: "That is no failure, and counts as none.",
        remedy: "Nothing; end the span without an error status if you can.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let paused = scene.received().filter(|id| scene.told[*id].paused && scene.owners.is_step(*id));
    let nodes: Vec<usize> = paused.collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message =
        format!("{} for somebody; that is no failure", count(nodes.len(), "call waited", "calls waited"));
    vec![Noted::spans(scene, Code::Paused, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_control_flow_by_exception() {
        let asks = a_run().act("approve").fails("langgraph.errors.GraphInterrupt", "approve?");
        check(
            Code::Paused,
            vec![("an interrupt", asks)],
            vec![("an error", a_run().act("approve").fails("ValueError", "no")), ("fine", a_run().act("a"))],
        );
    }
}
