//! `conflicting-identity`: two sessions, users or run ids are given for one thing.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::who::given;
use crate::domain::fold::words::list;

pub(super) const RULE: Rule = Rule {
    code: Code::ConflictingIdentity,
    about: About {
        title: "Two identities",
        means: "The records of one run give two sessions, users or run ids.",
        matters: "The run may be listed under the wrong conversation or person.",
        remedy: "Set these ids once, on the outermost span, and let them be inherited.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let facts: [(&str, Vec<&str>); 3] = [
        ("sessions", given(scene, |facts| facts.session_id.as_deref())),
        ("users", given(scene, |facts| facts.user_id.as_deref())),
        ("run ids", given(scene, |facts| facts.run_id.as_deref())),
    ];
    let several = facts.into_iter().filter(|(_, ids)| ids.len() > 1);
    several
        .map(|(what, ids)| {
            let first = ids.first().copied().unwrap_or_default();
            let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let message =
                format!("{} {what} are given: {}; {first} groups the run", ids.len(), list(&names, 3));
            Noted::steps(Code::ConflictingIdentity, message, Vec::new())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_two_sessions() {
        let session = |id: &'static str| move |facts: &mut Facts| facts.session_id = Some(id.to_owned());
        let both = |a, b| a_run().agent("a").with(session(a)).think().with(session(b));
        check(
            Code::ConflictingIdentity,
            vec![("two", both("s-1", "s-2"))],
            vec![("one, twice", both("s-1", "s-1")), ("none", a_run().agent("a").think())],
        );
    }
}
