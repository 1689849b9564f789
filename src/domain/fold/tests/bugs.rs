//! The public bug log's entries that the fold decides, by their names.
use crate::domain::case::CaseAct;
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{
    SECOND, START, a_run, a_trace, bytes, codes, digest, has, message, of_tool, record, span, step, told, why,
};
use crate::domain::fold::{Part, runs_of};
use crate::domain::ids::TraceId;
use crate::domain::kind::{Kind, Status};
use crate::domain::outcome::Outcome::{Confirmed, Failed, Submitted, Unknown};
use crate::domain::outcome::{Evidence, Gate};
use crate::domain::run::{Run, RunState, Slot, Whole};
use crate::domain::step::{Failure, Tokens};
use crate::domain::summary::RunSummary;

#[test]
fn b14_the_same_batch_arrives_again() {
    let story = a_run().span(Kind::Other, "run").act("refund").step("st-3").attempt(1).key("k1");
    let story = story.with(|facts| facts.tokens = Tokens { input: Some(100), ..Tokens::default() });
    let once = story.fold();
    let mut records = story.finished();
    records.extend(story.finished().into_iter().rev());
    records.extend(story.finished());
    for (late, record) in records.iter_mut().enumerate().skip(2) {
        record.received_ns += late as u64;
    }
    let again = Run::of(&records, &[], story.when());
    assert_eq!(once, again);
    let summary = RunSummary::of(&again);
    assert_eq!((summary.step_count, summary.attempt_count, summary.tokens_in), (2, 2, Some(100)));
    assert_eq!(step(&again, "st-3").attempts().next().unwrap().record.facts.gate, Gate::None);
}

#[test]
fn b18_child_first_and_root_late() {
    let child = a_run().act("refund").step("st-2").below(Some(span("root")));
    let run = child.fold();
    let shown: Vec<(&str, u32)> = run.steps.iter().map(|step| (step.name.as_str(), step.depth)).collect();
    assert_eq!(shown, [("Parent not received yet", 0), ("execute_tool refund", 1)]);
    assert_eq!(run.steps[0].attempts, [Slot::Missing(1)]);
    assert_eq!(run.steps[1].parent_step_id.as_deref(), Some(span("root").to_string().as_str()));
    assert!(has(&run, Code::ParentMissing) && has(&run, Code::RootMissing));
    assert_eq!(run.completeness.verdict, Whole::No);

    let mut records = child.finished();
    let mut root = record(records[0].facts.trace_id, "root", START - 5 * SECOND, Some(START + 5 * SECOND));
    root.facts.kind = Kind::Agent;
    root.facts.run_id = Some("r1".to_owned());
    records.push(root);
    let run = Run::of(&records, &[], child.when());
    let shown: Vec<(&str, u32)> = run.steps.iter().map(|step| (step.name.as_str(), step.depth)).collect();
    assert_eq!(shown, [("root", 0), ("execute_tool refund", 1)]);
    assert!(!has(&run, Code::ParentMissing) && !has(&run, Code::RootMissing));
}

#[test]
fn b18_two_roots_name_the_run_the_same_in_every_order() {
    let story =
        a_run().span(Kind::Agent, "main agent").at(0).span(Kind::Agent, "remote sub agent").act("tool");
    let mut records = story.finished();
    let forward = Run::of(&records, &[], story.when());
    records.reverse();
    assert_eq!(forward, Run::of(&records, &[], story.when()));
    assert_eq!(forward.steps.iter().filter(|step| step.depth == 0).count(), 3);
}

#[test]
fn b18_parent_that_is_the_trace_id() {
    let story = a_run().act("tool");
    let trace = story.records[0].facts.trace_id;
    let parent = crate::domain::ids::SpanId(trace.0[..8].try_into().unwrap());
    let run = story.below(Some(parent)).fold();
    assert_eq!(run.steps.len(), 2);
    assert!(run.steps.iter().any(|step| step.step_id == parent.to_string()));
}

#[test]
fn b19_never_ended_is_submitted_then_unknown() {
    let story = a_run().act("charge").step("st-4").attempt(1).key("k4").never_ends();
    let run = story.clone().now(60).fold();
    assert_eq!(why(&run, "st-4"), (Some(Submitted), None, "Sent, no answer yet".to_owned()));
    assert_eq!((run.state, run.ended_ns), (RunState::Running, None));
    assert_eq!(RunSummary::of(&run).unknown_at_ns, Some(START + 900 * SECOND));
    let run = story.now(2400).fold();
    let expected = (Some(Unknown), Some(Evidence::Timeout), "No answer after 40 min".to_owned());
    assert_eq!(why(&run, "st-4"), expected);
    assert_eq!(run.state, RunState::Lost);
    assert!(has(&run, Code::NeverEnded) && has(&run, Code::UnknownOpen));
    assert_eq!(RunSummary::of(&run).unknown_at_ns, None);
}

#[test]
fn b19_a_run_goes_on_after_its_root_ended() {
    let story = a_run().span(Kind::Agent, "run").after(1).act("late tool").lasts(7);
    let root = story.records[0].facts.span_id;
    let run = Run::of(&story.below(Some(root)).records, &[], START + 60 * SECOND);
    assert_eq!((run.steps.len(), run.ended_ns), (2, Some(START + 9 * SECOND)));
}

#[test]
fn b19_a_pending_span_is_a_version_of_the_span() {
    let story = a_run().act("tool").lasts(4);
    let mut records = story.finished();
    let mut pending = records[0].clone();
    pending.record_id.0 = bytes("pending");
    pending.facts.ended_ns = None;
    records.push(pending);
    let run = Run::of(&records, &[], story.when());
    assert_eq!(run.steps.len(), 1);
    assert_eq!(run.steps[0].attempts().next().unwrap().versions.len(), 1);
    assert!(!has(&run, Code::ConflictingVersions), "a start and its end do not conflict");
}

#[test]
fn b20_two_contents_for_one_span() {
    let story = a_run().act("tool").lasts(4);
    let mut records = story.finished();
    let mut other = records[0].clone();
    other.record_id.0 = bytes("other");
    other.facts.ended_ns = Some(START + 3 * SECOND);
    records.push(other);
    let forward = Run::of(&records, &[], story.when());
    records.reverse();
    assert_eq!(forward, Run::of(&records, &[], story.when()));
    let attempt = forward.steps[0].attempts().next().unwrap();
    assert_eq!(attempt.record.facts.ended_ns, Some(START + 4 * SECOND), "the latest end counts");
    assert_eq!(attempt.versions.len(), 1);
    assert!(has(&forward, Code::ConflictingVersions));
}

#[test]
fn b22_ten_thousand_steps() {
    let trace = TraceId(bytes("T1"));
    let mut records = Vec::new();
    for number in 0..10_000_u64 {
        let start = START + number * SECOND;
        let mut made = record(trace, &format!("s{number}"), start, Some(start + SECOND));
        made.facts.run_id = Some("r1".to_owned());
        made.facts.kind = if number % 100 == 0 { Kind::Agent } else { Kind::Read };
        made.facts.tool = Some(format!("get_{}", number % 7));
        made.facts.parent_span_id = (number % 100 != 0).then(|| span(&format!("s{}", number - number % 100)));
        if (9731..9734).contains(&number) {
            made.facts.kind = Kind::Act;
            made.facts.step_id = Some("st-9731".to_owned());
            made.facts.attempt = Some(u32::try_from(number - 9730).unwrap());
            made.facts.status = Status::Error;
            made.facts.error = Some(Failure { kind: "422".to_owned(), message: String::new() });
        }
        records.push(made);
    }
    let run = Run::of(&records, &[], START + 20_000 * SECOND);
    assert_eq!(run.steps.len(), 9_998);
    assert_eq!(told(step(&run, "st-9731")), ["1 failed", "2 failed (given)", "3 failed (given)"]);
    assert_eq!(RunSummary::of(&run).attempt_count, 10_000);
}

#[test]
fn b23_identity_is_found_late_and_anywhere() {
    let session = |id: &'static str| {
        move |facts: &mut crate::domain::step::Facts| facts.session_id = Some(id.to_owned())
    };
    let root_only = a_trace("T1").agent("agent").with(session("chat-9")).think().act("tool").fold();
    assert_eq!(root_only.session_id.as_deref(), Some("chat-9"));
    assert_eq!(RunSummary::of(&root_only).tokens_in, Some(100));
    let child_only = a_trace("T3").agent("agent").think().with(session("chat-11")).fold();
    assert_eq!(child_only.session_id.as_deref(), Some("chat-11"));
    assert!(!has(&child_only, Code::ConflictingIdentity));
    let both = a_trace("T4").agent("agent").with(session("app-1")).think().with(session("7f3c-inner")).fold();
    assert_eq!(both.session_id.as_deref(), Some("app-1"));
    let expected = "2 sessions are given: app-1 and 7f3c-inner; app-1 groups the run";
    assert_eq!(message(&both, Code::ConflictingIdentity), expected);
}

#[test]
fn b24_one_run_over_two_traces_with_a_pause() {
    let story = a_run().trace("T1").agent("agent").worker("wa", 1).think().act("ask approval").step("st-2");
    let story = story.at(7200).trace("T2").agent("agent resume").worker("wb", 2).linked_to("T1");
    let story = story.act("refund").step("st-3").at(10_800).trace("T3").no_run().agent("resume without id");
    let story = story.linked_to("T2");
    let parts = runs_of(story.finished());
    let t3 = TraceId(bytes("T3"));
    assert_eq!(parts.keys().cloned().collect::<Vec<_>>(), [t3.to_string(), "r1".to_owned()]);
    let run = story.fold_run("r1");
    assert_eq!(run.traces, [TraceId(bytes("T1")), TraceId(bytes("T2"))]);
    assert_eq!(run.workers, ["wa", "wb"]);
    let names: Vec<&str> = run.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(
        names,
        ["agent", "chat gpt-5", "execute_tool ask approval", "agent resume", "execute_tool refund"]
    );
    let gaps: Vec<u64> = run.steps.iter().map(|step| step.gap_before_ns / SECOND).collect();
    assert_eq!(gaps, [0, 0, 0, 7198, 0]);
    let linked = story.fold_run(&t3.to_string());
    assert_eq!(linked.linked_traces, [TraceId(bytes("T2"))]);
    assert_eq!((linked.run_id_given, run.run_id_given), (false, true));
}

#[test]
fn b24_equal_span_ids_in_two_traces_are_two_steps() {
    let mut records = a_run().trace("T1").act("a").finished();
    let mut twin = a_run().trace("T2").act("b").finished().remove(0);
    twin.facts.span_id = records[0].facts.span_id;
    twin.facts.started_ns += 9;
    records.push(twin);
    let run = Run::of(&records, &[], START + 60 * SECOND);
    let ids: Vec<&str> = run.steps.iter().map(|step| step.step_id.as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn b26_containers_are_never_summed() {
    let tokens = |input| move |facts: &mut crate::domain::step::Facts| facts.tokens.input = Some(input);
    let run =
        a_run().agent("invoke_agent").with(tokens(300)).think().with(tokens(100)).think().with(tokens(200));
    assert_eq!(RunSummary::of(&run.fold()).tokens_in, Some(300));
    let rolled_up = a_run().agent("invoke_agent").with(tokens(300)).act("tool").fold();
    assert_eq!(RunSummary::of(&rolled_up).tokens_in, Some(300));
    assert_eq!(RunSummary::of(&a_run().agent("invoke_agent").act("tool").fold()).tokens_in, None);
}

#[test]
fn b29_a_proposal_cut_off_in_the_stream() {
    let story = a_run().think().proposes("delete_records", "c1", "{\"target\":\"acct-42\",\"dry_ru");
    let mut story = story.act("delete_records").call("c1").arguments("{\"target\":\"acct-42\"}").step("st-2");
    story.records[0].proposed[0].call.complete = false;
    story.records[0].proposed[0].arguments_canonical = None;
    let run = story.fold();
    assert!(has(&run, Code::ProposalIncomplete) && has(&run, Code::ArgumentsDiffer));
    assert_eq!(step(&run, "st-2").proposed_by, Some(run.steps[0].step_id.clone()));
}

#[test]
fn b32_attempts_that_arrive_out_of_order() {
    let story = a_run().at(0).act("refund").step("st-3").attempt(1).arguments("a").status(503).lasts(2);
    let story = story.at(9).act("refund").step("st-3").attempt(3).arguments("b").ok();
    let story = story.at(4).act("refund").step("st-3").attempt(2).status(429);
    let run = story.fold();
    let step = step(&run, "st-3");
    assert_eq!(told(step), ["1 unknown", "2 failed (given)", "3 confirmed (given)"]);
    let reasons: Vec<&str> = step.attempts().map(|attempt| attempt.reason.as_str()).collect();
    let expected = [
        "Answered 503: we can't say what it did",
        "Refused with 429, not executed",
        "Answered OK, not read back",
    ];
    assert_eq!(reasons, expected);
    assert!(step.attempts().all(|attempt| attempt.given));
    assert!(!has(&run, Code::AttemptMissing) && !has(&run, Code::AttemptRestarted));
}

#[test]
fn b32_temporal_and_unnumbered_attempts() {
    let activity = |facts: &mut crate::domain::step::Facts| {
        facts.link_keys.push("temporal=wf/run/a1".to_owned());
    };
    let story = a_run().act("refund").attempt(1).with(activity).fails("ApplicationError", "").after(2);
    let run = story.act("refund").attempt(2).with(activity).fold();
    assert_eq!(told(&run.steps[0]), ["1 unknown", "2 confirmed (temporal activity)"]);

    let story = a_run().act("refund").step("st-1").fails("X", "").after(1).act("refund").step("st-1");
    let run = story.fold();
    assert_eq!(told(step(&run, "st-1")), ["1 unknown", "2 confirmed (given)"]);
    assert!(step(&run, "st-1").attempts().all(|attempt| !attempt.given), "the numbers are inferred");
}

#[test]
fn b33_ran_again_after_it_had_succeeded() {
    let charge = |story: crate::domain::fold::tests::story::Story, number| {
        story.act("charge").step("st-2").attempt(number).on("order:7001").says(Confirmed)
    };
    let story = charge(a_run(), 1).call("call_1").think().status(500);
    let story = charge(story.after(3).trace("T2"), 2).call("call_3");
    let run = story.fold();
    assert_eq!(told(step(&run, "st-2")), ["1 confirmed", "2 confirmed (given)"]);
    assert_eq!(message(&run, Code::DoubleEffect), "charge on order:7001 took effect 2 times");
    assert_eq!(run.verdict.line, "charge took effect 2 times on order:7001, where 1 was intended");

    let other_order = a_run().act("charge").step("st-8").on("order:7001").arguments("100").after(1);
    let run = other_order.act("charge").step("st-9").on("order:7002").arguments("100").fold();
    assert_eq!(of_tool(&run, "charge").len(), 2);
    assert!(!has(&run, Code::DoubleEffect) && !has(&run, Code::RetriedWhileUnknown));
}

#[test]
fn b34_no_answer_is_not_no() {
    let story = a_run().act("refund").step("st-3").attempt(1).key("k1").on("order:7003").lasts(30);
    let story = story.fails("timeout", "deadline exceeded");
    assert_eq!(why(&story.fold(), "st-3").0, Some(Unknown));
    assert_eq!(why(&story.fold(), "st-3").2, "No answer after 30 s");

    let story = story.after(10).act("refund").step("st-3").attempt(2).key("k1b").on("order:7003").ok();
    let story = story.at(60).read("lookup refund").step("st-3r").status(401);
    let run = story.fold();
    assert_eq!(told(step(&run, "st-3")), ["1 unknown", "2 confirmed (given)"]);
    let blind = "Attempt 2 of refund on order:7003 ran 10 s after attempt 1, whose outcome was unknown";
    assert_eq!(message(&run, Code::RetriedWhileUnknown), blind);
    assert_eq!(message(&run, Code::KeyChanged), format!("{blind}, under a different key"));
    assert!(has(&run, Code::RetriedWhileUnknown) && has(&run, Code::UnknownOpen));
    assert_eq!(step(&run, "st-3").outcome, Some(Unknown), "attempt 1 stays open");
    assert_eq!(run.verdict.line, "refund took effect once on order:7003, and may have again");

    let cases = [("ECONNRESET", Unknown), ("422", Failed), ("502", Unknown)];
    for (kind, outcome) in cases {
        let run = a_run().act("refund").step("st").fails(kind, "").fold();
        assert_eq!(step(&run, "st").outcome, Some(outcome), "{kind}");
    }
    let read = a_run().read("get_order").step("st-5").fails("timeout", "").fold();
    assert_eq!(step(&read, "st-5").outcome, None, "a read has no outcome");
}

#[test]
fn b34_closing_keeps_the_record_and_the_first_closer_wins() {
    let story = a_run().act("refund").step("st-3").times_out().now(500);
    let closed = story.resolved(100, "st-3", Confirmed).resolved(101, "st-3", Failed);
    let run = closed.fold();
    assert_eq!(told(step(&run, "st-3")), ["1 unknown->confirmed by resolution"]);
    assert!(!has(&run, Code::UnknownOpen));
    let corrected = closed.case(200, "st-3", CaseAct::Reopen("wrong order".to_owned()));
    assert_eq!(told(step(&corrected.fold(), "st-3")), ["1 unknown"]);
    let corrected = corrected.resolved(300, "st-3", Failed);
    assert_eq!(told(step(&corrected.fold(), "st-3")), ["1 unknown->failed by resolution"]);
}

#[test]
fn b36_success_that_did_nothing() {
    let silent = a_run().act("close").step("st-1").on("acct:42").status(200);
    let expected = (Some(Confirmed), Some(Evidence::Status), "Answered OK, not read back".to_owned());
    assert_eq!(why(&silent.fold(), "st-1"), expected);
    let contradicted = silent.span(Kind::Read, "read back").step("st-1v").verifies("st-1").ok().fold();
    assert_eq!(step(&contradicted, "st-1").outcome, Some(Unknown));
    assert!(has(&contradicted, Code::ReadBackContradicts) && has(&contradicted, Code::UnknownOpen));
    assert_eq!(step(&contradicted, "st-1v").verifies.as_deref(), Some("st-1"));

    let accepted = a_run().act("send_email").step("st-1").status(202);
    assert_eq!(step(&accepted.fold(), "st-1").outcome, Some(Submitted));
    assert!(has(&accepted.clone().now(3600).fold(), Code::NotReadBack));
    assert_eq!(step(&accepted.now(3600).fold(), "st-1").outcome, Some(Submitted), "it does not lapse");

    let said = a_run().act("send_email").step("st-1").says(Confirmed);
    let run = said.span(Kind::Read, "read back").verifies("st-1").fold();
    assert_eq!(step(&run, "st-1").outcome, Some(Confirmed));
}

#[test]
fn b36_refusals_are_no_empty_result() {
    let mut story = a_run();
    for number in 1..=6 {
        story = story.read("lookup_account").step("st-1").attempt(number).status(429).after(2);
    }
    let run = story.span(Kind::Other, "row written").step("st-1").result("").ok().fold();
    assert_eq!(step(&run, "st-1").attempts().count(), 6);
    let expected = "lookup_account gave up after 6 refusals and was never executed";
    assert_eq!(message(&run, Code::ThrottledOut), expected);
    assert_eq!(run.verdict.line, expected);
}

#[test]
fn b38_a_pause_is_no_failure() {
    let story = a_run().act("approve refund").step("st-2").attempt(1);
    let story = story.fails("langgraph.errors.GraphInterrupt", "Interrupt(value=approve?)");
    assert_eq!(why(&story.fold(), "st-2"), (None, None, "Paused".to_owned()));
    let run = story.trace("T2").act("approve refund").step("st-2").attempt(2).ok().fold();
    assert_eq!(told(step(&run, "st-2")), ["1 -", "2 confirmed (given)"]);
    assert!(codes(&run).contains(&Code::Paused) && !has(&run, Code::RetriedWhileUnknown));
}

#[test]
fn new_context_is_what_the_call_before_had_not_seen() {
    let story = a_run().agent("a").think().saw(&["sys", "ask"]).think().saw(&["sys", "ask", "result"]);
    let run = story.fold();
    let new: Vec<usize> = run
        .steps
        .iter()
        .flat_map(|step| step.attempts())
        .map(|attempt| attempt.new_in_context.len())
        .collect();
    assert_eq!(new, [0, 2, 1]);
    let last = run.steps[2].attempts().next().unwrap();
    assert_eq!(last.new_in_context, [digest("result")]);
}

#[test]
fn a_part_knows_parents_outside_its_run() {
    let story = a_run().agent("outer").with(|facts| facts.user_id = Some("u1".to_owned()));
    let story = story.act("tool").run("r2").span(Kind::Agent, "inner").act("inner tool");
    let inner = story.records[2].facts.span_id;
    let story = story.below(Some(inner)).no_run();
    let parts: Vec<(String, Part)> = runs_of(story.finished()).into_iter().collect();
    let sizes: Vec<(&str, usize)> =
        parts.iter().map(|(id, part)| (id.as_str(), part.records.len())).collect();
    assert_eq!(sizes, [("r1", 2), ("r2", 2)]);
    let run = story.fold_run("r2");
    assert!(!has(&run, Code::ParentMissing) && !has(&run, Code::RootMissing));
    assert_eq!(run.user_id.as_deref(), Some("u1"));
    assert_eq!(run.steps.iter().map(|step| step.depth).collect::<Vec<_>>(), [0, 1]);
}
