//! `throttled-out`: every attempt was refused for going too fast; it never ran.
use crate::domain::finding::Code;
use crate::domain::fold::answer::Answer;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;

pub(super) const RULE: Rule = Rule {
    code: Code::ThrottledOut,
    about: About {
        title: "Throttled, never done",
        means: "The call was refused with 429 until its budget of tries was spent, and then given up. It \
                 was never executed.",
        matters: "What depends on it goes on without an answer. In the data it looks like an empty \
                   result: silent loss.",
        remedy: "Back off longer with each refusal, honour Retry-After within the time budget of the \
                  run, and ship the row as not asked, never as no result.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let gave_up = |draft: &usize| {
        let mut refusals = 0;
        let all = scene.sent(*draft).all(|attempt| {
            refusals += 1;
            scene.told[attempt.node].answer == Answer::Throttled
        });
        all && refusals > 1 && scene.drafts[*draft].looked_up == 0
    };
    scene
        .drafts
        .ids()
        .filter(gave_up)
        .map(|draft| {
            let refusals = scene.sent(draft).count();
            let message = format!(
                "{} gave up after {} and was never executed",
                scene.act_words(draft),
                count(refusals, "refusal", "refusals")
            );
            let nodes = scene.sent(draft).map(|attempt| attempt.node).collect();
            Noted::spans(scene, Code::ThrottledOut, message, nodes)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{Story, a_run, check};

    #[test]
    fn fires_where_the_last_answer_was_a_refusal_too() {
        let throttled = |story: Story| story.read("lookup_row").on("row:1").status(429).after(2);
        check(
            Code::ThrottledOut,
            vec![
                ("twice, and no more", throttled(throttled(a_run()))),
                (
                    "an act",
                    a_run().act("post").on("row:1").status(429).after(2).act("post").on("row:1").status(429),
                ),
            ],
            vec![
                ("answered in the end", throttled(throttled(a_run())).read("lookup_row").on("row:1")),
                ("refused once", throttled(a_run())),
                ("refused for another reason", throttled(a_run()).read("lookup_row").on("row:1").status(404)),
                ("two rows, each once", throttled(a_run()).read("lookup_row").on("row:2").status(429)),
            ],
        );
    }
}
