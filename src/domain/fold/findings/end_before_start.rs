//! `end-before-start`: an end lies before its start.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::EndBeforeStart,
    about: About {
        title: "End before start",
        means: "An end lies before its start: the client’s clock jumped, or two clocks were mixed.",
        matters: "How long it took is not known.",
        remedy: "Measure lengths with a monotonic clock, and take start and end from one machine.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let backwards = |id: &usize| {
        let facts = scene.nodes[*id].facts();
        facts.ended_ns.is_some_and(|ended| ended < facts.started_ns)
    };
    let nodes: Vec<usize> = scene.received().filter(backwards).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = count(nodes.len(), "span ends before it starts", "spans end before they start");
    vec![Noted::spans(scene, Code::EndBeforeStart, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_time_that_runs_backwards() {
        check(
            Code::EndBeforeStart,
            vec![("backwards", a_run().act("a").with(|facts| facts.ended_ns = Some(facts.started_ns - 1)))],
            vec![("instant", a_run().act("a").with(|facts| facts.ended_ns = Some(facts.started_ns)))],
        );
    }
}
