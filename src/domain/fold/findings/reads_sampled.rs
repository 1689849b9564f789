//! `reads-sampled`: the sender left out reads.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code::ReadsSampled,
    about: About {
        title: "Reads sampled away",
        means: "The sender says that it left out reads of this run (recount.reads_sampled), or a rule \
                here did (sampling.reads).",
        matters: "What the model read there can’t be shown. Acts are never left out.",
        remedy: "Nothing, if that was decided. Else send everything: a read may be the one look that \
                  mattered.",
    },
    find: Find::Records,
};

#[cfg(test)]
mod tests {
    use crate::domain::finding::{Code, Finding};
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::run::Whole;
    use crate::domain::step::Facts;

    #[test]
    fn fires_where_the_sender_says_so_and_the_record_is_not_whole() {
        let few = |facts: &mut Facts| {
            facts.findings.push(Finding::new(Code::ReadsSampled, "3 reads were sampled away before sending"));
        };
        let sampled = a_run().act("a").with(few);
        assert_eq!(sampled.fold().completeness.verdict, Whole::No);
        assert_eq!(sampled.fold().completeness.gaps, ["3 reads were sampled away before sending"]);
        check(Code::ReadsSampled, vec![("it does", sampled)], vec![("it does not", a_run().act("a"))]);
    }
}
