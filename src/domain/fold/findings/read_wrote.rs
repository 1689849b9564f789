//! `read-wrote`: a tool that counts as read-only sent a changing request.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::kind::Kind;

pub(super) const RULE: Rule = Rule {
    code: Code::ReadWrote,
    about: About {
        title: "A read that changes",
        means: "A tool that is classified as read-only sent a PUT, PATCH or DELETE that was answered \
                 well.",
        matters: "Reads are repeated freely, sampled, and never put through a gate: an act that is \
                   called a read has none of the protection.",
        remedy: "Classify the tool as an act, in code first, then in recount.toml.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.of_kind(Kind::Read) {
        // A POST may be a search; these are not.
        let wrote = |call: &usize| {
            let http = scene.nodes[*call].facts().http.as_ref();
            let method = http.and_then(|http| http.method.as_deref());
            let fine = http.and_then(|http| http.status_code).is_none_or(|status| status < 400);
            matches!(method, Some("PUT" | "PATCH" | "DELETE")) && fine
        };
        let calls = scene.sent(draft).flat_map(|attempt| scene.owners.evidence(attempt.node)).copied();
        let nodes: Vec<usize> = calls.filter(wrote).collect();
        if !nodes.is_empty() {
            let message = format!("{} counts as a read, and sent a changing request", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::ReadWrote, message, nodes));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_methods_that_only_change() {
        check(
            Code::ReadWrote,
            vec![("a DELETE", a_run().read("get_subscription").http("DELETE", Some(204)))],
            vec![
                ("a GET", a_run().read("get_subscription").http("GET", Some(200))),
                ("a search by POST", a_run().read("search").http("POST", Some(200))),
                ("refused", a_run().read("get_subscription").http("DELETE", Some(405))),
                ("an act", a_run().act("cancel").http("DELETE", Some(204))),
            ],
        );
    }
}
