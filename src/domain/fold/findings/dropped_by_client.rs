//! `dropped-by-client`: the SDK dropped something before sending.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::DroppedByClient,
    about: About {
        title: "Dropped by the client",
        means: "The SDK says that it dropped attributes, events or links before sending.",
        matters: "What it dropped may have been the key or the result.",
        remedy: "Raise the limits of the SDK (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and its siblings).",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let lossy = |id: &usize| {
        let dropped = scene.nodes[*id].facts().dropped;
        dropped.attributes > 0 || dropped.events > 0 || dropped.links > 0
    };
    let nodes: Vec<usize> = scene.received().filter(lossy).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message =
        format!("The client dropped parts of {} before sending", count(nodes.len(), "span", "spans"));
    vec![Noted::spans(scene, Code::DroppedByClient, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_where_the_sdk_says_so() {
        check(
            Code::DroppedByClient,
            vec![("an event", a_run().act("a").with(|facts| facts.dropped.events = 1))],
            vec![("nothing", a_run().act("a"))],
        );
    }
}
