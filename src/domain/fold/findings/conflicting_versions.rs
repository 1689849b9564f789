//! `conflicting-versions`: one span id came with two contents.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::ConflictingVersions,
    about: About {
        title: "Two versions",
        means: "One span id arrived with two different contents, of which neither merely completes the \
                 other.",
        matters: "One of them did not happen as told. Both are kept; the one that ended last is shown.",
        remedy: "Look for span ids that are made twice, and for processors that rewrite spans on the \
                  way.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let nodes: Vec<usize> = scene.received().filter(|id| scene.nodes[*id].conflict).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message = format!("{} with different contents", count(nodes.len(), "span came", "spans came"));
    vec![Noted::spans(scene, Code::ConflictingVersions, message, nodes)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{SECOND, START, Story, a_run, bytes, check};

    fn twice(end: Option<u64>) -> Story {
        let mut story = a_run().act("tool").lasts(4);
        let mut other = story.records[0].clone();
        other.record_id.0 = bytes("other");
        other.facts.ended_ns = end;
        story.records.push(other);
        story
    }

    #[test]
    fn fires_on_two_ends_and_not_on_a_start() {
        check(
            Code::ConflictingVersions,
            vec![("another end", twice(Some(START + 3 * SECOND)))],
            vec![("a pending span and its end", twice(None)), ("one version", a_run().act("tool"))],
        );
    }
}
