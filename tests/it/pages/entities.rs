//! What agents did on an account: every attempt, denial and unknown over runs, in sentences, and what limits the answer.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;
use std::sync::Arc;

use recount::conventions::{ToolRule, ToolRules};
use recount::domain::entity::Entity;
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::Gate;
use recount::domain::step::{Failure, Step};
use recount::redaction::Settings;
use recount::web::EntityTools;
use serde_json::Value as Json;

use crate::pages::site::{Got, Site};
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, span, trace};

const DAY_NS: u64 = 86_400 * SECOND_NS;

/// A span: its trace, its number, the span it hangs below, what kind of work.
fn step((number, id, parent): (u8, u64, u64), kind: Kind, accounts: &[&str]) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(id));
    facts.parent_span_id = (parent > 0).then(|| span(parent));
    facts.run_id = Some(format!("run-{number:03}"));
    (facts.kind, facts.name) = (kind, format!("span {id}"));
    facts.agent = Some("refund-agent".to_owned());
    facts.entities = accounts.iter().map(|id| Entity::account(*id)).collect();
    facts.started_ns = NOW_NS - DAY_NS * u64::from(number) + id * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS / 2);
    step
}

pub(super) fn act(place: (u8, u64, u64), tool: &str, accounts: &[&str], error: Option<&str>) -> Step {
    let mut step = step(place, Kind::Act, accounts);
    step.facts.tool = Some(tool.to_owned());
    step.facts.target = Some("order:4812".to_owned());
    if let Some(kind) = error {
        step.facts.status = Status::Error;
        step.facts.error = Some(Failure { kind: kind.to_owned(), message: String::new() });
    }
    step
}

/// Three runs over two accounts: a refund tried four times of which the third never arrived and none is known, a
/// batch about both, a read for the other.
fn records() -> Vec<Step> {
    let attempt = |id: u64, number: u32, error: Option<&str>| {
        let mut step = act((1, id, 1), "issue_refund", &[], error);
        (step.facts.step_id, step.facts.attempt) = (Some("refund".to_owned()), Some(number));
        step.facts.key = Some("key-1".to_owned());
        step.facts.user_id = Some("user-9".to_owned());
        step.facts.approver = Some("maya".to_owned());
        step.facts.policy_version = Some("refunds-7".to_owned());
        step
    };
    let mut held = attempt(5, 4, None);
    held.facts.gate = Gate::Unknown;
    let mut think = step((1, 2, 1), Kind::Think, &[]);
    think.facts.model = Some("claude-x".to_owned());
    let mut read = step((3, 1, 0), Kind::Read, &["7"]);
    read.facts.tool = Some("lookup_order".to_owned());
    vec![
        step((1, 1, 0), Kind::Agent, &["2291"]),
        think,
        attempt(3, 1, Some("ReadTimeout")),
        attempt(4, 2, Some("ReadTimeout")),
        held,
        step((2, 1, 0), Kind::Agent, &[]),
        act((2, 2, 1), "send_email", &["2291"], None),
        act((2, 3, 1), "send_email", &["7"], Some("409")),
        act((2, 4, 1), "close_ticket", &[], None),
        read,
    ]
}

pub(super) async fn site() -> Site {
    let phrase = Some("E-mailed the customer about {target}".to_owned());
    let rule = ToolRule { tool: "send_email".to_owned(), phrase, ..ToolRule::default() };
    let rules = Arc::new(ToolRules::new(vec![rule]).unwrap());
    let site = Site::with(EntityTools { rules, ..EntityTools::default() }, Keeping::new()).await;
    site.keep(records()).await;
    site
}

fn said(answer: &Json) -> BTreeSet<String> {
    let text = |step: &Json, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let steps = answer["steps"].as_array().unwrap().iter();
    steps
        .map(|step| format!("{} | {} | {}", text(step, "run_id"), text(step, "sentence"), text(step, "tie")))
        .collect()
}

#[tokio::test]
async fn the_answer_is_the_hand_made_list_with_the_fourth_attempt_and_the_unknown() {
    let site = site().await;
    let answer = site.get("/api/v1/entities/account/2291").await.json();
    let expected = [
        "run-001 | May have done issue_refund on order 4812. | for",
        "run-002 | E-mailed the customer about order 4812. | on",
    ];
    assert_eq!(said(&answer), expected.map(str::to_owned).into());
    let refund =
        answer["steps"].as_array().unwrap().iter().find(|step| step["tool"] == "issue_refund").unwrap();
    assert_eq!((&refund["attempts"], &refund["held"]), (&Json::from(3), &Json::from(1)));
    assert_eq!(refund["missing_attempts"], serde_json::json!([3]));
    assert_eq!(refund["outcome"], "unknown");
    let story = refund["story"].to_string();
    assert!(
        story.contains("Attempt 4: held by the gate") && story.contains("Attempt 3 must have been"),
        "{story}"
    );
    for (name, value) in
        [("user", "user-9"), ("approver", "maya"), ("policy_version", "refunds-7"), ("key", "key-1")]
    {
        assert_eq!(refund[name], value, "{name}");
    }
    let coverage = &answer["coverage"];
    for (name, number) in [
        ("runs", 2),
        ("acts", 2),
        ("confirmed", 1),
        ("unknown", 1),
        ("failed", 0),
        ("attempts", 4),
        ("unsaid_acts", 1),
    ] {
        assert_eq!(coverage[name], number, "{name}: {coverage}");
    }
    assert_eq!(coverage["completeness"]["verdict"], "no");
    assert_eq!(answer["actions"][0]["key"], "key-1");
    let other = site.get("/api/v1/entities/account/7").await.json();
    assert_eq!((&other["coverage"]["failed"], &other["coverage"]["reads"]), (&Json::from(1), &Json::from(1)));
    // By what it was done on.
    let order = site.get("/api/v1/entities/order/4812").await.json();
    assert_eq!(order["coverage"]["acts"], 4);
    let none = site.get("/api/v1/entities/account/22").await.json();
    assert_eq!(
        (none["coverage"]["runs"].as_u64(), &none["coverage"]["completeness"]["verdict"]),
        (Some(0), &Json::from("not_provable"))
    );
}

#[tokio::test]
async fn the_page_says_it_in_sentences_and_names_what_is_missing() {
    let site = site().await;
    let html = site.page("/entities/account/2291").await;
    for said in [
        "What agents did on account 2291",
        "May have done issue_refund on order 4812.",
        "approved by maya, policy refunds-7",
        "Attempt 3 must have been and has not arrived.",
        "1 attempt has not arrived. Something may be missing here.",
        "1 act names nobody in runs that are about several",
        "Not complete: 1 run has gaps.",
    ] {
        assert!(html.contains(said), "{said}: {html}");
    }
    assert_eq!(site.get("/accounts/2291").await.location(), "/entities/account/2291");
    let found = site.page("/accounts?q=29").await;
    assert!(found.contains("/entities/account/2291") && !found.contains("/entities/account/7\""));
    assert!(site.page("/entities/account/nobody").await.contains("does not say that nothing was done"));
}

#[tokio::test]
async fn exports_have_as_many_rows_as_the_page_counts() {
    let site = site().await;
    for (path, rows) in [("account/2291", 2), ("account/7", 2), ("order/4812", 4), ("account/none", 0)] {
        let lines = site.get(&format!("/api/v1/entities/{path}?format=jsonl")).await;
        assert_eq!(
            (lines.body.lines().count(), lines.headers["recount-rows"].to_str().unwrap()),
            (rows, &*rows.to_string())
        );
        let table = site.get(&format!("/api/v1/entities/{path}?format=csv")).await;
        assert_eq!(table.body.lines().count(), rows + 1, "{}", table.body);
    }
    let steps = site.get("/api/v1/entities/account/2291").await.json()["coverage"]["steps"].clone();
    assert_eq!(steps, 2);
    let refused = site.get("/api/v1/entities/account/2291?format=xls").await;
    assert!(refused.status.is_client_error() && refused.body.contains("`format` is"));
}

#[tokio::test]
async fn a_period_counts_what_lies_in_it_even_of_runs_that_reach_over_its_ends() {
    let site = site().await;
    let moment = |ns: u64| {
        let at = jiff::Timestamp::from_nanosecond(i128::from(ns)).unwrap();
        at.to_string()
    };
    // Within run 2: after its first act on the account.
    let start = NOW_NS - 2 * DAY_NS;
    let ask =
        |from: u64, to: u64| format!("/api/v1/entities/order/4812?from={}&to={}", moment(from), moment(to));
    for (from, to, acts) in [
        (start, start + DAY_NS / 2, 3),
        (start + 3 * SECOND_NS, start + DAY_NS / 2, 2),
        (start + 3 * SECOND_NS, start + 4 * SECOND_NS, 1),
        (start + DAY_NS / 2, NOW_NS, 1),
    ] {
        let answer = site.get(&ask(from, to)).await.json();
        assert_eq!(answer["coverage"]["acts"], acts, "{answer}");
        assert_eq!(answer["steps"].as_array().unwrap().len() as u64, acts);
    }
    let wrong: Got = site.get(&ask(NOW_NS, start)).await;
    assert!(wrong.status.is_client_error() && wrong.body.contains("`from` is not before `to`"));
}

#[tokio::test]
async fn an_account_is_found_by_what_redaction_made_of_it_and_by_its_other_names() {
    let keeping = Keeping::with(&Settings::with_pack("email"));
    let group = ["2291", "bob@example.com"].map(Entity::account);
    let entities =
        EntityTools { aliases: Arc::new(vec![group.into_iter().collect()]), ..EntityTools::default() };
    let site = Site::with(entities, keeping).await;
    site.keep(vec![
        act((1, 1, 0), "send_email", &["bob@example.com"], None),
        act((2, 1, 0), "send_email", &["2291"], None),
        act((3, 1, 0), "send_email", &["2291", "bob@example.com"], None),
        act((4, 1, 0), "send_email", &["7"], None),
    ])
    .await;
    for id in ["bob@example.com", "2291", "BOB%40example.com"] {
        let answer = site.get(&format!("/api/v1/entities/account/{id}")).await.json();
        let acts = if id.starts_with('B') { 2 } else { 3 };
        assert_eq!(answer["coverage"]["acts"], acts, "{id}: {answer}");
        let pseudonyms = answer["entity"]["pseudonyms"].to_string();
        assert!(pseudonyms.contains("email(15):v1.") && !pseudonyms.contains("bob"), "{pseudonyms}");
    }
    let kept = site.page("/entities/account/2291").await;
    assert!(kept.contains("Also kept as") && kept.contains("email(15):v1."));
}

#[tokio::test]
async fn words_of_payloads_find_the_runs_of_the_account_only() {
    let site = Site::new().await;
    let mut steps = Vec::new();
    for (number, account, words) in
        [(1, "2291", "damaged kettle"), (2, "2291", "lost lamp"), (3, "7", "damaged kettle")]
    {
        let mut step = act((number, 1, 0), "send_email", &[account], None);
        let body = crate::support::rows::text(recount::domain::content::ContentKind::Result, "", words);
        step.result = Some(step.add_body(body));
        steps.push(step);
    }
    site.keep(steps).await;
    let answer = site.get("/api/v1/entities/account/2291?text=Damaged").await.json();
    assert_eq!(said(&answer).len(), 1, "{answer}");
    assert!(said(&answer).first().unwrap().starts_with("run-001"));
}

#[tokio::test]
async fn a_sample_can_be_drawn_again() {
    let site = Site::new().await;
    let steps = (1..=40).map(|number| act((number, 1, 0), "send_email", &[&format!("a{number}")], None));
    site.keep(steps.collect()).await;
    let draw = |seed: &'static str| {
        let site = &site;
        async move { site.get(&format!("/api/v1/entities/account?seed={seed}&limit=5")).await.json() }
    };
    let (one, again, other) = (draw("q4").await, draw("q4").await, draw("q5").await);
    assert_eq!(one["count"], 40);
    assert_eq!(one["entities"].as_array().unwrap().len(), 5);
    assert_eq!((&one["entities"], &one["sha256"]), (&again["entities"], &again["sha256"]));
    assert_ne!(one["entities"], other["entities"]);
    let page = site.page("/accounts?seed=q4&size=5").await;
    assert!(page.contains("these 5 were drawn") && page.contains(one["sha256"].as_str().unwrap()));
}

#[tokio::test]
async fn a_hold_says_how_many_records_it_keeps_now() {
    let site = site().await;
    for (fields, said) in [
        ([("entity", "account:2291"), ("reason", "one")], "<td>one</td><td>9</td>"),
        ([("run", "run-003"), ("reason", "two")], "<td>two</td><td>1</td>"),
        ([("whole_project", "1"), ("reason", "three")], "<td>three</td><td>10</td>"),
        ([("run", "run-000"), ("reason", "four")], "<td>four</td><td>0 <span"),
    ] {
        assert_eq!(site.post("/holds/place", &fields).await.location(), "/holds");
        let html = site.page("/holds").await;
        assert!(html.contains(said), "{said}: {html}");
    }
    let html = site.page("/holds").await;
    assert!(html.contains("Nothing is kept of run run-000 yet"), "{html}");
    let listed = site.get("/api/v1/holds").await.json();
    let counts: BTreeSet<Option<u64>> =
        listed["holds"].as_array().unwrap().iter().map(|hold| hold["records"].as_u64()).collect();
    assert_eq!(counts, [9, 1, 10, 0].map(Some).into());
}
