//! The seeds' stories, whole: what the page would say of each.
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{Story, a_run, codes, has, message, of_tool, step, told};
use crate::domain::outcome::Gate;
use crate::domain::outcome::Outcome::{Confirmed, Failed, Unknown};
use crate::domain::run::{Run, RunState, Slot, Tone, Whole};
use crate::domain::summary::RunSummary;

fn asked() -> Story {
    a_run()
        .agent("support")
        .think()
        .saw(&["ask"])
        .proposes("lookup_order", "c1", "4812")
        .read("lookup_order")
        .call("c1")
        .on("order:4812")
        .arguments("4812")
}

fn refund(story: Story, call: &str) -> Story {
    let story = story.think().saw(&["ask", call]).proposes("issue_refund", call, "4812 40");
    story.act("issue_refund").call(call).on("order:4812").arguments("4812 40")
}

fn tone_line_detail(run: &Run) -> (Tone, &str, &str) {
    (run.verdict.tone, &run.verdict.line, &run.verdict.detail)
}

#[test]
fn happy_path_is_calm() {
    let run = refund(asked(), "c2").key("k1").says(Confirmed).think().saw(&["ask", "c2", "done"]).fold();
    assert_eq!(codes(&run), [Code::IntentNotDurable]);
    let expected = (Tone::Confirmed, "issue_refund took effect on order:4812", "nothing unknown");
    assert_eq!(tone_line_detail(&run), expected);
    assert_eq!(run.completeness.verdict, Whole::NotProvable);
    assert_eq!(run.state, RunState::Ended);
}

#[test]
fn naive_timeout_after_commit() {
    let story = refund(refund(asked(), "c2").times_out().result("Error: timed out"), "c3");
    let run = story.think().saw(&["ask", "c3", "done"]).fold();
    let refunds = of_tool(&run, "issue_refund");
    assert_eq!(refunds.len(), 1);
    assert_eq!(told(refunds[0]), ["1 unknown", "2 confirmed (same tool and target)"]);
    let expected = [Code::RetriedWhileUnknown, Code::NoKey, Code::UnknownOpen, Code::RawErrorShown];
    assert_eq!(codes(&run), expected);
    assert_eq!(
        tone_line_detail(&run),
        (
            Tone::Finding,
            "issue_refund took effect once on order:4812, and may have again",
            "1 retry · 1 retry ran while the outcome was unknown · issue_refund on order:4812 still unknown",
        )
    );
    let refund_step = refunds[0].step_id.clone();
    let run = story_resolved(&run, &refund_step);
    assert_eq!(run.verdict.line, "issue_refund took effect 2 times on order:4812, where 1 was intended");
    assert!(has(&run, Code::DoubleEffect));
}

fn story_resolved(run: &Run, step_id: &str) -> Run {
    let story = refund(refund(asked(), "c2").times_out().result("Error: timed out"), "c3");
    assert_eq!(run.run_id, "r1");
    story.think().saw(&["ask", "c3", "done"]).resolved(600, step_id, Confirmed).now(700).fold()
}

fn designed() -> Story {
    let story = refund(asked(), "c2").key("r1:3:issue_refund:4812").step("3").attempt(1).gate(Gate::New);
    let story = story.worker("w-07", 4).times_out();
    let story =
        story.reconcile("list_refunds", Some(Confirmed)).key("r1:3:issue_refund:4812").worker("w-07", 4);
    let story = story.at(60).act("issue_refund").key("r1:3:issue_refund:4812").step("3").attempt(2);
    story.on("order:4812").gate(Gate::Duplicate).worker("w-12", 5)
}

#[test]
fn designed_timeout_after_commit() {
    let run = designed().act("send_email").key("r1:4:send_email").step("4").says(Confirmed).fold();
    assert_eq!(told(step(&run, "3")), ["1 unknown->confirmed by reconcile", "2 - (given)"]);
    assert_eq!(step(&run, "3").outcome, Some(Confirmed));
    assert_eq!(run.epochs, [4, 5]);
    let (tone, line, detail) = tone_line_detail(&run);
    assert_eq!((tone, line), (Tone::Confirmed, "2 of 2 effects confirmed"));
    assert_eq!(detail, "1 call held · 1 look-up · nothing unknown");
    for code in
        [Code::DoubleEffect, Code::RetriedWhileUnknown, Code::UnknownOpen, Code::NoKey, Code::StaleEpoch]
    {
        assert!(!has(&run, code), "{code}");
    }
    let alone = designed().fold();
    assert_eq!(alone.verdict.line, "issue_refund took effect on order:4812, looked up once");
}

#[test]
fn throttled_until_the_budget_is_spent() {
    let mut story = a_run();
    for _ in 0..6 {
        story = story.act("lookup_row").on("row:1").status(429).after(2);
    }
    let run = story.fold();
    assert_eq!(run.steps.len(), 1);
    assert_eq!(run.verdict.line, "lookup_row on row:1 gave up after 6 refusals and was never executed");
    assert_eq!(run.verdict.tone, Tone::Finding);
    let saved =
        a_run().act("lookup_row").on("row:1").status(429).after(2).act("lookup_row").on("row:1").fold();
    assert!(!has(&saved, Code::ThrottledOut));
}

#[test]
fn partial_completion() {
    let run = a_run().act("refund").on("order:1").act("update_order").on("order:1").status(500).fold();
    assert!(!has(&run, Code::PartialCompletion), "unknown is not failed");
    let run = a_run().act("refund").on("order:1").act("update_order").on("order:1").status(409).fold();
    assert_eq!(
        message(&run, Code::PartialCompletion),
        "1 of 2 acts took effect; update_order on order:1 did not"
    );
    assert_eq!(run.verdict.line, "1 of 2 effects confirmed, 1 failed");
    assert_eq!(run.verdict.tone, Tone::Failed);
}

#[test]
fn a_stale_worker_writes_after_lease_loss() {
    let story = a_run().act("deploy").on("cluster:1").worker("w-a", 1).at(10);
    let story = story.act("rollback").on("cluster:1").worker("w-b", 2).at(20);
    let run = story.act("promote").on("cluster:1").worker("w-a", 1).fold();
    assert_eq!(
        message(&run, Code::StaleEpoch),
        "w-a sent promote on cluster:1 under epoch 1 after epoch 2 had begun"
    );
    assert!(has(&run, Code::WorkersInterleave));
    let back = a_run().act("a").worker("w-a", 1).act("b").worker("w-b", 2).act("c").worker("w-a", 3).fold();
    assert!(
        !has(&back, Code::StaleEpoch) && !has(&back, Code::WorkersInterleave),
        "handed back with a new epoch"
    );
}

#[test]
fn three_emails() {
    let mail = |story: Story| story.act("send_email").on("account:2291").arguments("sorry").lasts(5);
    let story = mail(mail(mail(a_run()).fails("Timeout", "")).fails("Timeout", ""));
    let run = story.fold();
    assert_eq!(of_tool(&run, "send_email")[0].attempts().count(), 3);
    assert_eq!(run.verdict.line, "send_email took effect once on account:2291, and may have again");
    assert_eq!(RunSummary::of(&run).outcome, "unknown");
}

#[test]
fn the_key_expired_before_the_replay() {
    let expires = |facts: &mut crate::domain::step::Facts| {
        facts.key_expires_ns = Some(facts.started_ns + 3600 * 1_000_000_000)
    };
    let story = a_run().act("refund").step("s").key("k").with(expires).times_out();
    assert!(!has(&story.clone().now(600).fold(), Code::KeyExpired));
    assert!(has(&story.clone().now(7200).fold(), Code::KeyExpired));
    let run = story.at(7200).act("refund").step("s").key("k").fold();
    assert!(has(&run, Code::KeyExpired) && has(&run, Code::RetriedWhileUnknown));
}

#[test]
fn a_run_that_dies_and_resumes_on_another_worker() {
    let story =
        a_run().agent("support").worker("w-a", 1).never_ends().act("refund").step("3").key("k").attempt(1);
    let story =
        story.worker("w-a", 1).never_ends().at(1200).trace("t2").agent("support resume").worker("w-b", 2);
    let story = story.reconcile("find", Some(Failed)).verifies("3").worker("w-b", 2);
    let run = story.act("refund").step("3").key("k").attempt(2).worker("w-b", 2).says(Confirmed).fold();
    assert_eq!(told(step(&run, "3")), ["1 unknown->failed by reconcile", "2 confirmed (given)"]);
    assert!(!has(&run, Code::RetriedWhileUnknown) && !has(&run, Code::DoubleEffect));
    assert!(has(&run, Code::NeverEnded));
    assert_eq!(run.workers, ["w-a", "w-b"]);
    assert_eq!(step(&run, "3").outcome, Some(Confirmed));
}

#[test]
fn completeness_is_proven_only_by_the_runtimes_own_count() {
    let count = |number| move |facts: &mut crate::domain::step::Facts| facts.run_step_count = Some(number);
    let whole = a_run().think().act("refund").key("k").with(count(2)).fold();
    assert_eq!((whole.completeness.verdict, whole.completeness.gaps.len()), (Whole::Yes, 0));
    let short = a_run().think().act("refund").key("k").with(count(3)).fold();
    assert_eq!(short.completeness.gaps, ["2 of 3 steps have arrived"]);
    assert!(has(&short, Code::StepsMissing));
    let holed = a_run().act("refund").step("s").attempt(2).with(count(1)).fold();
    assert_eq!(holed.completeness.verdict, Whole::No);
    assert_eq!(step(&holed, "s").attempts[0], Slot::Missing(1));
    let lossy = a_run().act("refund").with(|facts| facts.dropped.events = 3).fold();
    assert_eq!(lossy.completeness.gaps, ["the client dropped 3 events before sending"]);
}

#[test]
fn reads_only_act_upon_nothing() {
    let run = asked().fold();
    assert_eq!((run.verdict.tone, run.verdict.line.as_str()), (Tone::None, "Nothing was acted upon"));
    assert_eq!(RunSummary::of(&run).outcome, "none");
    assert_eq!(Unknown.word(), "unknown");
}
