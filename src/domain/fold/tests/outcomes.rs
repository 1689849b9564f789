//! What acts came to, and what became of them.
use crate::domain::action::Action;
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{Story, a_run, has, step, told, why};
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome::{self, Confirmed, Failed, Submitted, Unknown};
use crate::domain::outcome::{Evidence, Gate};

fn act() -> Story {
    a_run().act("refund").step("s").on("order:1")
}

#[test]
fn the_most_precise_evidence_counts() {
    let prose = "pydantic_ai.exceptions.ToolRetryError";
    let cases: Vec<(&str, Story, Outcome, &str)> = vec![
        ("plain end", act(), Confirmed, "Answered OK, not read back"),
        ("201", act().status(201), Confirmed, "Answered OK, not read back"),
        ("202", act().status(202), Submitted, "Accepted with 202, not seen done"),
        ("422", act().status(422), Failed, "Refused with 422"),
        ("409", act().status(409), Failed, "Refused with 409: it may be done already"),
        ("429", act().status(429), Failed, "Refused with 429, not executed"),
        ("500", act().status(500), Unknown, "Answered 500: we can't say what it did"),
        ("503", act().status(503), Unknown, "Answered 503: we can't say what it did"),
        ("timeout", act().times_out(), Unknown, "No answer after 30 s"),
        ("reset", act().fails("ECONNRESET", ""), Unknown, "The connection broke before an answer came"),
        ("cancelled", act().fails("CancelledError", ""), Unknown, "Cancelled before an answer came"),
        ("no connection", act().fails("ConnectTimeout", ""), Failed, "Never sent: no connection"),
        ("invalid", act().fails("AI_InvalidToolInputError", ""), Failed, "Never sent: the call was invalid"),
        ("denied", act().fails("", "Tool call denied by user"), Failed, "Never sent: not approved"),
        (
            "redacted",
            act().fails("_OTHER", "Tool execution failed. Error details are redacted."),
            Unknown,
            "It went wrong, and nothing says whether it was done",
        ),
        (
            "child lost",
            act().fails(prose, "oops").lasts(5).http("POST", None),
            Unknown,
            "No answer after 5 s",
        ),
        ("child refused", act().fails(prose, "oops").http("POST", Some(404)), Failed, "Refused with 404"),
        ("child lost, tool says OK", act().lasts(5).http("POST", None), Unknown, "No answer after 5 s"),
        (
            "lost, then good",
            act().http("POST", Some(503)).http("POST", Some(201)),
            Confirmed,
            "Answered OK, not read back",
        ),
        (
            "lost, then refused",
            act().lasts(5).http("POST", None).http("POST", Some(409)),
            Unknown,
            "No answer after 5 s",
        ),
        (
            "a failed look-up on the way",
            act().http("GET", Some(404)).http("POST", Some(200)),
            Confirmed,
            "Answered OK, not read back",
        ),
        (
            "good answer, then an error",
            act().fails("ValueError", "bad JSON").http("POST", Some(200)),
            Unknown,
            "It went wrong, and nothing says whether it was done",
        ),
        ("given", act().says(Confirmed).fails("ReadTimeout", ""), Confirmed, "The runtime says confirmed"),
        ("given failed, refused", act().says(Failed).status(422), Failed, "Refused with 422"),
        ("given failed, no error", act().says(Failed), Failed, "The runtime says failed"),
        ("given failed, no answer", act().times_out().says(Failed), Unknown, "No answer after 30 s"),
        ("given unknown", act().says(Unknown), Unknown, "The runtime says unknown"),
    ];
    for (what, story, outcome, reason) in cases {
        let (found, _, words) = why(&story.fold(), "s");
        assert_eq!((found, words.as_str()), (Some(outcome), reason), "{what}");
    }
    assert!(has(&act().times_out().says(Failed).fold(), Code::FailedIsUnknown));
    assert!(!has(&act().status(422).says(Failed).fold(), Code::FailedIsUnknown));
}

#[test]
fn the_gate_held_it_so_nothing_happened() {
    for gate in [Gate::Duplicate, Gate::Unknown] {
        let run = act().gate(gate).fold();
        assert_eq!((step(&run, "s").outcome, step(&run, "s").evidence), (None, None));
        assert_eq!(run.verdict.line, "Nothing was sent: the gate held every call");
    }
    assert_eq!(step(&act().gate(Gate::New).fold(), "s").outcome, Some(Confirmed));
}

#[test]
fn a_look_up_settles_what_was_unknown_and_rewrites_nothing() {
    let look =
        |story: Story, found| told(step(&story.after(2).reconcile("find", found).verifies("s").fold(), "s"));
    assert_eq!(look(act().times_out(), Some(Confirmed)), ["1 unknown->confirmed by reconcile"]);
    assert_eq!(look(act().times_out(), Some(Failed)), ["1 unknown->failed by reconcile"]);
    assert_eq!(look(act().times_out(), Some(Unknown)), ["1 unknown"]);
    assert_eq!(look(act().times_out(), None), ["1 unknown"]);
    assert_eq!(look(act().status(202), Some(Confirmed)), ["1 submitted->confirmed by reconcile"]);
    assert_eq!(look(act(), Some(Failed)), ["1 confirmed->unknown by reconcile"]);
    let refused = act().times_out().reconcile("find", Some(Failed)).verifies("s").status(503).fold();
    assert_eq!(told(step(&refused, "s")), ["1 unknown"], "a look-up without an answer closes nothing");
}

#[test]
fn a_look_up_finds_its_act_by_key_or_target() {
    let by_key = act().key("k").times_out().reconcile("find", Some(Confirmed)).key("k").fold();
    assert_eq!(step(&by_key, "s").outcome, Some(Confirmed));
    let by_target = act().times_out().reconcile("find", Some(Confirmed)).on("order:1").fold();
    assert_eq!(
        (step(&by_target, "s").outcome, step(&by_target, "s").evidence),
        (Some(Confirmed), Some(Evidence::Reconcile))
    );
    let other = act().times_out().reconcile("find", Some(Confirmed)).on("order:2").fold();
    assert_eq!(step(&other, "s").outcome, Some(Unknown));
    let earlier =
        a_run().reconcile("find", Some(Confirmed)).on("order:1").act("refund").step("s").on("order:1");
    assert_eq!(step(&earlier.times_out().fold(), "s").outcome, Some(Unknown));
    let by_span = act().times_out();
    let span = by_span.records[0].facts.span_id.to_string();
    let by_span = by_span.span(Kind::Read, "read back").says(Confirmed).verifies(&span).fold();
    assert_eq!(told(step(&by_span, "s")), ["1 unknown->confirmed by read_back"]);
}

#[test]
fn one_look_up_settles_one_effect() {
    let twice = act().times_out().act("refund").step("s").times_out();
    let found = twice.clone().reconcile("find", Some(Confirmed)).verifies("s").fold();
    assert_eq!(told(step(&found, "s")), ["1 unknown", "2 unknown->confirmed by reconcile (given)"]);
    assert_eq!(step(&found, "s").outcome, Some(Unknown), "the first may have happened as well");
    let none = twice.reconcile("find", Some(Failed)).verifies("s").fold();
    assert_eq!(step(&none, "s").outcome, Some(Failed), "none happened");
    let keyed = act().key("k").times_out().act("refund").step("s").key("k").times_out();
    let keyed = keyed.reconcile("find", Some(Confirmed)).verifies("s").fold();
    assert_eq!(step(&keyed, "s").outcome, Some(Confirmed), "one key is one effect");
}

#[test]
fn a_repeat_under_one_key_settles_both() {
    let same = act().key("k").times_out().act("refund").step("s").key("k").fold();
    assert_eq!(told(step(&same, "s")), ["1 unknown->confirmed by status", "2 confirmed (given)"]);
    assert_eq!(step(&same, "s").outcome, Some(Confirmed));
    assert!(!has(&same, Code::DoubleEffect) && !has(&same, Code::RetriedWhileUnknown));
}

#[test]
fn a_read_back_that_is_asked_for() {
    let asked = act().with(|facts| facts.read_back_required = true);
    assert_eq!(why(&asked.fold(), "s").0, Some(Submitted));
    assert_eq!(why(&asked.fold(), "s").2, "Answered OK, not read back");
    let agrees = asked.clone().span(Kind::Read, "look").says(Confirmed).verifies("s").fold();
    assert_eq!(told(step(&agrees, "s")), ["1 submitted->confirmed by read_back"]);
    let denies = asked.span(Kind::Read, "look").says(Failed).verifies("s").fold();
    assert_eq!(told(step(&denies, "s")), ["1 submitted->unknown by read_back"]);
    assert!(has(&denies, Code::ReadBackContradicts));
}

#[test]
fn an_intent_log_survives_the_crash_of_its_span() {
    let story = act().key("k").log(|facts| {
        facts.outcome = Some(Submitted);
        facts.kind = Kind::Act;
        facts.step_id = Some("s".to_owned());
        facts.run_id = Some("r1".to_owned());
        facts.tool = Some("refund".to_owned());
    });
    let whole = story.fold();
    assert_eq!(step(&whole, "s").outcome, Some(Confirmed), "the intent is no answer");
    assert!(!has(&whole, Code::IntentNotDurable));
    let mut crashed = story.clone();
    crashed.records.pop();
    assert_eq!(step(&crashed.clone().now(60).fold(), "s").outcome, Some(Submitted));
    assert_eq!(step(&crashed.now(1800).fold(), "s").outcome, Some(Unknown));
    let mut answered = story.log(|facts| facts.outcome = Some(Unknown));
    answered.records.pop();
    assert_eq!(step(&answered.fold(), "s").outcome, Some(Unknown));
}

#[test]
fn a_later_look_up_against_a_resolution_opens_it_again() {
    let story =
        act().times_out().resolved(60, "s", Failed).at(100).reconcile("find", Some(Confirmed)).verifies("s");
    let run = story.now(200).fold();
    assert_eq!(told(step(&run, "s")), ["1 unknown->unknown by reconcile"]);
}

#[test]
fn actions_are_one_a_key_over_runs() {
    let first = a_run().act("refund").step("s").on("order:1").key("k").times_out().fold();
    let second = a_run().run("r2").at(100).act("refund").step("s").on("order:1").key("k").gate(Gate::Unknown);
    let second = second.reconcile("find", Some(Confirmed)).key("k").fold();
    let actions = Action::fold(&[first.clone(), second], &[]);
    assert_eq!(actions.len(), 1);
    let action = &actions[0];
    assert_eq!((action.key.as_str(), action.key_given), ("k", true));
    assert_eq!((action.outcome, action.evidence), (Confirmed, Evidence::Reconcile));
    assert_eq!((action.attempt_count, action.held_count), (1, 1));
    assert_eq!(action.run_ids, ["r1", "r2"]);
    assert_eq!(Action::fold(&[first], &[])[0].outcome, Unknown);

    let bare = a_run().act("refund").step("s").on("order:1").fold();
    let action = &Action::fold(&[bare], &[])[0];
    assert_eq!((action.key.as_str(), action.key_given), ("r1:s:refund:order:1", false));
}
