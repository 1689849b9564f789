//! Trees as senders make them: loops, nonsense clocks, deep chains, plumbing.
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{SECOND, START, a_run, bytes, has, record, span};
use crate::domain::fold::{SAME_RUN, runs_of};
use crate::domain::ids::TraceId;
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run::Run;
use crate::domain::step::Link;
use crate::domain::value::Value;

fn chain(length: usize, kind: Kind) -> Vec<Record> {
    let trace = TraceId(bytes("chain"));
    (0..length)
        .map(|number| {
            let mut made = record(trace, &format!("s{number}"), START + number as u64, Some(START + SECOND));
            made.facts.kind = kind;
            made.facts.parent_span_id = number.checked_sub(1).map(|above| span(&format!("s{above}")));
            made
        })
        .collect()
}

#[test]
fn loops_are_cut_and_everything_stays_visible() {
    let mut records = chain(3, Kind::Agent);
    records[0].facts.parent_span_id = Some(span("s2"));
    let mut own = record(records[0].facts.trace_id, "own", START, Some(START + 1));
    own.facts.parent_span_id = Some(span("own"));
    records.push(own);
    let forward = Run::of(&records, &[], START + 9 * SECOND);
    records.reverse();
    assert_eq!(forward, Run::of(&records, &[], START + 9 * SECOND));
    assert_eq!(forward.steps.len(), 4);
    assert!(has(&forward, Code::ParentLoop) && has(&forward, Code::RootMissing));
}

#[test]
fn deep_chains_fold_without_recursion() {
    let run = Run::of(&chain(130, Kind::Agent), &[], START + 9 * SECOND);
    assert_eq!(run.steps.last().unwrap().depth, 129);
    for kind in [Kind::Other, Kind::Transport, Kind::Act] {
        assert_eq!(Run::of(&chain(3_000, kind), &[], START + 9 * SECOND).completeness.record_count, 3_000);
    }
}

#[test]
fn plumbing_is_skipped_but_kept() {
    let story = a_run().agent("support");
    let agent = story.records[0].facts.span_id;
    let story = story.span(Kind::Other, "LangGraph").lasts(5).at(0).span(Kind::Other, "tools");
    let (outer, inner) = (story.records[1].facts.span_id, story.records[2].facts.span_id);
    let story = story.below(Some(outer)).at(0).act("refund").below(Some(inner));
    let run = story.fold();
    let shown: Vec<(&str, u32)> = run.steps.iter().map(|step| (step.name.as_str(), step.depth)).collect();
    assert_eq!(shown, [("support", 0), ("LangGraph", 1), ("tools", 1), ("execute_tool refund", 1)]);
    assert_eq!(run.steps[3].parent_step_id.as_deref(), Some(agent.to_string().as_str()));
}

#[test]
fn nonsense_clocks_neither_lose_nor_stretch_anything() {
    let story = a_run().act("good").act("epoch").act("future").act("backwards");
    let mut records = story.finished();
    records[1].facts.started_ns = 0;
    records[1].facts.ended_ns = Some(0);
    records[2].facts.started_ns = u64::MAX;
    records[2].facts.ended_ns = Some(u64::MAX);
    records[3].facts.ended_ns = Some(1);
    let run = Run::of(&records, &[], START + 60 * SECOND);
    assert_eq!(run.steps.len(), 4);
    assert!(run.started_ns >= START && run.ended_ns.unwrap() < START + 60 * SECOND);
    assert!(run.steps.iter().all(|step| step.gap_before_ns < 60 * SECOND));
}

#[test]
fn traces_joined_by_links_are_one_run_only_where_a_convention_says_so() {
    let link = |attributes| Link { trace_id: TraceId(bytes("a")), span_id: span("x"), attributes };
    let traces = |attributes: Vec<(String, Value)>, dialect: &str| {
        let first = record(TraceId(bytes("a")), "x", START, Some(START + 1));
        let mut second = record(TraceId(bytes("b")), "y", START, Some(START + 1));
        second.facts.links.push(link(attributes));
        second.facts.dialect = dialect.to_owned();
        runs_of(vec![first, second]).len()
    };
    assert_eq!(traces(Vec::new(), "otel"), 2);
    assert_eq!(traces(Vec::new(), "autogen+otel"), 1);
    assert_eq!(traces(vec![(SAME_RUN.to_owned(), Value::Bool(true))], "otel"), 1);
}

#[test]
fn nothing_at_all_is_a_run_without_steps() {
    let run = Run::of(&[], &[], START);
    assert!(run.steps.is_empty() && run.findings.is_empty());
    assert!(runs_of(Vec::new()).is_empty());
}
