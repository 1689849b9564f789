//! Kind I: what retention takes and leaves. These run in this process, where the clock can be moved.
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::{Evidence, Outcome};
use recount::domain::step::Step;
use recount::server::expire;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

const DAY_NS: u64 = 86_400 * SECOND_NS;

fn step(number: u8, id: u8, run: &str, name: &str) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(u64::from(id)));
    (facts.name, facts.run_id) = (name.to_owned(), Some(run.to_owned()));
    (facts.started_ns, facts.ended_ns) = (u64::from(id), Some(u64::from(id) + 1));
    facts.status = Status::Ok;
    step
}

fn refund(number: u8, run: &str, outcome: Outcome) -> Step {
    let mut step = step(number, 1, run, "refund");
    let facts = &mut step.facts;
    (facts.kind, facts.tool, facts.step_id) = (Kind::Act, Some("refund".to_owned()), Some("st-1".to_owned()));
    (facts.key, facts.target) = (Some(format!("k{number}")), Some("order:7020".to_owned()));
    (facts.outcome, facts.evidence) = (Some(outcome), Some(Evidence::Timeout));
    step
}

/// Retention is in whole weeks and six months at least, so "a month ago" is half a year here.
#[tokio::test]
async fn b44_retention_and_open_questions() {
    let site = Site::new().await;
    let long_ago = NOW_NS - 200 * DAY_NS;
    site.keep_at(long_ago, vec![refund(1, "r1", Outcome::Unknown)]).await;
    site.keep_at(long_ago, vec![step(2, 1, "r2", "start")]).await;
    site.keep_at(long_ago, vec![refund(3, "r3", Outcome::Confirmed)]).await;
    site.keep_at(NOW_NS, vec![step(2, 2, "r2", "end")]).await;
    let whole = site.get("/api/v1/runs/r2").await.json();
    assert_eq!((&whole["attempt_count"], &whole["completeness"]["expired"]), (&2.into(), &0.into()));
    let dropped = expire(&site.store, NOW_NS).await.unwrap();
    assert!(dropped.iter().any(|one| one.table == "steps" && one.rows > one.moved), "{dropped:?}");

    // The evidence of what is still open is there, and its page says why.
    let run = site.get("/api/v1/runs/r1").await.json();
    assert_eq!((&run["attempt_count"], &run["unknown_count"]), (&1.into(), &1.into()));
    let open = site.get("/api/v1/cases?run=r1").await.json();
    let case = open["cases"][0]["case_id"].as_str().unwrap();
    let page = site.page(&format!("/cases/{case}")).await;
    assert!(page.contains("kept while it is open") && page.contains("order:7020"), "{page}");
    assert!(site.page("/runs/r1").await.contains("refund"));
    // What was settled is gone, and that is said.
    let gone = site.get("/runs/r3").await;
    assert!(gone.status == 404 && gone.body.contains("have expired"), "{}", gone.body);

    // Of a run across the boundary the rest is not shown as if it were all.
    let rest = site.get("/api/v1/runs/r2").await.json();
    assert_eq!((&rest["attempt_count"], &rest["completeness"]["expired"]), (&1.into(), &1.into()));
    let page = site.page("/runs/r2").await;
    assert!(page.contains("1 older record of this run has expired"), "{page}");

    // What is sent again after it has expired is new: it is kept from now on, and nothing else comes back.
    site.keep_at(NOW_NS, vec![refund(3, "r3", Outcome::Confirmed)]).await;
    assert_eq!(site.get("/api/v1/runs/r3").await.json()["attempt_count"], 1);
    assert_eq!(site.get("/api/v1/runs/r2").await.json()["attempt_count"], 1);
}
