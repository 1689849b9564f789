//! A scope that is limited to some entities: what is not about them is not there, whichever question asks.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::entity::Entity;
use recount::domain::fold::runs_of;
use recount::domain::ids::{Project, TraceId};
use recount::domain::kind::Kind;
use recount::domain::outcome::Outcome;
use recount::domain::scope::{EntityPattern, Scope};
use recount::domain::step::Step;
use recount::store::queries::{
    ActionFilter, actions, bodies, content_refs, key_records, rejects, run_facets, run_line, run_records,
    runs, span as span_rows, trace_records, trace_runs,
};
use recount::store::{RunFilter, key_traces};

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, text, trace};

fn act(number: u8, accounts: &[&str]) -> Step {
    let mut step = Step::default();
    let at = step.add_body(text(recount::domain::content::ContentKind::Arguments, "", "{\"a\":1}"));
    step.arguments = Some(at);
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(u64::from(number)));
    (facts.kind, facts.name, facts.tool) = (Kind::Act, "refund".to_owned(), Some("refund".to_owned()));
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + SECOND_NS));
    (facts.run_id, facts.key) = (Some(format!("run{number}")), Some(format!("key{number}")));
    facts.outcome = Some(Outcome::Confirmed);
    facts.entities = accounts.iter().map(|id| Entity::account(*id)).collect();
    step
}

fn limited(pattern: &str) -> Scope {
    Scope { project: Project::default(), entities: vec![EntityPattern::parse(pattern).unwrap()] }
}

async fn seen(site: &Site, scope: &Scope, number: u8) -> Vec<&'static str> {
    let (store, trace_id) = (&site.store, trace(number));
    let run_id = format!("run{number}");
    let key = format!("key{number}");
    let digest = content_of(site, trace_id).await;
    let list = runs(store, scope, &RunFilter::default(), (None, 50), NOW_NS).await.unwrap().runs;
    let acts = actions(store, scope, &ActionFilter::default(), (None, 50), NOW_NS).await.unwrap();
    [
        ("runs", list.iter().any(|row| row.summary.run_id == run_id)),
        ("run_line", run_line(store, scope, &run_id, NOW_NS).await.unwrap().is_some()),
        ("run_records", !run_records(store, scope, &run_id).await.unwrap().is_empty()),
        ("trace_records", !trace_records(store, scope, &[trace_id]).await.unwrap().is_empty()),
        ("trace_runs", !trace_runs(store, scope, trace_id).await.unwrap().is_empty()),
        ("span", !span_rows(store, scope, trace_id, span(u64::from(number))).await.unwrap().is_empty()),
        ("content_refs", !content_refs(store, scope, trace_id, &[digest]).await.unwrap().is_empty()),
        ("bodies", !bodies(store, scope, trace_id, &[digest]).await.unwrap().is_empty()),
        ("actions", acts.actions.iter().any(|line| line.key == key)),
        ("key_records", key_records(store, scope, &key).await.unwrap().1.records > 0),
        ("key_traces", !key_traces(store, scope, &[&key]).await.unwrap().is_empty()),
    ]
    .into_iter()
    .filter_map(|(name, seen)| seen.then_some(name))
    .collect()
}

async fn content_of(site: &Site, trace_id: TraceId) -> recount::domain::ids::Digest {
    let records = trace_records(&site.store, &Scope::whole(Project::default()), &[trace_id]).await.unwrap();
    let run = runs_of(records).into_values().next().unwrap();
    run.records.first().unwrap().arguments.as_ref().unwrap().digest
}

#[tokio::test]
async fn what_is_about_other_accounts_is_not_there() {
    let site = Site::new().await;
    site.keep(vec![act(1, &["1"]), act(2, &["2"]), act(3, &["1", "2"]), act(4, &[])]).await;
    let everything = seen(&site, &Scope::whole(Project::default()), 1).await;
    assert_eq!(everything.len(), 11, "{everything:?}");
    let scope = limited("account:1");
    assert_eq!(seen(&site, &scope, 1).await, everything);
    for number in [2, 3, 4] {
        assert_eq!(seen(&site, &scope, number).await, Vec::<&str>::new(), "run{number}");
    }
    assert_eq!(seen(&site, &limited("account:*"), 3).await, everything);
    let facets = run_facets(&site.store, &scope, &RunFilter::default(), NOW_NS).await.unwrap();
    assert!(format!("{facets:?}").contains("runs: 1"), "{facets:?}");
    // Refusals name no entity, so a limited viewer finds none.
    assert!(rejects(&site.store, &scope, None, 10).await.unwrap().is_empty());
}
