//! Lists follow the records: after a touch, after late identity, after a crash, and made again from nothing.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use recount::domain::action::Action;
use recount::domain::content::ContentKind;
use recount::domain::kind::Kind;
use recount::domain::outcome::Outcome;
use recount::domain::step::{Failure, Step};
use recount::projection::{Projection, ProjectionSettings, rebuild};
use recount::store::Store;
use recount::store::queries::{ActionFilter, actions, run_line, runs, trace_runs};
use recount::store::{RunFilter, rows::RunRow};

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, scope, span, text, trace};

struct Bench {
    store: Store,
    keeping: Keeping,
    projection: Projection,
}

impl Bench {
    async fn new() -> Self {
        let store = engine::store().await;
        store.migrate().await.unwrap();
        let projection = Projection::start(store.clone(), ProjectionSettings::default());
        Self { store, keeping: Keeping::new(), projection }
    }

    async fn keep(&self, received_ns: u64, steps: Vec<Step>) {
        let traces: Vec<_> = steps.iter().map(|step| step.facts.trace_id).collect();
        self.keeping.keep(&self.store, received_ns, steps).await;
        let touched = self.projection.touch(&self.keeping.project, &traces);
        tokio::time::timeout(Duration::from_secs(30), touched).await.unwrap();
    }

    async fn actions(&self) -> Vec<Action> {
        actions(&self.store, &scope(), &ActionFilter::default(), 100, NOW_NS).await.unwrap()
    }

    async fn listed(&self) -> Vec<RunRow> {
        runs(&self.store, &scope(), &RunFilter::default(), (None, 500), NOW_NS).await.unwrap().runs
    }
}

fn step(trace_number: u8, span_number: u64, name: &str) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id, facts.name) = (trace(trace_number), span(span_number), name.into());
    facts.started_ns = NOW_NS + span_number * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    step
}

fn refund(trace_number: u8, span_number: u64, fails: bool) -> Step {
    let mut step = step(trace_number, span_number, "execute_tool issue_refund");
    let arguments = step.add_body(text(ContentKind::Arguments, "", "{\"order_id\":\"4812\"}"));
    step.arguments = Some(arguments);
    step.facts.kind = Kind::Act;
    step.facts.tool = Some("issue_refund".into());
    step.facts.target = Some("order:4812".into());
    step.facts.error = fails.then(|| Failure { kind: "ReadTimeout".into(), message: String::new() });
    step
}

#[tokio::test]
async fn a_touched_run_is_in_the_list() {
    let bench = Bench::new().await;
    bench.keep(NOW_NS, vec![step(1, 0, "agent"), refund(1, 1, true), refund(1, 3, false)]).await;
    let listed = bench.listed().await;
    assert_eq!(listed.len(), 1);
    let line = &listed[0].summary;
    assert_eq!(
        (line.run_id.as_str(), line.attempt_count, line.retry_count),
        (trace(1).to_string().as_str(), 3, 1)
    );
    assert_eq!(bench.projection.lag().traces, 0);
    // The same again changes nothing.
    bench.keep(NOW_NS + 1, vec![step(1, 0, "agent"), refund(1, 1, true), refund(1, 3, false)]).await;
    assert_eq!(bench.listed().await[0].summary.attempt_count, 3);
}

#[tokio::test]
async fn an_id_that_comes_late_moves_the_run() {
    let bench = Bench::new().await;
    bench.keep(NOW_NS, vec![refund(2, 1, false)]).await;
    assert_eq!(bench.listed().await[0].summary.run_id, trace(2).to_string());
    let mut root = step(2, 0, "agent");
    root.facts.run_id = Some("run-7".into());
    bench.keep(NOW_NS + SECOND_NS, vec![root]).await;
    let listed = bench.listed().await;
    let ids: Vec<&str> = listed.iter().map(|line| line.summary.run_id.as_str()).collect();
    assert_eq!(ids, ["run-7"], "the line under the trace's id is gone");
    assert_eq!(trace_runs(&bench.store, &scope(), trace(2)).await.unwrap(), ["run-7"]);
    // A second trace of the same run, received first by the clock of another replica.
    let mut earlier = refund(3, 2, true);
    earlier.facts.run_id = Some("run-7".into());
    bench.keep(NOW_NS - SECOND_NS, vec![earlier]).await;
    let listed = bench.listed().await;
    assert_eq!(listed.len(), 1, "one line, although its first receipt has changed");
    assert_eq!(
        (listed[0].summary.traces.len(), listed[0].summary.act_count),
        (2, 1 + u32::from(listed[0].summary.act_count > 1))
    );
    let line = run_line(&bench.store, &scope(), "run-7", NOW_NS).await.unwrap().unwrap();
    assert_eq!(line.summary.received_ns, NOW_NS - SECOND_NS);
}

#[tokio::test]
async fn one_action_a_key_over_runs() {
    let bench = Bench::new().await;
    for (trace_number, fails) in [(4, true), (5, false)] {
        let mut act = refund(trace_number, 1, fails);
        act.facts.key = Some("order-4812:refund".into());
        bench.keep(NOW_NS + u64::from(trace_number), vec![act]).await;
    }
    let found = bench.actions().await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].run_ids.len(), found[0].attempt_count), (2, 2));
    // A look at the other trace alone gives the same line.
    bench.projection.touch(&bench.keeping.project, &[trace(4)]).await;
    assert_eq!(bench.actions().await, found);
    assert_ne!(found[0].outcome, Outcome::Failed);
}

#[tokio::test]
async fn rebuilding_from_nothing_gives_the_same_lines() {
    let bench = Bench::new().await;
    for number in 6..12_u8 {
        let mut root = step(number, 0, "agent");
        root.facts.run_id = (number % 2 == 0).then(|| format!("run-{}", number / 4));
        bench.keep(NOW_NS + u64::from(number), vec![refund(number, 1, number % 3 == 0)]).await;
        bench.keep(NOW_NS + 100 + u64::from(number), vec![root, refund(number, 3, false)]).await;
    }
    let before = (bench.listed().await, bench.actions().await);
    assert!(before.0.len() > 3 && before.1.len() > 3);
    let rebuilt = rebuild(&bench.store).await.unwrap();
    assert_eq!(rebuilt.records, 18);
    let after = (bench.listed().await, bench.actions().await);
    assert_eq!(before, after);
}
