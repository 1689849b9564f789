//! `parent-missing`: a step’s parent has not arrived.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::ParentMissing,
    about: About {
        title: "Parent not received",
        means: "A step names a parent that has not arrived; it may still come.",
        matters: "What stood around the step, such as its agent or session, is not known.",
        remedy: "Wait for it. If it never comes, check that the worker flushes its spans before it \
                  stops.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let orphan = |id: &usize| scene.tree.parent[*id].is_some_and(|parent| scene.nodes[parent].missing);
    let nodes: Vec<usize> = scene.received().filter(orphan).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let missing = scene.nodes.iter().filter(|node| node.missing).count();
    let message = count(missing, "parent span has not arrived", "parent spans have not arrived");
    vec![Noted::spans(scene, Code::ParentMissing, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, span};

    #[test]
    fn fires_until_the_parent_comes() {
        check(
            Code::ParentMissing,
            vec![("it never came", a_run().act("a").below(Some(span("gone"))))],
            vec![("it is there", a_run().agent("a").act("b")), ("it has none", a_run().act("a"))],
        );
    }
}
