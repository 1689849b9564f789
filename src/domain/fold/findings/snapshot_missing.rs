//! `snapshot-missing`: a model call came without what the model saw.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::SnapshotMissing,
    about: About {
        title: "Snapshot missing",
        means: "A model call came without the messages that the model saw, and without a reference to \
                 them.",
        matters: "Nobody can say why the model chose what it chose.",
        remedy: "Turn on content capture in the instrumentation, or send recount.context.ref to a \
                  snapshot you keep.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let bare = |id: &usize| {
        let node = &scene.nodes[*id];
        node.record.context.is_empty() && node.facts().context_ref.is_none()
    };
    let thinks: Vec<usize> = scene.thinks().filter(bare).collect();
    if thinks.is_empty() {
        return Vec::new();
    }
    let message =
        format!("{} came without what the model saw", count(thinks.len(), "model call", "model calls"));
    vec![Noted::spans(scene, Code::SnapshotMissing, message, thinks)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_model_calls_without_a_context() {
        let named = |facts: &mut Facts| facts.context_ref = Some("s3://snapshots/1".to_owned());
        check(
            Code::SnapshotMissing,
            vec![("nothing captured", a_run().think())],
            vec![
                ("captured", a_run().think().saw(&["s"])),
                ("kept elsewhere", a_run().think().with(named)),
                ("no model call", a_run().act("a")),
            ],
        );
    }
}
