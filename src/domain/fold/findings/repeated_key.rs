//! `repeated-key`: an attribute key came more than once.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::RepeatedKey,
    about: About {
        title: "Attribute repeated",
        means: "An attribute came more than once on one record. All are kept, the last one counts.",
        matters: "Another reader may take the first.",
        remedy: "Set each attribute once.",
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
            |facts: &mut Facts| facts.findings.push(Finding::new(Code::RepeatedKey, "it was noticed"));
        check(
            Code::RepeatedKey,
            vec![("noticed", a_run().act("a").with(noticed))],
            vec![("not", a_run().act("a"))],
        );
    }
}
