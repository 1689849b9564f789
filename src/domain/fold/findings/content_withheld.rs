//! `content-withheld`: redaction could not be applied, so the content was not kept.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::ContentWithheld,
    about: About {
        title: "Content withheld",
        means: "A redaction rule could not be applied to a value, so the value was not kept; the rest of \
                 the record was.",
        matters: "What stood there can’t be shown, now or later.",
        remedy: "See which rule and limit it was on the record, and shorten what is sent or change the \
                  rule.",
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
            |facts: &mut Facts| facts.findings.push(Finding::new(Code::ContentWithheld, "it was noticed"));
        check(
            Code::ContentWithheld,
            vec![("noticed", a_run().act("a").with(noticed))],
            vec![("not", a_run().act("a"))],
        );
    }
}
