//! Two attempts, steps and runs held against each other: what differs is shown, what is alike is folded.
use axum::http::StatusCode;
use recount::domain::content::ContentKind;
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::Outcome;
use recount::domain::step::{Failure, Proposal, Step};
use recount::domain::value::Value;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, text, trace};

/// A step of a run: which trace, which span, when, in seconds.
fn step(of: u8, run: &str, (number, from, to): (u64, u64, u64), kind: Kind) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id, facts.kind) = (trace(of), span(number), kind);
    facts.run_id = Some(run.to_owned());
    (facts.started_ns, facts.ended_ns) = (NOW_NS + from * SECOND_NS, Some(NOW_NS + to * SECOND_NS));
    step
}

/// A model call that saw these messages and asks for a refund with these arguments.
fn think(mut step: Step, messages: &[(&str, &str)], says: &str, arguments: &str, temperature: i64) -> Step {
    for (role, said) in messages {
        let at = step.add_body(text(ContentKind::Message, role, said));
        step.context.push(at);
    }
    let said = step.add_body(text(ContentKind::Output, "assistant", says));
    step.output = vec![said];
    let proposed = step.add_body(text(ContentKind::Arguments, "", arguments));
    step.proposed = vec![Proposal {
        call_id: Some(format!("call-{}", step.facts.span_id)),
        tool: "issue_refund".to_owned(),
        arguments: Some(proposed),
        complete: true,
    }];
    step.facts.name = "chat".to_owned();
    step.facts.model = Some("gpt-5-mini".to_owned());
    step.facts.parameters = vec![("temperature".to_owned(), Value::Int(temperature))];
    step
}

/// The call that the model call under this span asked for.
fn act(mut step: Step, proposed_under: u64, arguments: &str, result: Option<&str>) -> Step {
    let called = step.add_body(text(ContentKind::Arguments, "", arguments));
    step.arguments = Some(called);
    if let Some(result) = result {
        let kept = step.add_body(text(ContentKind::Result, "", result));
        step.result = Some(kept);
    }
    let facts = &mut step.facts;
    facts.step_id = Some("refund".to_owned());
    facts.tool_call_id = Some(format!("call-{}", span(proposed_under)));
    (facts.name, facts.tool) = ("issue_refund".to_owned(), Some("issue_refund".to_owned()));
    facts.target = Some("order:4655".to_owned());
    match result {
        Some(_) => facts.outcome = Some(Outcome::Confirmed),
        None => {
            facts.status = Status::Error;
            facts.error =
                Some(Failure { kind: "httpx.ReadTimeout".to_owned(), message: "timed out".to_owned() });
        }
    }
    step
}

const FIRST: &str = r#"{"order_id":"ord_4655","amount":40.0,"reason":"Item arrived quite broken"}"#;
const SECOND: &str = r#"{"amount":40,"reason":"Refund for broken lamp, again","order_id":"ord_4655"}"#;

/// A refund without an answer that the model asks for again, in other words.
fn double_refund(of: u8, run: &str) -> Vec<Step> {
    let asked = ("user", "The lamp I ordered came broken. Please refund it.");
    let again = [asked, ("assistant", "issue_refund"), ("tool", "Error: request timed out after 30 s")];
    vec![
        think(
            step(of, run, (1, 0, 2), Kind::Think),
            &[asked],
            "It is broken, so I will refund it.",
            FIRST,
            1,
        ),
        act(step(of, run, (2, 2, 32), Kind::Act), 1, FIRST, None),
        think(
            step(of, run, (3, 33, 35), Kind::Think),
            &again,
            "It is broken, so I will try again.",
            SECOND,
            1,
        ),
        act(
            step(of, run, (4, 36, 39), Kind::Act),
            3,
            SECOND,
            Some(r#"{"id":"re_87102","status":"succeeded"}"#),
        ),
    ]
}

/// The part of the page under this heading; nothing where there is none.
fn part<'h>(html: &'h str, id: &str) -> &'h str {
    let after = html.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_default();
    after.split("class=\"compare-part").next().unwrap_or_default()
}

#[tokio::test]
async fn two_attempts_show_what_the_second_saw_and_said_differently() {
    let site = Site::new().await;
    site.keep(double_refund(31, "lamp")).await;
    let run = site.page("/runs/lamp").await;
    let link = "/runs/lamp/steps/refund/compare?a=1&#38;b=2";
    assert!(
        run.contains(link) || run.contains("/runs/lamp/steps/refund/compare?a=1&amp;b=2"),
        "the rail leads there"
    );
    let html = site.page("/runs/lamp/steps/refund/compare?a=1&b=2").await;
    let saw = part(&html, "c-saw");
    assert!(saw.contains("2 messages more") && saw.contains("1 message unchanged"), "{saw}");
    assert_eq!(saw.matches("Not in its context").count(), 2, "{saw}");
    assert!(saw.contains("request timed out after 30 s"));
    let said = part(&html, "c-said");
    assert!(said.contains("<del>refund it</del>") && said.contains("<ins>try again</ins>"), "{said}");
    let called = part(&html, "c-args");
    assert!(called.contains("1 of 3 changed"), "40 and 40.0 are one amount: {called}");
    assert!(called.contains("reworded") && called.contains("same, written differently"));
    let gate = part(&html, "c-gate");
    assert!(gate.contains("lamp:refund:issue_refund:order:4655"), "{gate}");
    let got = part(&html, "c-got");
    assert!(got.contains("httpx.ReadTimeout") && got.contains("re_87102"), "{got}");
    assert!(
        html.contains("identical") && part(&html, "c-time").contains("4.0 s"),
        "{}",
        part(&html, "c-time")
    );
    // The whole state is in the address, and what cannot be compared is said.
    assert!(site.page("/runs/lamp/steps/refund/compare?layout=one").await.contains("data-layout=\"one\""));
    for (path, status, says) in [
        ("/runs/lamp/steps/refund/compare?a=7", StatusCode::BAD_REQUEST, "there are 1, 2"),
        ("/runs/lamp/steps/refund/compare?c=7", StatusCode::BAD_REQUEST, "is no parameter"),
        ("/runs/lamp/steps/nothing/compare", StatusCode::NOT_FOUND, "no such step"),
        ("/runs/nobody/steps/refund/compare", StatusCode::NOT_FOUND, "No run nobody"),
        (&format!("/runs/lamp/steps/{}/compare", span(1)), StatusCode::NOT_FOUND, "tried once"),
        ("/compare?run=lamp", StatusCode::BAD_REQUEST, "tick two"),
        ("/compare?run=lamp&run=nobody", StatusCode::NOT_FOUND, "No run nobody"),
        (&format!("/compare?run=lamp&a={}&b={}", span(1), span(99)), StatusCode::NOT_FOUND, "no attempt"),
        ("/api/v1/compare?run=lamp", StatusCode::BAD_REQUEST, "name it twice"),
        ("/api/v1/compare?run=lamp&run=nobody", StatusCode::NOT_FOUND, "No run nobody"),
        ("/api/v1/compare?run=lamp&run=lamp&layout=one", StatusCode::BAD_REQUEST, "is no parameter"),
    ] {
        let got = site.get(path).await;
        assert_eq!(got.status, status, "{path}");
        assert!(got.body.contains(says), "{path}: {}", got.body);
    }
}

#[tokio::test]
async fn the_api_says_the_same_of_two_attempts() {
    let site = Site::new().await;
    site.keep(double_refund(31, "lamp")).await;
    let [a, b] = [2, 4].map(|id| span(id).to_string());
    let answer = site.get(&format!("/api/v1/compare?run=lamp&a={a}&b={b}")).await.json();
    assert_eq!(answer["compared"], "attempts");
    assert_eq!(
        answer["differs_in"],
        serde_json::json!(["context", "said", "proposed", "arguments", "happened", "result"])
    );
    let one = &answer["second"];
    assert_eq!(
        (&one["step_id"], &one["attempt"], &one["outcome"]),
        (&"refund".into(), &2.into(), &"confirmed".into())
    );
    assert_eq!((&one["waited_ms"], &one["latency_ms"]), (&4_000.into(), &3_000.into()));
    assert_eq!(one["call"]["span_id"], span(3).to_string());
    assert_eq!(answer["started_apart_ms"], 34_000);
    let context = &answer["context"];
    let changes: Vec<&str> =
        context["messages"].as_array().unwrap().iter().map(|m| m["change"].as_str().unwrap()).collect();
    assert_eq!((changes, &context["added"]), (vec!["same", "added", "added"], &2.into()), "{context}");
    assert_eq!(context["messages"][2]["second"]["content"]["body"], "Error: request timed out after 30 s");
    let drifts = |values: &serde_json::Value| -> Vec<(String, String)> {
        let each = values["values"].as_array().unwrap().iter();
        each.map(|one| (one["name"].as_str().unwrap().into(), one["drift"].as_str().unwrap().into()))
            .collect()
    };
    let want = [("reason", "reworded"), ("order_id", "same"), ("amount", "respelled")];
    let want = want.map(|(name, drift)| (name.to_owned(), drift.to_owned()));
    assert_eq!(drifts(&answer["arguments"]), want);
    assert_eq!(drifts(&answer["proposed"][0]["arguments"]), want);
    assert_eq!(drifts(&answer["parameters"]), [("temperature".to_owned(), "same".to_owned())]);
    assert!(drifts(&answer["happened"]).contains(&("outcome".to_owned(), "changed".to_owned())), "{answer}");
    assert_eq!(answer["key_not_used"], "lamp:refund:issue_refund:order:4655");
    assert_eq!(answer["said"]["second"][1]["of"], "one", "{answer}");
}

#[tokio::test]
async fn two_steps_and_two_runs_are_compared_over_traces() {
    let site = Site::new().await;
    site.keep(double_refund(32, "bad night")).await;
    let mut good = double_refund(33, "good night");
    good.truncate(2);
    good[0].facts.parameters = vec![("temperature".to_owned(), Value::Int(0))];
    let kept = good[1].add_body(text(ContentKind::Result, "", "{\"id\":\"re_1\"}"));
    good[1].result = Some(kept);
    (good[1].facts.status, good[1].facts.error) = (Status::Ok, None);
    good[1].facts.outcome = Some(Outcome::Confirmed);
    site.keep(good).await;

    let list = site.page("/runs").await;
    assert_eq!(list.matches("name=\"run\"").count(), 2, "two can be ticked");
    let html = site.page("/compare?run=bad%20night&run=good%20night").await;
    assert!(part(&html, "c-facts").contains("Verdict"));
    let steps = part(&html, "c-steps");
    assert!(steps.contains("2 different, 1 only in the first"), "{steps}");
    assert!(
        steps.contains("Differs in parameters") && steps.contains("Differs in outcome, attempts"),
        "{steps}"
    );
    assert_eq!(steps.matches("Not in the second run").count(), 1);
    let answer = site.get("/api/v1/compare?run=bad%20night&run=good%20night").await.json();
    assert_eq!(answer["compared"], "runs");
    let count = |what: &str| answer[format!("steps_{what}")].as_u64().unwrap();
    assert_eq!(["alike", "different", "first_only", "second_only"].map(count), [0, 2, 1, 0], "{answer}");
    assert_eq!(answer["steps"][0]["differs_in"], serde_json::json!(["parameters"]));
    assert_eq!(answer["steps"][1]["first"]["attempts"], 2);
    assert_eq!(answer["second"]["run_id"], "good night");
    assert!(answer["differs_in"].as_array().unwrap().contains(&"verdict".into()), "{answer}");
    // One step closely: the bodies of two traces meet under one digest.
    let closely = format!("/compare?run=bad%20night&run=good%20night&a={}&b={}", span(1), span(1));
    let html = site.page(&closely).await;
    assert!(part(&html, "c-saw").contains("1 message unchanged"), "{html}");
    assert!(part(&html, "c-model").contains("temperature"));
    let answer = site.get(&format!("/api/v1{closely}")).await.json();
    assert_eq!(answer["differs_in"], serde_json::json!(["parameters"]), "{answer}");
    assert_eq!(answer["parameters"]["values"][0]["second"][0]["text"], "0");
    assert_eq!(
        (&answer["first"]["run_id"], &answer["context"]["messages"][0]["change"]),
        (&"bad night".into(), &"same".into())
    );
    // A run held against itself has nothing to say.
    let html = site.page("/compare?run=bad%20night&run=bad%20night").await;
    assert!(html.contains("3 alike") && !html.contains("Differs in"), "{html}");
}
