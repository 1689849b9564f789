//! Old and misspelt addresses still lead to the run.
use axum::http::StatusCode;
use recount::domain::kind::Kind;
use recount::domain::step::Step;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

fn step(trace_number: u8, number: u64, parent: Option<u64>, run: Option<&str>) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(trace_number), span(number));
    facts.parent_span_id = parent.map(span);
    (facts.kind, facts.name, facts.tool) = (Kind::Read, format!("read {number}"), Some("look".to_owned()));
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + SECOND_NS));
    facts.run_id = run.map(str::to_owned);
    step
}

#[tokio::test]
async fn a_trace_leads_to_its_run_in_any_spelling() {
    let site = Site::new().await;
    site.keep(vec![step(1, 1, None, Some("run a/b"))]).await;
    let id = trace(1).to_string();
    for spelt in [
        id.clone(),
        id.to_uppercase(),
        format!("{}-{}", &id[..8], &id[8..]),
        format!("%20{id}%20"),
        id[1..].to_owned(),
    ] {
        let got = site.get(&format!("/traces/{spelt}")).await;
        assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "/runs/run%20a%2Fb"), "{spelt}");
        let got = site.get(&format!("/api/v1/traces/{spelt}")).await;
        assert_eq!(got.location(), "/api/v1/runs/run%20a%2Fb", "{spelt}");
    }
    let got = site.get(&format!("/spans/{id}/{}", span(1).to_string().to_uppercase())).await;
    assert_eq!(got.location(), format!("/runs/run%20a%2Fb?span={}", span(1)));
    assert_eq!(site.get(&format!("/spans/{id}/{}", span(9))).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.get(&format!("/traces/{}", trace(9))).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.get("/runs/nobody").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_run_that_got_its_name_late_keeps_its_old_address() {
    let site = Site::new().await;
    let id = trace(2).to_string();
    site.keep(vec![step(2, 2, Some(1), None)]).await;
    let html = site.page(&format!("/runs/{id}")).await;
    assert!(html.contains("Parent not received yet"), "{html}");
    site.keep(vec![step(2, 1, None, Some("late"))]).await;
    let got = site.get(&format!("/runs/{id}?tab=raw")).await;
    assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "/runs/late?tab=raw"));
    assert_eq!(site.get(&format!("/api/v1/runs/{id}")).await.location(), "/api/v1/runs/late");
    assert!(!site.page("/runs/late").await.contains("Parent not received yet"));
}

#[tokio::test]
async fn a_trace_of_several_runs_lists_them() {
    let site = Site::new().await;
    site.keep(vec![step(3, 1, None, Some("one")), step(3, 2, None, Some("two"))]).await;
    let html = site.page(&format!("/traces/{}", trace(3))).await;
    assert!(html.contains("/runs/one") && html.contains("/runs/two"));
    let got = site.get(&format!("/runs/{}", trace(3))).await;
    assert_eq!(got.location(), format!("/traces/{}", trace(3)));
    let runs = site.get(&format!("/api/v1/traces/{}", trace(3))).await.json();
    assert_eq!(runs["run_ids"].as_array().unwrap().len(), 2);
    let got = site.get(&format!("/spans/{}/{}", trace(3), span(2))).await;
    assert_eq!(got.location(), format!("/runs/two?span={}", span(2)));
}
