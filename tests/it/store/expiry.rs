//! What is over is dropped by the week and recorded; what belongs to an open case is moved on first.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use recount::domain::content::ContentKind;
use recount::domain::ids::TraceId;
use recount::domain::kind::{Kind, Status};
use recount::domain::lifecycle::LifecycleKind;
use recount::domain::outcome::{Evidence, Outcome};
use recount::domain::step::Step;
use recount::projection::{Projection, ProjectionSettings};
use recount::server::expire;
use recount::store::Store;
use recount::store::queries::{bodies, lifecycle, trace_records};

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
