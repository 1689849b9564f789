//! What holds for all findings: their steps, their order, and that calm runs have none. Each rule has its own
//! tests beside it.
use crate::domain::finding::{Code, Finding};
use crate::domain::fold::tests::story::a_run;
use crate::domain::kind::Kind;
use crate::domain::step::Facts;

#[test]
fn one_sentence_is_one_finding_with_all_its_steps() {
    let finding = |facts: &mut Facts| facts.findings.push(Finding::new(Code::ValueCut, "a value was cut"));
    let run = a_run().act("a").with(finding).act("b").with(finding).fold();
    let cut: Vec<_> = run.findings.iter().filter(|finding| finding.code == Code::ValueCut).collect();
    assert_eq!((cut.len(), cut[0].step_ids.len(), cut[0].spans.len()), (1, 2, 2));
    let index = run.findings.iter().position(|finding| finding.code == Code::ValueCut).unwrap();
    assert!(run.steps.iter().all(|step| step.findings.contains(&index)));
}

#[test]
fn the_gravest_comes_first() {
    let story = a_run().act("refund").on("order:1").times_out().act("refund").on("order:1");
    let severities: Vec<_> = story.fold().findings.iter().map(|found| found.code.severity()).collect();
    assert!(severities.len() > 2 && severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
}

#[test]
fn plumbing_alone_is_nothing_to_notice() {
    assert!(a_run().span(Kind::Other, "x").fold().findings.is_empty());
}
