//! `parent-loop`: spans name each other as parents.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::ParentLoop,
    about: About {
        title: "Parents in a loop",
        means: "Spans name each other as parents. One link was cut to show them.",
        matters: "The order shown may not be what happened.",
        remedy: "Look for reused span ids in the sender.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    if scene.tree.cut.is_empty() {
        return Vec::new();
    }
    let message = "Spans name each other as parents; the loop was cut".to_owned();
    vec![Noted::spans(scene, Code::ParentLoop, message, scene.tree.cut.clone())]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_a_circle() {
        let mut story = a_run().act("a").act("b");
        let (first, second) = (story.records[0].facts.span_id, story.records[1].facts.span_id);
        story.records[0].facts.parent_span_id = Some(second);
        story.records[1].facts.parent_span_id = Some(first);
        check(Code::ParentLoop, vec![("two spans", story)], vec![("a chain", a_run().agent("a").act("b"))]);
    }
}
