//! `not-read-back`: an act was answered OK, its tool asks for a read-back, and none has come.
use crate::domain::finding::Code;
use crate::domain::fold::draft::Try;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::limits::READ_BACK_NS;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::outcome::{Evidence, Outcome};

pub(super) const RULE: Rule = Rule {
    code: Code::NotReadBack,
    about: About {
        title: "Not read back",
        means: "The answer said OK or accepted, and the rule for this tool (or a 202) asks that the \
                 effect is read back before it counts. It was not.",
        matters: "A service may accept a message and drop it. Only the state that somebody owns says \
                   that it happened: the sent log, the ledger, the file.",
        remedy: "Read the state back after the act and report it as a step with recount.step.verifies; \
                  or drop read_back from the rule if a status is proof enough.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let step = &scene.drafts[draft];
        let end = |attempt: &Try| {
            let node = scene.node(attempt);
            node.end.unwrap_or(node.start).min(node.received)
        };
        let due = |attempt: &&Try| {
            let told = &scene.told[attempt.node];
            let waits =
                attempt.effective() == Some(Outcome::Submitted) && told.evidence == Some(Evidence::Status);
            waits && told.lapses_at.is_none() && scene.now_ns >= end(attempt).saturating_add(READ_BACK_NS)
        };
        let tries: Vec<&Try> = scene.sent(draft).filter(due).collect();
        let since = tries.iter().copied().map(end).min();
        if let Some(since) = since.filter(|_| step.looked_up == 0 && !step.resolved) {
            let message = format!("{} was answered OK and never read back", scene.act_words(draft));
            let nodes = tries.iter().map(|attempt| attempt.node).collect();
            noted.push(Noted::spans(scene, Code::NotReadBack, message, nodes).since(since));
        }
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::outcome::Outcome::Confirmed;
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_a_read_back_is_due() {
        let asks = |facts: &mut Facts| facts.read_back_required = true;
        let mail = || a_run().act("send_email").step("s").on("order:1");
        check(
            Code::NotReadBack,
            vec![
                ("a 202", mail().status(202).now(3_600)),
                ("the tool's rule asks for it", mail().with(asks).now(3_600)),
            ],
            vec![
                ("there is time left", mail().status(202).now(60)),
                ("nobody asks for it", mail().now(3_600)),
                (
                    "it was read back",
                    mail().status(202).read("sent_log").verifies("s").says(Confirmed).now(3_600),
                ),
                ("it was refused", mail().with(asks).status(422).now(3_600)),
                ("somebody closed it", mail().status(202).resolved(60, "s", Confirmed).now(3_600)),
            ],
        );
    }
}
