//! What is over is dropped by the week and recorded; what is held or belongs to an open case is moved on first.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::hold::{HeldKind, Hold};
use recount::domain::ids::{Project, TraceId};
use recount::domain::kind::{Kind, Status};
use recount::domain::lifecycle::LifecycleKind;
use recount::domain::outcome::{Evidence, Outcome};
use recount::domain::step::Step;
use recount::projection::{Projection, ProjectionSettings};
use recount::server::expire;
use recount::store::Store;
use recount::store::queries::{bodies, holds, keep_hold, lifecycle, run_line, trace_records};

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, scope, span, text, trace};

const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// An act in a trace of its own, with a body.
fn act(number: u8, outcome: Outcome) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(1));
    (facts.kind, facts.name, facts.tool) = (Kind::Act, "refund".to_owned(), Some("refund".to_owned()));
    (facts.started_ns, facts.ended_ns) = (1, Some(2));
    facts.key = Some(format!("key-{number}"));
    (facts.outcome, facts.evidence) = (Some(outcome), Some(Evidence::Given));
    facts.status = Status::Ok;
    let body = step.add_body(text(ContentKind::Result, "tool", &format!("answer {number}")));
    step.result = Some(body);
    step
}

async fn kept(store: &Store, traces: &[TraceId]) -> Vec<u8> {
    let records = trace_records(store, &scope(), traces).await.unwrap();
    let mut kept: Vec<u8> = records.iter().map(|record| record.facts.trace_id.0[0]).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[tokio::test]
async fn weeks_that_are_over_are_dropped_and_open_cases_keep_their_evidence() {
    let store = engine::store().await;
    let keeping = Keeping::new();
    let settings = ProjectionSettings { gather: Duration::ZERO, ..ProjectionSettings::default() };
    let projection = Projection::start(store.clone(), settings);
    let traces = [trace(1), trace(2), trace(3)];
    let long_ago = NOW_NS - 200 * DAY_NS;
    keeping.keep(&store, long_ago, vec![act(1, Outcome::Confirmed), act(2, Outcome::Unknown)]).await;
    keeping.keep(&store, NOW_NS, vec![act(3, Outcome::Confirmed)]).await;
    projection.touch(&keeping.project, &traces).await;
    assert_eq!(kept(&store, &traces).await, [1, 2, 3]);
    // A week before the last row is due nothing is over.
    assert_eq!(expire(&store, NOW_NS - 24 * DAY_NS).await.unwrap(), []);

    let expired = expire(&store, NOW_NS).await.unwrap();
    let steps = expired.iter().find(|one| one.table == "steps").unwrap();
    assert_eq!((steps.rows, steps.moved), (2, 1), "{expired:?}");
    assert_eq!(kept(&store, &traces).await, [2, 3]);
    let record = trace_records(&store, &scope(), &[trace(2)]).await.unwrap().remove(0);
    let digest = record.result.unwrap().digest;
    let body = bodies(&store, &scope(), trace(2), &[digest]).await.unwrap();
    assert_eq!(body.first().map(|body| body.text.as_str()), Some("answer 2"));
    let told = lifecycle(&store, Some(LifecycleKind::Expired), 10).await.unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].detail("steps"), Some("2 rows, 1 moved on"));
    assert_eq!(told[0].detail("week"), Some(steps.week.as_str()));

    // Again: nothing is left to drop, and when the moved week is over the case is still open.
    assert_eq!(expire(&store, NOW_NS).await.unwrap(), []);
    let later = expire(&store, NOW_NS + 45 * DAY_NS).await.unwrap();
    assert!(later.iter().any(|one| one.table == "steps" && one.moved == 1), "{later:?}");
    assert_eq!(kept(&store, &traces).await, [2, 3]);
    projection.stop();
}

fn hold(id: &str, kind: HeldKind, name: &str) -> Hold {
    Hold {
        id: id.to_owned(),
        at_ns: NOW_NS,
        project: Project::default(),
        kind,
        names: Some(name.to_owned()).filter(|name| !name.is_empty()).into_iter().collect(),
        reason: "a lawsuit".to_owned(),
        placed_ns: NOW_NS,
        placed_by: "ada".to_owned(),
        lifted: None,
        changed_by: "ada".to_owned(),
    }
}

async fn lift(store: &Store, hold: &Hold) {
    let lifted = Hold { at_ns: hold.at_ns + 1, lifted: Some("it is over".to_owned()), ..hold.clone() };
    keep_hold(store, &lifted).await.unwrap();
}

#[tokio::test]
async fn what_a_hold_is_on_stays_until_it_is_lifted() {
    let store = engine::store().await;
    let keeping = Keeping::new();
    let settings = ProjectionSettings { gather: Duration::ZERO, ..ProjectionSettings::default() };
    let projection = Projection::start(store.clone(), settings);
    let of = |number: u8, account: &str, run: &str| {
        let mut step = act(number, Outcome::Confirmed);
        step.facts.entities = vec![Entity::account(account)];
        step.facts.run_id = Some(run.to_owned()).filter(|run| !run.is_empty());
        step
    };
    // Of the account there is a second record, which does not name it.
    let mut unnamed = act(1, Outcome::Confirmed);
    (unnamed.facts.span_id, unnamed.facts.key) = (span(2), None);
    let steps = vec![of(1, "2291", ""), unnamed, of(2, "7", "run-2"), of(3, "7", ""), of(4, "8", "")];
    let traces = [trace(1), trace(2), trace(3), trace(4)];
    keeping.keep(&store, NOW_NS - 200 * DAY_NS, steps).await;
    projection.touch(&keeping.project, &traces).await;
    let nameless = "03".repeat(16);
    let [account, run, other] = [
        hold("a", HeldKind::Entity, "account:2291"),
        hold("b", HeldKind::Run, "run-2"),
        // A run that has no id but its trace's.
        hold("c", HeldKind::Run, &nameless),
    ];
    for hold in [&account, &run, &other] {
        keep_hold(&store, hold).await.unwrap();
    }
    assert_eq!(holds(&store, Some(&keeping.project)).await.unwrap().len(), 3);
    let expired = expire(&store, NOW_NS).await.unwrap();
    let steps = expired.iter().find(|one| one.table == "steps").unwrap();
    assert_eq!((steps.rows, steps.moved), (5, 4), "{expired:?}");
    assert_eq!(kept(&store, &traces).await, [1, 2, 3]);
    assert_eq!(trace_records(&store, &scope(), &[trace(1)]).await.unwrap().len(), 2);
    let record = trace_records(&store, &scope(), &[trace(2)]).await.unwrap().remove(0);
    let digest = record.result.unwrap().digest;
    assert_eq!(bodies(&store, &scope(), trace(2), &[digest]).await.unwrap().len(), 1, "its bodies stay too");
    assert!(
        run_line(&store, &scope(), "run-2", NOW_NS).await.unwrap().is_some(),
        "and its line in the lists"
    );

    // One is lifted: when the week to which all were moved is over, it alone goes.
    lift(&store, &run).await;
    expire(&store, NOW_NS + 45 * DAY_NS).await.unwrap();
    assert_eq!(kept(&store, &traces).await, [1, 3]);
    lift(&store, &account).await;
    lift(&store, &other).await;
    expire(&store, NOW_NS + 90 * DAY_NS).await.unwrap();
    assert!(kept(&store, &traces).await.is_empty());
    assert!(holds(&store, None).await.unwrap().iter().all(|hold| !hold.is_in_force()));
    projection.stop();
}

#[tokio::test]
async fn a_hold_on_a_project_keeps_all_of_it_and_nothing_of_another() {
    let store = engine::store().await;
    let (keeping, mut others) = (Keeping::new(), Keeping::new());
    others.project = Project("shop".to_owned());
    keeping.keep(&store, NOW_NS - 200 * DAY_NS, vec![act(1, Outcome::Confirmed)]).await;
    others.keep(&store, NOW_NS - 200 * DAY_NS, vec![act(2, Outcome::Confirmed)]).await;
    keep_hold(&store, &hold("p", HeldKind::Project, "")).await.unwrap();
    let expired = expire(&store, NOW_NS).await.unwrap();
    let steps = expired.iter().find(|one| one.table == "steps").unwrap();
    assert_eq!((steps.rows, steps.moved), (2, 1), "{expired:?}");
    assert_eq!(kept(&store, &[trace(1)]).await, [1]);
}
