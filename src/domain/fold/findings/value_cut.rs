//! `value-cut`: a value was cut to the limit.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::ValueCut,
    about: About {
        title: "Value cut",
        means: "A value was longer than the limit and was cut; a mark shows where.",
        matters: "What stood behind the mark was not kept.",
        remedy: "Send large documents by reference.",
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
        let noticed = |facts: &mut Facts| facts.findings.push(Finding::new(Code::ValueCut, "it was noticed"));
        check(
            Code::ValueCut,
            vec![("noticed", a_run().act("a").with(noticed))],
            vec![("not", a_run().act("a"))],
        );
    }
}
