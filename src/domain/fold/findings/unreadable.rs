//! `unreadable`: a value that a convention defines could not be read.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::Unreadable,
    about: About {
        title: "Value unreadable",
        means: "A value that a convention defines could not be read. It is kept as it came.",
        matters: "What it should have told, such as an attempt number or an outcome, is missing from the \
                   run.",
        remedy: "Send it in the form that /about/conventions shows.",
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
        let noticed =
            |facts: &mut Facts| facts.findings.push(Finding::new(Code::Unreadable, "it was noticed"));
        check(
            Code::Unreadable,
            vec![("noticed", a_run().act("a").with(noticed))],
            vec![("not", a_run().act("a"))],
        );
    }
}
