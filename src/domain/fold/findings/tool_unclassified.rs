//! `tool-unclassified`: a tool counts as acting because nobody said otherwise.
use std::collections::BTreeSet;

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;
use crate::domain::kind::{Kind, KindSource};

pub(super) const RULE: Rule = Rule {
    code: Code::ToolUnclassified,
    about: About {
        title: "Tool not classified",
        means: "Nothing says whether this tool has effects, so it counts as an act.",
        matters: "Reads shown as acts make unknowns and findings that are none; an act nobody knows of \
                   gets no gate.",
        remedy: "Classify it in recount.toml with kind = \"act\" or \"read\", or send recount.step.kind.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let unsaid = |draft: &usize| {
        let kinds = scene.drafts[*draft].tries.iter().map(|attempt| scene.node(attempt).facts());
        kinds.clone().any(|facts| facts.kind == Kind::Act)
            && kinds.clone().all(|facts| facts.kind_source == KindSource::Default)
    };
    let acts: Vec<usize> = scene.acts().filter(unsaid).collect();
    if acts.is_empty() {
        return Vec::new();
    }
    let tools: BTreeSet<&str> = acts.iter().map(|draft| scene.tool(*draft)).collect();
    let tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
    let counts = if tools.len() == 1 { "it counts" } else { "they count" };
    let message = format!("Nobody classified {}, so {counts} as acting", list(&tools, 5));
    vec![Noted::steps(Code::ToolUnclassified, message, acts)]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};
    use crate::domain::kind::KindSource;
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_acts_by_default() {
        let source = |source| move |facts: &mut Facts| facts.kind_source = source;
        let unsaid = source(KindSource::Default);
        check(
            Code::ToolUnclassified,
            vec![("nobody said", a_run().act("a").with(source(KindSource::Default)))],
            vec![
                ("a convention did", a_run().act("a")),
                ("a rule did", a_run().act("a").with(source(KindSource::Rule))),
                ("its verb did", a_run().act("a").with(source(KindSource::Inferred))),
            ],
        );
        let run = a_run().act("a").with(unsaid).act("b").with(unsaid).act("a").with(unsaid).fold();
        assert_eq!(
            message(&run, Code::ToolUnclassified),
            "Nobody classified a and b, so they count as acting"
        );
    }
}
