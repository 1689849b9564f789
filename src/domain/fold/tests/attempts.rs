//! Which executions are attempts of one step, rule by rule, and which are not.
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{Story, a_run, has, of_tool, step, told};
use crate::domain::kind::Kind;
use crate::domain::outcome::Gate;
use crate::domain::outcome::Outcome::{Confirmed, Unknown};
use crate::domain::run::Slot;

/// The attempts of each step of a tool.
fn steps(story: &Story, tool: &str) -> Vec<Vec<String>> {
    of_tool(&story.fold(), tool).into_iter().map(told).collect()
}

#[test]
fn each_rule_links_and_says_so() {
    let node = |facts: &mut crate::domain::step::Facts| facts.link_keys.push("langgraph=tools:1".to_owned());
    let refund = || a_run().act("refund");
    let cases = [
        (refund().call("c1").times_out().act("refund").call("c1"), "same call id"),
        (
            refund().with(node).arguments("a").times_out().act("refund").with(node).arguments("a"),
            "langgraph node",
        ),
        (refund().on("order:1").times_out().act("refund").on("order:1"), "same tool and target"),
        (refund().arguments("a").times_out().act("refund").arguments("a"), "same tool and arguments"),
        (refund().key("k").times_out().act("refund").key("k"), "same key"),
        (refund().step("s").times_out().act("refund").step("s"), "given"),
    ];
    for (story, rule) in cases {
        let linked = steps(&story, "refund");
        assert_eq!(linked.len(), 1, "{rule}");
        assert!(linked[0][1].ends_with(&format!("({rule})")), "{linked:?} {rule}");
    }
}

#[test]
fn a_model_call_is_tried_again_by_its_input_under_the_same_parent() {
    let retried = a_run().think().saw(&["s", "u"]).fails("APIError", "429").think().saw(&["s", "u"]);
    let run = retried.fold();
    assert_eq!(run.steps.len(), 1);
    assert_eq!(run.steps[0].attempts().last().unwrap().link, Some("same model input"));
    let good = a_run().think().saw(&["s", "u"]).think().saw(&["s", "u"]);
    assert_eq!(good.fold().steps.len(), 2, "the first did not fail");
    let other = a_run().think().saw(&["s", "u"]).fails("APIError", "429").think().saw(&["s", "u", "v"]);
    assert_eq!(other.fold().steps.len(), 2, "another input");
}

#[test]
fn near_misses_are_steps_of_their_own() {
    let refund = || a_run().act("refund").on("order:1");
    let cases = [
        ("after a confirmed one", refund().act("refund").on("order:1")),
        ("another target", refund().arguments("a").times_out().act("refund").on("order:2").arguments("a")),
        ("another tool", refund().times_out().act("refund_all").on("order:1")),
        ("overlapping", refund().times_out().at(5).act("refund").on("order:1")),
        ("starting together", refund().times_out().at(0).act("refund").on("order:1")),
        ("two given steps", refund().step("a").times_out().act("refund").on("order:1").step("b")),
        ("a given first attempt", refund().times_out().act("refund").on("order:1").attempt(1)),
        ("still running", refund().never_ends().now(60).at(5).act("refund").on("order:1")),
        ("no arguments, no target", a_run().act("refund").times_out().act("refund")),
    ];
    for (what, story) in cases {
        let run = story.fold();
        assert_eq!(run.steps.iter().filter(|step| step.kind == Kind::Act).count(), 2, "{what}");
    }
}

#[test]
fn parallel_siblings_that_both_fail_are_each_retried_once() {
    let story =
        a_run().act("refund").arguments("a").times_out().at(0).act("refund").arguments("a").times_out();
    let story = story.at(40).act("refund").arguments("a").at(40).act("refund").arguments("a");
    let linked = steps(&story, "refund");
    let expected = ["1 unknown", "2 confirmed (same tool and arguments)"];
    assert_eq!(linked, [expected, expected]);
}

#[test]
fn a_call_that_died_is_retried_after_its_deadline() {
    let story = a_run().act("refund").on("order:1").never_ends().at(1200).act("refund").on("order:1");
    assert_eq!(steps(&story, "refund"), [["1 unknown", "2 confirmed (same tool and target)"]]);
}

#[test]
fn a_held_repeat_is_an_attempt_also_after_success() {
    let story = a_run().act("refund").on("order:1").key("k").act("refund").on("order:1").key("k");
    let story = story.gate(Gate::Duplicate);
    let run = story.fold();
    assert_eq!(told(&run.steps[0]), ["1 confirmed", "2 - (same key)"]);
    assert_eq!(run.steps[0].outcome, Some(Confirmed));
    assert!(!has(&run, Code::DoubleEffect));
}

#[test]
fn arguments_come_from_the_proposal_where_the_span_has_none() {
    let story = a_run().think().proposes("refund", "c1", "a").act("refund").call("c1").times_out();
    let story = story.think().proposes("refund", "c2", "a").act("refund").call("c2");
    let run = story.fold();
    let refund = of_tool(&run, "refund");
    assert_eq!(told(refund[0]), ["1 unknown", "2 confirmed (same tool and arguments)"]);
    assert_eq!(refund[0].attempts().next().unwrap().arguments.as_ref().unwrap().preview, "a");
    assert_eq!(refund[0].proposed_by.as_ref(), Some(&run.steps[0].step_id));
    let by: Vec<_> = refund[0].attempts().map(|attempt| attempt.proposed_by.clone().unwrap()).collect();
    assert_eq!(
        by,
        [run.steps[0].step_id.clone(), run.steps[2].step_id.clone()],
        "each by its own model call"
    );
}

#[test]
fn an_execution_without_call_id_joins_the_nearest_equal_proposal() {
    let story = a_run().think().proposes("refund", "c1", "a").think().proposes("refund", "c2", "b");
    let run = story.act("refund").arguments("a").act("refund").arguments("b").fold();
    let by: Vec<_> =
        of_tool(&run, "refund").into_iter().map(|step| step.proposed_by.clone().unwrap()).collect();
    assert_eq!(by, [run.steps[0].step_id.clone(), run.steps[1].step_id.clone()]);
}

#[test]
fn a_bare_argument_joins_the_nearest_proposal_of_the_tool() {
    let story =
        a_run().think().proposes("look", "c1", "{\"order_id\":\"4812\"}").read("look").arguments("4812");
    let run = story.fold();
    assert_eq!(of_tool(&run, "look")[0].proposed_by.as_ref(), Some(&run.steps[0].step_id));
    let named =
        a_run().think().proposes("look", "c1", "{\"id\":1}").read("look").arguments("{\"id\":2}").fold();
    assert_eq!(of_tool(&named, "look")[0].proposed_by, None, "other arguments are another call");
}

#[test]
fn gaps_are_shown_as_gaps() {
    let story = a_run().act("order").step("s").attempt(1).fails("422", "").after(1);
    let run = story.act("order").step("s").attempt(4).fold();
    assert_eq!(told(step(&run, "s")), ["1 failed", "2 missing", "3 missing", "4 confirmed (given)"]);
    assert!(has(&run, Code::AttemptMissing));
    let first = a_run().act("order").step("s").attempt(2).fold();
    assert_eq!(told(step(&first, "s")), ["1 missing", "2 confirmed"]);
    let huge = a_run().act("order").step("s").attempt(u32::MAX).fold();
    assert_eq!(step(&huge, "s").attempts.len(), 65, "bounded");
}

#[test]
fn numbers_that_start_again_are_kept_and_said() {
    let story = a_run().act("order").step("s").attempt(1).times_out().act("order").step("s").attempt(2);
    let run = story.times_out().act("order").step("s").attempt(1).fold();
    assert_eq!(told(step(&run, "s")), ["1 unknown", "2 unknown (given)", "1 confirmed (given)"]);
    assert!(has(&run, Code::AttemptRestarted));
}

#[test]
fn a_given_id_on_everything_below_makes_no_attempts() {
    let story = a_run().act("refund").step("s");
    let outer = story.records[0].facts.span_id;
    let story = story.at(0).span(Kind::Other, "inside").step("s").below(Some(outer));
    let story = story.at(0).act("other_tool").step("s").below(Some(outer));
    let run = story.fold();
    assert_eq!(told(step(&run, "s")), ["1 confirmed"]);
    assert_eq!(run.steps.len(), 3);
}

#[test]
fn a_span_around_numbered_attempts_is_plumbing() {
    let story = a_run().act("refund").lasts(9);
    let outer = story.records[0].facts.span_id;
    let story = story.at(0).act("refund").attempt(1).step("s").below(Some(outer)).fails("X", "");
    let story = story.at(2).act("refund").attempt(2).step("s").below(Some(outer));
    let run = story.fold();
    assert_eq!(run.steps.iter().map(|step| step.kind).collect::<Vec<_>>(), [Kind::Other, Kind::Act]);
    assert_eq!(told(step(&run, "s")), ["1 unknown", "2 confirmed (given)"]);
    assert_eq!(step(&run, "s").outcome, Some(Unknown));
}

#[test]
fn three_spans_of_one_mcp_call_are_one_step() {
    let story = a_run().act("mcp__pay__refund").lasts(9).call("c1");
    let outer = story.records[0].facts.span_id;
    let story =
        story.at(0).act("refund").below(Some(outer)).key("k1").with(|facts| facts.dialect = "mcp".into());
    let client = story.records[1].facts.span_id;
    let story = story.at(0).span(Kind::Transport, "MCP send tools/call refund").below(Some(client));
    let send = story.records[2].facts.span_id;
    let story = story.at(0).act("refund").below(Some(send)).fails("tool_error", "timed out");
    let run = story.fold();
    assert_eq!(run.steps.len(), 1);
    let attempt = run.steps[0].attempts().next().unwrap();
    assert_eq!(attempt.transports.len(), 3);
    assert_eq!(attempt.record.facts.key.as_deref(), Some("k1"));
    assert_eq!(run.steps[0].outcome, Some(Unknown), "the server's own span is the better evidence");
}

#[test]
fn one_model_call_instrumented_twice_is_one_step() {
    let story = a_run().think();
    let outer = story.records[0].facts.span_id;
    let run = story.at(0).think().below(Some(outer)).saw(&["s"]).fold();
    assert_eq!(run.steps.len(), 1);
    let attempt = run.steps[0].attempts().next().unwrap();
    assert_eq!((attempt.transports.len(), attempt.record.context.len()), (1, 1));
    assert_eq!(crate::domain::summary::RunSummary::of(&run).tokens_in, Some(100));
}

#[test]
fn an_http_call_below_no_step_stays_visible() {
    let run = a_run().agent("a").span(Kind::Transport, "POST").fold();
    assert_eq!(run.steps.iter().map(|step| step.kind).collect::<Vec<_>>(), [Kind::Agent, Kind::Transport]);
    assert!(matches!(run.steps[1].attempts[0], Slot::Attempt(_)));
}
