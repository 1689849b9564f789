//! Findings that fire, and near misses that must not.
use crate::domain::finding::{Code, Finding};
use crate::domain::fold::tests::story::{Story, a_run, has, message};
use crate::domain::kind::{Kind, KindSource};
use crate::domain::outcome::Outcome::Submitted;
use crate::domain::step::{Facts, Http};
use crate::domain::value::Value;

fn refund() -> Story {
    a_run().act("refund").on("order:1")
}

fn check(code: Code, fires: Vec<(&str, Story)>, quiet: Vec<(&str, Story)>) {
    for (what, story) in fires {
        assert!(has(&story.fold(), code), "{code} must fire: {what}");
    }
    for (what, story) in quiet {
        assert!(!has(&story.fold(), code), "{code} must not fire: {what}");
    }
}

#[test]
fn keys() {
    check(
        Code::NoKey,
        vec![("an act without one", refund())],
        vec![("an act with one", refund().key("k")), ("a read", a_run().read("get"))],
    );
    assert_eq!(
        message(&refund().fold(), Code::NoKey),
        "1 act carries no idempotency key, so nothing could recognise a repeat"
    );
    let twice =
        |a: &str, b: &str| refund().key("k").arguments(a).times_out().act("refund").key("k").arguments(b);
    check(
        Code::ArgumentsChangedUnderKey,
        vec![("another amount", twice("40", "50"))],
        vec![
            ("the same", twice("40", "40")),
            ("another key", refund().key("a").arguments("1").act("refund").key("b").arguments("2")),
        ],
    );
    let intent = |facts: &mut Facts| facts.outcome = Some(Submitted);
    check(
        Code::IntentNotDurable,
        vec![("a key and no intent", refund().key("k"))],
        vec![("an intent log", refund().key("k").log(intent)), ("no key: another finding", refund())],
    );
}

#[test]
fn repeats() {
    let again = |story: Story| story.act("refund").on("order:1");
    check(
        Code::RetriedWhileUnknown,
        vec![
            ("at once", again(refund().times_out())),
            ("by another given step", again(refund().step("a").times_out()).step("b")),
            (
                "after a look-up that found nothing out",
                again(refund().times_out().reconcile("find", None).on("order:1")),
            ),
            ("by the HTTP client", refund().http("POST", None).http("POST", Some(200))),
        ],
        vec![
            ("after a refusal", again(refund().status(422))),
            ("after a throttle", again(refund().status(429))),
            ("never sent", again(refund().fails("ConnectError", ""))),
            (
                "after it was settled",
                again(
                    refund()
                        .times_out()
                        .reconcile("find", Some(crate::domain::outcome::Outcome::Failed))
                        .on("order:1"),
                ),
            ),
            ("another order", refund().times_out().act("refund").on("order:2")),
            ("a read", a_run().read("get").times_out().read("get")),
            ("in parallel", again(refund().times_out().at(1))),
        ],
    );
    let same = || refund().arguments("a").act("refund").on("order:1");
    let classified = |facts: &mut Facts| facts.kind_source = KindSource::Rule;
    let bare = |tool: &'static str| a_run().act(tool).arguments("a").after(1).act(tool).arguments("a");
    check(
        Code::DoubleEffect,
        vec![
            ("the same again", same().arguments("a")),
            ("nothing known of the second", same()),
            (
                "two keys",
                refund().key("a").arguments("x").act("refund").on("order:1").key("b").arguments("x"),
            ),
            (
                "a tool that a rule calls acting",
                a_run()
                    .act("send")
                    .arguments("a")
                    .with(classified)
                    .act("send")
                    .arguments("a")
                    .with(classified),
            ),
        ],
        vec![
            ("another text", same().arguments("b")),
            ("one key", refund().key("a").act("refund").on("order:1").key("a")),
            ("a tool that nobody classified and no target", bare("next_page")),
            ("one downstream id", {
                let id = |facts: &mut Facts| facts.downstream_id = Some("re_1".to_owned());
                refund().with(id).act("refund").on("order:1").with(id)
            }),
        ],
    );
}

#[test]
fn proposals() {
    let proposed = || a_run().think().proposes("refund", "c1", "a");
    check(
        Code::ProposedNotExecuted,
        vec![("one of two ran", proposed().proposes("mail", "c2", "b").act("refund").call("c1"))],
        vec![
            ("it ran", proposed().act("refund").call("c1")),
            ("no tool is recorded at all", proposed()),
            (
                "a framework's own call",
                proposed().proposes("final_result", "c2", "b").act("refund").call("c1"),
            ),
        ],
    );
    check(
        Code::ExecutedNotProposed,
        vec![("another act", proposed().act("refund").call("c1").act("delete").arguments("x"))],
        vec![
            ("content is not captured", a_run().think().act("delete").arguments("x")),
            ("it was proposed", proposed().act("refund").call("c1")),
            (
                "a retry by the runtime",
                proposed().act("refund").call("c1").times_out().act("refund").call("c1"),
            ),
        ],
    );
    check(
        Code::ArgumentsDiffer,
        vec![("other arguments", proposed().act("refund").call("c1").arguments("{}"))],
        vec![
            ("the same", proposed().act("refund").call("c1").arguments("a")),
            ("none told", proposed().act("refund").call("c1")),
            ("one bare value", proposed().act("refund").call("c1").arguments("4812")),
        ],
    );
    let mini = |facts: &mut Facts| facts.model = Some("gpt-5-mini".to_owned());
    let warm = |facts: &mut Facts| facts.parameters.push(("temperature".to_owned(), Value::Double(0.9)));
    let again =
        || proposed().with(|facts| facts.parameters.push(("temperature".to_owned(), Value::Double(0.2))));
    let again =
        || again().act("refund").call("c1").on("order:1").times_out().think().proposes("refund", "c2", "a");
    check(
        Code::ModelChanged,
        vec![("a smaller one", again().with(mini).act("refund").call("c2").on("order:1"))],
        vec![("the same", again().act("refund").call("c2").on("order:1"))],
    );
    check(
        Code::ParametersChanged,
        vec![("warmer", again().with(warm).act("refund").call("c2").on("order:1"))],
        vec![("not told", again().act("refund").call("c2").on("order:1"))],
    );
}

#[test]
fn raw_errors() {
    let shown = |result: &str| refund().times_out().result(result).think();
    check(
        Code::RawErrorShown,
        vec![
            ("as it came", shown("Error: request timed out after 30 s")),
            ("in other words", shown("refund: timed out!")),
        ],
        vec![
            ("a structured status", shown("{\"status\":\"unknown\",\"next\":\"reconcile\"}")),
            ("no model call after it", refund().times_out().result("Error: timed out")),
            ("a refusal", refund().status(422).result("Error: 422").think()),
        ],
    );
}

#[test]
fn waiting() {
    let refused = |facts: &mut Facts| {
        facts.http =
            Some(Http { status_code: Some(429), retry_after: Some("10".to_owned()), ..Http::default() });
    };
    let again = |wait: u64| refund().status(429).with(refused).after(wait).act("refund").on("order:1");
    check(
        Code::RetriedTooSoon,
        vec![("2 s where 10 s were asked", again(2))],
        vec![("long enough", again(10)), ("nothing asked", refund().status(429).act("refund").on("order:1"))],
    );
}

#[test]
fn reading() {
    let finding = |facts: &mut Facts| facts.findings.push(Finding::new(Code::ValueCut, "a value was cut"));
    let run = a_run().act("a").with(finding).act("b").with(finding).fold();
    let cut: Vec<_> = run.findings.iter().filter(|finding| finding.code == Code::ValueCut).collect();
    assert_eq!((cut.len(), cut[0].step_ids.len(), cut[0].spans.len()), (1, 2, 2));
    let index = run.findings.iter().position(|finding| finding.code == Code::ValueCut).unwrap();
    assert!(run.steps.iter().all(|step| step.findings.contains(&index)));

    let unsaid = |facts: &mut Facts| facts.kind_source = KindSource::Default;
    let run = a_run().act("a").with(unsaid).act("b").with(unsaid).act("a").with(unsaid).fold();
    assert_eq!(message(&run, Code::ToolUnclassified), "Nobody classified a and b, so they count as acting");
    check(Code::ToolUnclassified, vec![], vec![("a rule did", a_run().act("a"))]);
    check(
        Code::SnapshotMissing,
        vec![("nothing captured", a_run().think())],
        vec![("captured", a_run().think().saw(&["s"]))],
    );
    check(
        Code::EndBeforeStart,
        vec![("backwards", a_run().act("a").with(|facts| facts.ended_ns = Some(facts.started_ns - 1)))],
        vec![("instant", a_run().act("a").with(|facts| facts.ended_ns = Some(facts.started_ns)))],
    );
    let ahead = |seconds: u64| {
        a_run()
            .act("a")
            .with(move |facts| facts.ended_ns = facts.ended_ns.map(|end| end + seconds * 1_000_000_000))
    };
    check(Code::ClockSkew, vec![("two minutes", ahead(120))], vec![("a few seconds", ahead(10))]);
    let run = a_run().span(Kind::Other, "x").fold();
    assert!(run.findings.is_empty());
}
