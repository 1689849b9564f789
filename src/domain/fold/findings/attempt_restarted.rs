//! `attempt-restarted`: attempt numbers of one step start again, as after a resume that forgot.
use crate::domain::finding::Code;
use crate::domain::fold::draft::Try;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::AttemptRestarted,
    about: About {
        title: "Attempts start again",
        means: "An attempt number came twice within one step: the count started again.",
        matters: "Whoever counts from one again does not know what was tried before: its record of it is \
                   gone, and with it the reason not to repeat.",
        remedy: "Keep the count with the intent in durable storage, so that whoever resumes goes on from \
                  it.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let again = scene.drafts.ids().filter(|draft| scene.drafts[*draft].restarted);
    again
        .map(|draft| {
            let tries = &scene.drafts[draft].tries;
            let message =
                format!("Attempt numbers of {} start again{}", scene.act_words(draft), by(scene, tries));
            let nodes = tries.iter().map(|attempt| attempt.node).collect();
            Noted::spans(scene, Code::AttemptRestarted, message, nodes)
        })
        .collect()
}

/// Who started again, where that is another worker.
fn by(scene: &Scene<'_>, tries: &[Try]) -> String {
    let worker = |attempt: &Try| scene.node(attempt).facts().worker.clone();
    let mut pairs = tries.iter().zip(tries.iter().skip(1));
    let back = pairs.find(|(before, after)| after.number <= before.number);
    let workers = back.and_then(|(before, after)| worker(before).zip(worker(after)));
    workers
        .filter(|(before, after)| before != after)
        .map(|(_, after)| format!(" with {after}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};

    #[test]
    fn fires_where_a_number_comes_twice() {
        let first = || a_run().act("refund").step("s").attempt(1).worker("w-a", 1).status(429).after(1);
        let resumed = || first().act("refund").step("s").attempt(1).worker("w-b", 2);
        check(
            Code::AttemptRestarted,
            vec![("after a resume", resumed())],
            vec![
                ("it goes on", first().act("refund").step("s").attempt(2).worker("w-b", 2)),
                ("another step", first().act("refund").step("t").attempt(1).worker("w-b", 2)),
                ("no numbers", a_run().act("refund").step("s").status(429).act("refund").step("s")),
            ],
        );
        assert_eq!(
            message(&resumed().fold(), Code::AttemptRestarted),
            "Attempt numbers of refund start again with w-b"
        );
    }
}
