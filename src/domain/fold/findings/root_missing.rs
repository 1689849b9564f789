//! `root-missing`: no root of a trace has arrived.
use std::collections::BTreeSet;

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::RootMissing,
    about: About {
        title: "No root",
        means: "The trace has no root span: the outermost part of the run has not arrived.",
        matters: "The agent, session or user that only the root tells is not known yet.",
        remedy: "Wait for it. A killed worker sends none: then the run is shown as far as it came.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let cut: BTreeSet<usize> = scene.tree.cut.iter().copied().collect();
    let root = |id: usize| {
        let node = &scene.nodes[id];
        let outside = node.facts().parent_span_id.map(|parent| (node.trace, parent));
        let inside_other = outside.is_some_and(|parent| scene.around.parents.contains(&parent));
        (scene.tree.parent[id].is_none() && !cut.contains(&id)) || inside_other
    };
    let rooted: BTreeSet<_> =
        scene.received().filter(|id| root(*id)).map(|id| scene.nodes[id].trace).collect();
    let all: BTreeSet<_> = scene.received().map(|id| scene.nodes[id].trace).collect();
    let rootless: Vec<_> = all.difference(&rooted).collect();
    if rootless.is_empty() {
        return Vec::new();
    }
    let nodes = scene.received().filter(|id| {
        let top = scene.tree.parent[*id].is_none_or(|parent| scene.nodes[parent].missing);
        top && rootless.contains(&&scene.nodes[*id].trace)
    });
    let message = format!("No root has arrived for {}", count(rootless.len(), "trace", "traces"));
    vec![Noted::spans(scene, Code::RootMissing, message, nodes.collect())]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, span};

    #[test]
    fn fires_where_everything_hangs_below_something_missing() {
        let orphan = || a_run().act("a").below(Some(span("gone")));
        check(
            Code::RootMissing,
            vec![("only an orphan", orphan())],
            vec![
                ("an orphan beside a root", orphan().act("b")),
                ("a part of a trace whose root is another run's", {
                    let outer = a_run().no_run().agent("outer");
                    let root = outer.records[0].facts.span_id;
                    outer.run("r2").act("inner").below(Some(root))
                }),
            ],
        );
    }
}
