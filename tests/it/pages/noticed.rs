//! Findings over all runs and readiness: listed, counted, linked to their steps, answered from what was kept.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::{SystemTime, UNIX_EPOCH};

use recount::domain::content::{Content, ContentKind};
use recount::domain::finding::Code;
use recount::domain::kind::{Kind, KindSource, Status};
use recount::domain::outcome::{Evidence, Gate, Outcome};
use recount::domain::step::{Failure, Step};
use recount::projection::{ProjectionSettings, rebuild_with};
use recount::store::FindingFilter;
use recount::store::queries::findings;
use serde_json::Value as Json;

use crate::pages::site::{Site, addresses};
use crate::support::rows::{SECOND_NS, scope, span, trace};

const MINUTE_NS: u64 = 60 * SECOND_NS;

fn now_ns() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

/// A span of a run, a second long, this many seconds after the run began.
fn step(run: (u8, &str, u64), number: u64, second: u64, (kind, tool): (Kind, &str)) -> Step {
    let (trace_number, agent, began_ns) = run;
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(trace_number), span(u64::from(trace_number) * 100 + number));
    facts.run_id = Some(format!("run-{trace_number}"));
    (facts.kind, facts.kind_source) = (kind, KindSource::Rule);
    (facts.name, facts.tool) = (tool.to_owned(), Some(tool.to_owned()));
    facts.agent = Some(agent.to_owned());
    facts.target = Some(format!("order:48{trace_number}"));
    facts.started_ns = began_ns + second * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    step
}

fn lost(mut step: Step, result: &str) -> Step {
    step.facts.status = Status::Error;
    step.facts.error = Some(Failure { kind: "ReadTimeout".into(), message: "timed out".into() });
    let body = Content {
        kind: ContentKind::Result,
        role: String::new(),
        is_json: result.starts_with('{'),
        body: result.to_owned(),
        cut_from: None,
    };
    step.result = Some(step.add_body(body));
    step
}

fn keyed(mut step: Step, gate: Gate) -> Step {
    let facts = &mut step.facts;
    (facts.kind_source, facts.gate) = (KindSource::Given, gate);
    facts.step_id = Some("st-3".to_owned());
    facts.key = Some(format!("{}:st-3:issue_refund:48", facts.run_id.clone().unwrap()));
    step
}

/// A loop that takes a timeout for a no: sent, shown the raw error, sent again.
fn naive(number: u8, began_ns: u64) -> Vec<Step> {
    let run = (number, "shop", began_ns);
    vec![
        lost(step(run, 1, 0, (Kind::Act, "issue_refund")), "Error: timed out"),
        step(run, 2, 5, (Kind::Act, "issue_refund")),
        step(run, 3, 9, (Kind::Think, "chat")),
    ]
}

/// A loop that looks it up: sent under a key, told a status, looked up, held when asked again.
fn designed(number: u8, began_ns: u64) -> Vec<Step> {
    let run = (number, "bank", began_ns);
    let told = r#"{"status":"outcome_unknown","next":"look-up pending"}"#;
    let mut look = step(run, 2, 5, (Kind::Reconcile, "find_refund"));
    (look.facts.verifies, look.facts.kind_source) = (Some("st-3".to_owned()), KindSource::Given);
    (look.facts.outcome, look.facts.evidence) = (Some(Outcome::Confirmed), Some(Evidence::Reconcile));
    let mut think = step(run, 4, 12, (Kind::Think, "chat"));
    think.facts.context_ref = Some("snapshot-1".to_owned());
    think.facts.run_step_count = Some(3);
    vec![
        keyed(lost(step(run, 1, 0, (Kind::Act, "issue_refund")), told), Gate::New),
        look,
        keyed(step(run, 3, 9, (Kind::Act, "issue_refund")), Gate::Duplicate),
        think,
    ]
}

fn codes(answer: &Json) -> Vec<&str> {
    answer["findings"].as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn findings_are_listed_counted_and_linked() {
    let site = Site::new().await;
    let began_ns = now_ns() - 60 * MINUTE_NS;
    site.keep_at(began_ns, naive(1, began_ns)).await;
    site.keep_at(began_ns, naive(2, began_ns)).await;
    site.keep_at(began_ns, designed(3, began_ns)).await;

    let html = site.page("/findings").await;
    assert!(html.contains("Retried while unknown") && html.contains("/about/findings#retried-while-unknown"));
    let steps: Vec<String> =
        addresses(&html, "/findings").into_iter().filter(|address| address.contains("?span=")).collect();
    assert!(steps.iter().any(|address| address.starts_with("/runs/run-1?span=")), "{steps:?}");
    for address in addresses(&html, "/findings") {
        assert!(site.get(&address).await.status.is_success(), "{address}");
    }
    let chosen = site.page("/findings?code=no-key&agent=shop").await;
    assert!(chosen.contains("No key") && !chosen.contains("<strong><a href=\"/about/findings#raw-error"));
    assert!(site.page("/findings?agent=nobody").await.contains("Nothing was found"));

    let all = site.get("/api/v1/findings?limit=500").await.json();
    for (query, expected) in [
        ("code=retried-while-unknown", 2),
        ("code=retried-while-unknown&agent=bank", 0),
        ("code=retried-while-unknown&tool=issue_refund", 2),
        ("code=retried-while-unknown&tool=find_refund", 0),
        ("severity=danger", 2),
        ("severity=info&code=no-key", 0),
        ("run=run-1&tool=issue_refund&severity=danger", 1),
        ("to=2020-01-01T00:00:00Z", 0),
        ("code=no-key&from=2020-01-01T00:00:00Z", 2),
    ] {
        let answer = site.get(&format!("/api/v1/findings?{query}")).await.json();
        assert_eq!(codes(&answer).len(), expected, "{query}: {answer}");
    }
    // Page by page, nothing is skipped and nothing comes twice.
    let (mut paged, mut next) = (Vec::new(), String::new());
    loop {
        let page = site.get(&format!("/api/v1/findings?limit=2{next}")).await.json();
        paged.extend(page["findings"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(&paged, all["findings"].as_array().unwrap());
    let of_run = site.get("/api/v1/findings?run=run-1").await.json();
    assert_eq!(of_run["run_id"], "run-1");
    assert!(codes(&of_run).contains(&"raw-error-shown") && !codes(&of_run).contains(&"key-changed"));
    let meanings = site.get("/api/v1/findings/codes").await.json();
    assert_eq!(meanings["codes"].as_array().unwrap().len(), Code::ALL.len());

    let before = all["findings"].clone();
    rebuild_with(&site.store, &ProjectionSettings::default()).await.unwrap();
    assert_eq!(site.get("/api/v1/findings?limit=500").await.json()["findings"], before);
}

#[tokio::test]
async fn a_finding_comes_by_its_deadline_and_goes_when_it_is_settled() {
    let site = Site::new().await;
    let began_ns = now_ns() - MINUTE_NS;
    let mut sent = keyed(step((5, "bank", began_ns), 1, 0, (Kind::Act, "issue_refund")), Gate::New);
    sent.facts.ended_ns = None;
    site.keep_at(began_ns, vec![sent]).await;
    let open = FindingFilter { codes: vec![Code::UnknownOpen], ..FindingFilter::default() };
    let listed = async |at_ns: u64| {
        findings(&site.store, &scope(), &open, (None, 50), at_ns).await.unwrap().findings.len()
    };
    assert_eq!((listed(now_ns()).await, listed(began_ns + 60 * MINUTE_NS).await), (0, 1));

    let lost = keyed(lost(step((6, "bank", began_ns), 1, 0, (Kind::Act, "issue_refund")), ""), Gate::New);
    site.keep_at(began_ns, vec![lost]).await;
    assert_eq!(listed(now_ns()).await, 1);
    let mut look = step((6, "bank", began_ns), 2, 5, (Kind::Reconcile, "find_refund"));
    (look.facts.verifies, look.facts.outcome) = (Some("st-3".to_owned()), Some(Outcome::Failed));
    site.keep_at(began_ns + MINUTE_NS / 2, vec![look]).await;
    assert_eq!(listed(now_ns()).await, 0);
}

fn answers(readiness: &Json, agent: &str, tool: &str) -> Vec<String> {
    let tools = readiness["tools"].as_array().unwrap();
    let found = tools.iter().find(|one| one["agent"] == agent && one["tool"] == tool).unwrap();
    let answers = found["answers"].as_array().unwrap().iter();
    answers.map(|answer| answer["answer"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn readiness_tells_the_naive_loop_from_the_designed_one() {
    let site = Site::new().await;
    assert!(site.page("/readiness").await.contains("No tool was called"));
    let began_ns = now_ns() - 60 * MINUTE_NS;
    site.keep_at(began_ns, naive(1, began_ns)).await;
    site.keep_at(began_ns, designed(3, began_ns)).await;
    let readiness = site.get("/api/v1/readiness").await.json();
    let naive = answers(&readiness, "shop", "issue_refund");
    assert_eq!(naive, ["partly", "no", "no", "no", "no", "no"]);
    // No rule is configured here, so what it did is not defined: partly.
    let designed = answers(&readiness, "bank", "issue_refund");
    assert_eq!(designed, ["yes", "yes", "partly", "yes", "yes", "no"]);
    let look = answers(&readiness, "bank", "find_refund");
    assert_eq!(look, ["yes", "does_not_apply", "does_not_apply", "not_visible", "yes", "no"]);
    assert_eq!(readiness["questions"][1]["answer"], "partly");
    for tool in readiness["tools"].as_array().unwrap() {
        for answer in tool["answers"].as_array().unwrap() {
            let evidence = answer["evidence"].as_array().unwrap();
            assert!(answer["answer"] != "yes" || !evidence.is_empty(), "{answer}");
        }
    }

    let html = site.page("/readiness").await;
    assert_eq!(html.matches("<li class=\"reply card\">").count(), 6);
    for address in addresses(&html, "/readiness") {
        assert!(site.get(&address).await.status.is_success(), "{address}");
    }
    let one = site.page("/readiness?days=7&agent=shop&tool=issue_refund").await;
    assert!(one.contains("acts without a key: 2") && one.contains("?span=") && !one.contains("find_refund"));
    let csv = site.get("/api/v1/readiness?format=csv&agent=bank").await;
    assert!(csv.is("text/csv") && csv.body.starts_with("agent,tool,"), "{}", csv.body);
    assert_eq!(csv.body.lines().count(), 1 + 2 * 6);
    assert!(site.get("/api/v1/readiness?days=8").await.body.contains("it is 7, 30 or 90"));
    assert!(site.get("/api/v1/readiness?format=xml").await.body.contains("json or csv"));
}
