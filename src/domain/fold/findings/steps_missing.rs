//! `steps-missing`: the runtime counted more steps than have arrived.
use crate::domain::finding::Code;
use crate::domain::fold::completeness::{known_steps, said_steps};
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::StepsMissing,
    about: About {
        title: "Steps missing",
        means: "The runtime says how many steps the run had, and fewer have arrived.",
        matters: "What is missing may be an act.",
        remedy: "Check the sender for dropped batches and the list of refused records; late ones fill \
                  the gap.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let (Some(said), known) = (said_steps(scene), known_steps(scene)) else { return Vec::new() };
    if known >= said {
        return Vec::new();
    }
    vec![Noted::steps(Code::StepsMissing, format!("{known} of {said} steps have arrived"), Vec::new())]
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_fewer_came_than_were_counted() {
        let count = |number| move |facts: &mut Facts| facts.run_step_count = Some(number);
        check(
            Code::StepsMissing,
            vec![("one of two", a_run().act("a").with(count(2)))],
            vec![
                ("all of them", a_run().think().act("a").with(count(2))),
                ("more than counted", a_run().think().act("a").with(count(1))),
                ("nobody counted", a_run().act("a")),
            ],
        );
    }
}
