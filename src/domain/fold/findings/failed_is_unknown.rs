//! `failed-is-unknown`: the runtime said failed where no answer came.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::FailedIsUnknown,
    about: About {
        title: "Reported failed, is unknown",
        means: "The runtime reported a failure, but the error is no refusal: no answer came, so the \
                 effect may have happened. It is shown as unknown.",
        matters: "A runtime that takes a lost answer for a no will try again, or tell the user that \
                   nothing happened.",
        remedy: "Report timeouts and broken connections as unknown; keep failed for what the receiving \
                  system refused.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let acts = scene.received().filter(|id| scene.told[*id].failed_is_unknown && scene.owners.is_step(*id));
    acts.map(|id| {
        let act = scene.act_words(scene.draft_of[id]);
        let message = format!("The runtime calls {act} failed, but no answer came: it is unknown");
        Noted::spans(scene, Code::FailedIsUnknown, message, vec![id])
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Outcome::{Failed, Unknown};

    #[test]
    fn fires_where_a_lost_answer_is_called_a_no() {
        let refund = || a_run().act("refund").on("order:1");
        check(
            Code::FailedIsUnknown,
            vec![("a timeout", refund().times_out().says(Failed))],
            vec![
                ("a refusal", refund().status(422).says(Failed)),
                ("called unknown", refund().times_out().says(Unknown)),
                ("an error of the application", refund().fails("OutOfStock", "none left").says(Failed)),
            ],
        );
    }
}
