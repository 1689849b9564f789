//! `attempt-missing`: numbers that must have existed have not arrived.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;

pub(super) const RULE: Rule = Rule {
    code: Code::AttemptMissing,
    about: About {
        title: "Attempt missing",
        means: "An attempt number is skipped: that attempt has not arrived here.",
        matters: "It may have acted. Until it arrives, nobody can say how often the act was sent.",
        remedy: "Check the sender for dropped spans and killed workers. A late span fills the gap by \
                  itself.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let holed = scene.drafts.ids().filter(|draft| scene.drafts[*draft].missing_count > 0);
    holed
        .map(|draft| {
            let step = &scene.drafts[draft];
            let numbers: Vec<String> = step.missing.iter().map(ToString::to_string).collect();
            let more = usize::try_from(step.missing_count).unwrap_or(usize::MAX).max(1);
            let message = match more {
                1 => format!("Attempt {} of {} has not arrived", list(&numbers, 1), scene.act_words(draft)),
                2..=8 => {
                    format!("Attempts {} of {} have not arrived", list(&numbers, 8), scene.act_words(draft))
                }
                _ => format!("{more} attempts of {} have not arrived", scene.act_words(draft)),
            };
            Noted::steps(Code::AttemptMissing, message, vec![draft])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};

    #[test]
    fn fires_on_holes_in_the_numbers() {
        let first = || a_run().act("refund").step("s").attempt(1).status(429).after(1);
        let fourth = || first().act("refund").step("s").attempt(4);
        check(
            Code::AttemptMissing,
            vec![("2 and 3", fourth()), ("the first", a_run().act("refund").step("s").attempt(2))],
            vec![
                ("none is missing", first().act("refund").step("s").attempt(2)),
                ("no numbers", a_run().act("refund").step("s").status(429).act("refund").step("s")),
            ],
        );
        assert_eq!(
            message(&fourth().fold(), Code::AttemptMissing),
            "Attempts 2 and 3 of refund have not arrived"
        );
    }
}
