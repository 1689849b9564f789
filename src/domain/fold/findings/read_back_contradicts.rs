//! `read-back-contradicts`: a read-back does not confirm what the answer said.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::ReadBackContradicts,
    about: About {
        title: "Read-back contradicts",
        means: "The answer said OK, and reading the state back does not show the effect: a silent no-op, \
                 or a read-back that came too early.",
        matters: "Nobody would have noticed: no error, no timeout, and the loop went on as if it were \
                   done.",
        remedy: "Treat it as unknown. Read the state of whoever owns it again, not of a cache, then act \
                  again under the same key if it is not there.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let doubtful = scene.acts().filter(|draft| scene.drafts[*draft].contradicted);
    doubtful
        .map(|draft| {
            let looks = scene.drafts.ids().filter(|look| scene.drafts[*look].verifies == Some(draft));
            let message =
                format!("{} was answered OK, and the read-back does not confirm it", scene.act_words(draft));
            Noted::steps(Code::ReadBackContradicts, message, [draft].into_iter().chain(looks).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Outcome::{Confirmed, Failed};

    #[test]
    fn fires_where_the_state_does_not_show_it() {
        let done = || a_run().act("close").step("s").on("account:42").status(200);
        check(
            Code::ReadBackContradicts,
            vec![
                ("it says not done", done().read("get").verifies("s").says(Failed)),
                ("it does not say so", done().read("get").verifies("s").ok()),
            ],
            vec![
                ("it confirms", done().read("get").verifies("s").says(Confirmed)),
                ("it got no answer itself", done().read("get").verifies("s").status(503)),
                ("it is about another step", done().read("get").verifies("t").says(Failed)),
                (
                    "the act was unknown: that settles it",
                    a_run().act("close").step("s").times_out().reconcile("find", Some(Failed)).verifies("s"),
                ),
            ],
        );
    }
}
