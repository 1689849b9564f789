//! Log records go to the span of the call or step that they name, wherever they were written.
use crate::domain::finding::Code;
use crate::domain::fold::tests::story::{SECOND, Story, a_run, codes, span, step};
use crate::domain::ids::SpanId;
use crate::domain::kind::{Carrier, Kind};
use crate::domain::outcome::Outcome::{Confirmed, Submitted, Unknown};
use crate::domain::record::Record;
use crate::domain::run::Run;
use crate::domain::step::{Facts, Failure};

/// An agent with one act below it, and the agent's span.
fn agent_and_act() -> (Story, SpanId) {
    let story = a_run().agent("support").lasts(60);
    let agent = story.records[0].facts.span_id;
    (story.at(1).act("issue_refund").below(Some(agent)), agent)
}

/// A log record that names something of its own, written on this span.
fn written_on(on: SpanId, from: &Record, name: &str, change: impl FnOnce(&mut Facts)) -> Record {
    let mut log = from.clone();
    log.record_id.0[0] ^= 0x80 | u8::try_from(name.len()).unwrap();
    log.facts = Facts {
        trace_id: from.facts.trace_id,
        span_id: span(name),
        parent_span_id: Some(on),
        carrier: Carrier::Log,
        run_id: from.facts.run_id.clone(),
        name: name.to_owned(),
        started_ns: from.facts.started_ns - SECOND / 10,
        ended_ns: Some(from.facts.started_ns - SECOND / 10),
        ..Facts::default()
    };
    change(&mut log.facts);
    log
}

fn intent(facts: &mut Facts) {
    facts.kind = Kind::Act;
    facts.outcome = Some(Submitted);
}

fn acts(run: &Run) -> usize {
    run.steps.iter().filter(|step| step.kind == Kind::Act).count()
}

#[test]
fn an_intent_on_the_agents_span_is_the_acts() {
    let (story, agent) = agent_and_act();
    let mut story = story.step("st-3").attempt(1).key("k");
    let act = story.records[1].clone();
    story.records.push(written_on(agent, &act, "intent", |facts| {
        intent(facts);
        facts.step_id = Some("st-3".to_owned());
    }));
    let run = story.fold();
    assert_eq!((acts(&run), run.steps.len()), (1, 2));
    assert_eq!(run.steps[0].kind, Kind::Agent);
    assert_eq!(step(&run, "st-3").outcome, Some(Confirmed));
    assert!(!codes(&run).contains(&Code::IntentNotDurable));
}

#[test]
fn intents_choose_their_attempt_by_number_then_by_time() {
    let (story, agent) = agent_and_act();
    let story = story.step("st-3").attempt(1).times_out().after(5);
    let mut story = story.act("issue_refund").below(Some(agent)).step("st-3").attempt(2);
    let second = story.records[2].clone();
    for (number, name) in [(1, "first intent"), (2, "the second intent"), (3, "one that never ran")] {
        story.records.push(written_on(agent, &second, name, |facts| {
            intent(facts);
            facts.step_id = Some("st-3".to_owned());
            facts.attempt = Some(number);
        }));
    }
    let run = story.now(7).fold();
    let attempts =
        step(&run, "st-3").attempts().map(|attempt| (attempt.number, attempt.outcome, attempt.logs.len()));
    assert_eq!(
        attempts.collect::<Vec<_>>(),
        [(1, Some(Unknown), 1), (2, Some(Confirmed), 1), (3, Some(Submitted), 0)]
    );
}

#[test]
fn logs_of_several_steps_on_one_span_that_never_came_stay_apart() {
    let (story, agent) = agent_and_act();
    let mut story = story;
    let act = story.records[1].clone();
    story.records.clear();
    for (number, name) in [(1, "one"), (2, "other"), (3, "another")] {
        story.records.push(written_on(agent, &act, name, |facts| {
            intent(facts);
            facts.step_id = Some(format!("st-{number}"));
        }));
    }
    let run = story.fold();
    assert_eq!(acts(&run), 3);
    for number in 1..=3 {
        assert!(step(&run, &format!("st-{number}")).outcome.is_some());
    }
}

#[test]
fn a_log_that_names_a_step_stays_on_a_call_that_may_be_it() {
    let (story, _) = agent_and_act();
    let mut story = story;
    let act = story.records[1].clone();
    let on = act.facts.span_id;
    story.records.push(written_on(on, &act, "intent", |facts| {
        intent(facts);
        facts.step_id = Some("st-3".to_owned());
        facts.key = Some("k".to_owned());
    }));
    let run = story.fold();
    assert_eq!(acts(&run), 1);
    assert_eq!(step(&run, "st-3").key.as_deref(), Some("k"));
}

#[test]
fn an_exception_that_comes_as_a_log_is_the_calls() {
    let (story, agent) = agent_and_act();
    let mut story = story.call("c1");
    let act = story.records[1].clone();
    story.records.push(written_on(agent, &act, "exception", |facts| {
        facts.started_ns += SECOND;
        facts.tool_call_id = Some("c1".to_owned());
        facts.error = Some(Failure { kind: "ReadTimeout".to_owned(), message: "slow".to_owned() });
    }));
    let run = story.fold();
    assert_eq!(acts(&run), 1);
    let attempt = run.steps[1].attempts().next().unwrap();
    assert_eq!((attempt.outcome, attempt.logs.len()), (Some(Unknown), 1));
    assert_eq!(run.steps[0].attempts().next().unwrap().record.facts.error, None);
}

#[test]
fn a_log_sent_again_without_a_time_of_its_own_is_one_log() {
    let (story, agent) = agent_and_act();
    let story = story.call("c1").times_out().after(5);
    let mut story = story.act("issue_refund").below(Some(agent)).call("c1");
    let first = story.records[1].clone();
    let log = |received: u64| {
        let mut log = written_on(agent, &first, "decision", |facts| {
            (facts.started_ns, facts.ended_ns) = (0, Some(0));
            facts.tool_call_id = Some("c1".to_owned());
            facts.approver = Some("config".to_owned());
        });
        log.received_ns = received;
        log
    };
    // The copy is received after the second attempt has begun.
    let late = story.records[2].received_ns;
    story.records.extend([log(late), log(first.facts.started_ns)]);
    let run = story.fold();
    let logs: Vec<usize> =
        run.steps.iter().flat_map(|step| step.attempts()).map(|attempt| attempt.logs.len()).collect();
    assert_eq!(logs, [0, 1, 0]);
}
