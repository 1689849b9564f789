//! `never-ended`: something started and its end was never recorded.
use crate::domain::finding::Code;
use crate::domain::fold::completeness::never_ended;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::NeverEnded,
    about: About {
        title: "Never closed",
        means: "Something started, and its end has not been recorded although it should have been by \
                 now.",
        matters: "The worker was killed, or its last spans were not sent. What it did at the end is not \
                   known.",
        remedy: "For acts: look the effect up. Flush spans on shutdown, and send intents ahead as log \
                  records.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let nodes = never_ended(scene);
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = count(nodes.len(), "span never ended", "spans never ended");
    vec![Noted::spans(scene, Code::NeverEnded, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_after_a_while() {
        let open = || a_run().act("a").never_ends();
        check(
            Code::NeverEnded,
            vec![("an hour later", open().now(3_600))],
            vec![("a minute later", open().now(60)), ("it ended", a_run().act("a").now(3_600))],
        );
    }
}
