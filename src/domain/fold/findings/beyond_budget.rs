//! `beyond-budget`: something was started after the time that the run may take.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::BeyondBudget,
    about: About {
        title: "Beyond the run’s budget",
        means: "A call started after recount.run.deadline, the time until which the run may go on.",
        matters: "Whoever waits for the run has given up by then: what it still does, nobody expects any \
                   more.",
        remedy: "Check the budget before every attempt, retries above all; then stop, and say what was \
                  not done.",
    },
    find: Find::Records,
};

#[cfg(test)]
mod tests {
    use crate::domain::finding::{Code, Finding};
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_the_reader_noticed_it() {
        let late =
            |facts: &mut Facts| facts.findings.push(Finding::new(Code::BeyondBudget, "it began 2 s late"));
        check(
            Code::BeyondBudget,
            vec![("noticed", a_run().act("a").with(late))],
            vec![("not", a_run().act("a"))],
        );
    }
}
