//! What is kept shows in lists: runs and actions follow their records, whatever comes late, and can be made
//! again.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use recount::domain::action::Action;
use recount::domain::fold::SAME_RUN;
use recount::domain::ids::{Project, TraceId};
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::Outcome;
use recount::domain::scope::Scope;
use recount::domain::step::{Failure, Link, Step};
use recount::domain::value::Value;
use recount::projection::{Projection, ProjectionSettings, rebuild_with};
use recount::store::queries::{
    ActionFilter, Bins, actions, run_facets, run_histogram, run_line, runs, trace_runs,
};
use recount::store::rows::{RunCursor, RunRow};
use recount::store::{Bound, RunField, RunFilter, RunMeasure, Store};

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, scope, span, trace};

/// An hour after everything here was received: every deadline has passed.
const LATER_NS: u64 = NOW_NS + 3600 * SECOND_NS;

struct House {
    store: Store,
    keeping: Keeping,
    projection: Projection,
}

fn settings() -> ProjectionSettings {
    ProjectionSettings { now_ns: || LATER_NS, gather: Duration::ZERO, ..ProjectionSettings::default() }
}

impl House {
    async fn new() -> Self {
        let store = engine::store().await;
        store.migrate().await.unwrap();
        let projection = Projection::start(store.clone(), settings());
        Self { store, keeping: Keeping::new(), projection }
    }

    /// Keeps steps that were received so many seconds after all began, and waits for their lines.
    async fn receive(&self, second: u64, steps: Vec<Step>) {
        let touched: Vec<TraceId> = steps.iter().map(|step| step.facts.trace_id).collect();
        self.keeping.keep(&self.store, NOW_NS + second * SECOND_NS, steps).await;
        self.projection.touch(&self.keeping.project, &touched).await;
    }

    async fn list(&self) -> Vec<RunRow> {
        self.listed(&RunFilter::default()).await
    }

    async fn listed(&self, filter: &RunFilter) -> Vec<RunRow> {
        runs(&self.store, &scope(), filter, (None, 500), LATER_NS).await.unwrap().runs
    }

    async fn ids(&self, filter: RunFilter) -> Vec<String> {
        let mut ids: Vec<String> =
            self.listed(&filter).await.into_iter().map(|run| run.summary.run_id).collect();
        ids.sort();
        ids
    }

    async fn actions(&self) -> Vec<Action> {
        let mut found = actions(&self.store, &scope(), &ActionFilter::default(), (None, 500), LATER_NS)
            .await
            .unwrap()
            .actions;
        found.sort_by(|one, other| (&one.key, &one.tool).cmp(&(&other.key, &other.tool)));
        found
    }
}

fn step(trace_number: u8, span_number: u64, second: u64) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(trace_number), span(span_number));
    (facts.kind, facts.name) = (Kind::Read, "read_order".into());
    facts.started_ns = NOW_NS + second * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    step
}

fn act(trace_number: u8, span_number: u64, second: u64, key: Option<&str>) -> Step {
    let mut step = step(trace_number, span_number, second);
    let facts = &mut step.facts;
    (facts.kind, facts.name) = (Kind::Act, "issue_refund".into());
    (facts.tool, facts.target) = (Some("issue_refund".into()), Some("order:4812".into()));
    facts.key = key.map(str::to_owned);
    step
}

fn timed_out(mut step: Step) -> Step {
    step.facts.status = Status::Error;
    step.facts.error = Some(Failure { kind: "ReadTimeout".into(), message: "no answer".into() });
    step
}

fn in_run(mut step: Step, run_id: &str) -> Step {
    step.facts.run_id = Some(run_id.to_owned());
    step
}

#[tokio::test]
async fn a_late_root_renames_the_run() {
    let house = House::new().await;
    let mut child = act(1, 1, 1, None);
    child.facts.parent_span_id = Some(span(0));
    house.receive(0, vec![child]).await;
    let list = house.list().await;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].summary.run_id, trace(1).to_string());
    assert_eq!(house.actions().await.len(), 1);

    let mut root = in_run(step(1, 0, 0), "given");
    root.facts.kind = Kind::Agent;
    root.facts.agent = Some("refund-agent".into());
    house.receive(5, vec![root]).await;
    let list = house.list().await;
    assert_eq!(list.len(), 1, "{list:?}");
    let run = &list[0].summary;
    assert_eq!((run.run_id.as_str(), run.agent.as_deref()), ("given", Some("refund-agent")));
    assert_eq!((run.received_ns, run.started_ns, run.step_count), (NOW_NS, NOW_NS, 2));
    let actions = house.actions().await;
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(actions[0].run_ids, ["given"]);
    assert_eq!(trace_runs(&house.store, &scope(), trace(1)).await.unwrap(), ["given"]);
    assert!(run_line(&house.store, &scope(), &trace(1).to_string(), LATER_NS).await.unwrap().is_none());
    assert_eq!(run_line(&house.store, &scope(), "given", LATER_NS).await.unwrap().as_ref(), Some(&list[0]));
}

#[tokio::test]
async fn a_run_of_two_traces_is_one_line_whoever_comes_first() {
    let house = House::new().await;
    // The second trace is received before the first, and says late whose it is.
    house.receive(0, vec![step(2, 1, 10)]).await;
    house.receive(1, vec![in_run(step(1, 1, 0), "one")]).await;
    assert_eq!(house.list().await.len(), 2);
    house.receive(2, vec![in_run(step(2, 2, 11), "one")]).await;
    let list = house.list().await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((list[0].summary.received_ns, list[0].summary.step_count), (NOW_NS, 3));
    assert_eq!(list[0].summary.traces, [trace(1), trace(2)]);
    // A third, by the clock of another replica received before all.
    let mut earliest = in_run(step(3, 1, 0), "one");
    earliest.facts.kind = Kind::Transport;
    house.keeping.keep(&house.store, NOW_NS - SECOND_NS, vec![earliest]).await;
    house.projection.touch(&house.keeping.project, &[trace(3)]).await;
    let list = house.list().await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((list[0].summary.received_ns, list[0].summary.traces.len()), (NOW_NS - SECOND_NS, 3));
}

#[tokio::test]
async fn an_action_gathers_its_attempts_over_runs() {
    let house = House::new().await;
    house.receive(0, vec![in_run(timed_out(act(1, 1, 0, Some("k"))), "first")]).await;
    let [action] = &house.actions().await[..] else { unreachable!("one action") };
    assert_eq!((action.outcome, action.attempt_count), (Outcome::Unknown, 1));
    house.receive(60, vec![in_run(act(2, 1, 60, Some("k")), "second")]).await;
    let [action] = &house.actions().await[..] else { unreachable!("one action") };
    assert_eq!((action.outcome, action.attempt_count), (Outcome::Confirmed, 2));
    assert_eq!(action.run_ids, ["first", "second"]);
    // A look at one of its traces alone gives the same line.
    house.projection.touch(&house.keeping.project, &[trace(1)]).await;
    assert_eq!(house.actions().await, std::slice::from_ref(action));
    let unknown = ActionFilter { outcome: Some(Outcome::Unknown), ..ActionFilter::default() };
    assert_eq!(
        actions(&house.store, &scope(), &unknown, (None, 10), LATER_NS).await.unwrap().actions,
        vec![]
    );
}

/// Three traces, joined by links, renamed, retried under keys, in an order that nobody would choose.
fn scrambled() -> Vec<(u64, Vec<Step>)> {
    let mut linked = act(3, 1, 30, Some("k-2"));
    linked.facts.links = vec![Link {
        trace_id: trace(1),
        span_id: span(1),
        attributes: vec![(SAME_RUN.into(), Value::Bool(true))],
    }];
    let mut child = timed_out(act(1, 2, 2, Some("k-1")));
    child.facts.parent_span_id = Some(span(1));
    vec![
        (0, vec![linked]),
        (1, vec![child]),
        (2, vec![in_run(act(2, 1, 9, Some("k-1")), "other"), step(2, 5, 9)]),
        (3, vec![in_run(step(1, 1, 0), "main")]),
        (4, vec![act(4, 1, 9, None), in_run(act(4, 2, 9, None), "fourth")]),
        (5, vec![in_run(act(4, 3, 9, None), "fifth")]),
    ]
}

#[tokio::test]
async fn lines_made_again_are_the_same_lines() {
    let house = House::new().await;
    for (second, steps) in scrambled() {
        house.receive(second, steps).await;
    }
    let (list, actions) = (house.list().await, house.actions().await);
    assert!(list.len() >= 4 && actions.len() >= 4, "{list:?} {actions:?}");

    // Touched again, as after a crash, nothing changes.
    let touched: Vec<TraceId> = (1..=4).map(trace).collect();
    house.projection.touch(&Project::default(), &touched).await;
    assert_eq!((house.list().await, house.actions().await), (list.clone(), actions.clone()));
    // Nor by repeating every request.
    for (second, steps) in scrambled().into_iter().rev() {
        house.receive(second + 100, steps).await;
    }
    assert_eq!((house.list().await, house.actions().await), (list.clone(), actions.clone()));
    let small = ProjectionSettings { traces_max: 1, ..settings() };
    for settings in [settings(), small] {
        let rebuilt = rebuild_with(&house.store, &settings).await.unwrap();
        assert!(rebuilt.records >= 8, "{rebuilt:?}");
        assert_eq!((house.list().await, house.actions().await), (list.clone(), actions.clone()));
    }
    assert_eq!((house.projection.lag().traces, house.projection.lag().failed), (0, 0));
}

#[tokio::test]
async fn pages_of_the_list_skip_no_ties() {
    let house = House::new().await;
    // Two hundred runs that all started at once.
    let steps: Vec<Step> = (0..200u8).map(|number| step(number, 1, 0)).collect();
    house.receive(0, steps).await;
    let mut seen = Vec::new();
    let mut after: Option<RunCursor> = None;
    loop {
        let page = runs(&house.store, &scope(), &RunFilter::default(), (after.as_ref(), 33), LATER_NS)
            .await
            .unwrap();
        seen.extend(page.runs.into_iter().map(|run| run.summary.run_id));
        let Some(next) = page.next else { break };
        after = Some(RunCursor::parse(&next.to_string()).unwrap());
    }
    let mut ids: Vec<String> = (0..200u8).map(|number| trace(number).to_string()).collect();
    ids.reverse();
    assert_eq!(seen, ids);
}

#[tokio::test]
async fn filters_facets_and_histograms_agree() {
    let house = House::new().await;
    let mut modelled = in_run(step(1, 1, 0), "thinks");
    modelled.facts.kind = Kind::Think;
    modelled.facts.model = Some("claude-sonnet-4-5".into());
    modelled.facts.tokens.input = Some(900);
    modelled.facts.environment = Some("production".into());
    let unknown = in_run(timed_out(act(2, 1, 100, Some("k-9"))), "unknown");
    let mut ancient = in_run(step(3, 1, 0), "ancient");
    (ancient.facts.started_ns, ancient.facts.ended_ns) = (0, Some(SECOND_NS));
    house.receive(0, vec![modelled]).await;
    house.receive(101, vec![unknown]).await;
    house.receive(200, vec![ancient]).await;

    let all = RunFilter::default;
    let bounded = |measure, above: f64| {
        let mut filter = all();
        filter.bounds.insert(measure, Bound { above: Some(above), below: None });
        filter
    };
    let since = |second: u64| RunFilter { from_ns: Some(NOW_NS + second * SECOND_NS), ..all() };
    let words = |word: &str| RunFilter { words: vec![word.into()], ..all() };
    for (filter, ids) in [
        (all(), vec!["ancient", "thinks", "unknown"]),
        (all().with(RunField::Outcome, "unknown"), vec!["unknown"]),
        (all().without(RunField::Outcome, "unknown"), vec!["ancient", "thinks"]),
        (all().with(RunField::Model, "claude-sonnet-4-5"), vec!["thinks"]),
        (all().with(RunField::Environment, "production"), vec!["thinks"]),
        (all().with(RunField::Tool, "issue_refund"), vec!["unknown"]),
        (all().with(RunField::Key, "k-9"), vec!["unknown"]),
        (all().without(RunField::Key, "k-9"), vec!["ancient", "thinks"]),
        (all().with(RunField::Key, "k-none"), vec![]),
        (all().with(RunField::Run, "thinks").with(RunField::Run, "ancient"), vec!["ancient", "thinks"]),
        (bounded(RunMeasure::Tokens, 899.0), vec!["thinks"]),
        (bounded(RunMeasure::Tokens, 900.0), vec![]),
        (bounded(RunMeasure::Acts, 0.0), vec!["unknown"]),
        (words("REFUND"), vec!["unknown"]),
        (words("no such word"), vec![]),
        (since(100), vec!["ancient", "unknown"]),
        (since(101), vec!["ancient"]),
        (RunFilter { to_ns: Some(NOW_NS + 100 * SECOND_NS), ..all() }, vec!["thinks"]),
    ] {
        assert_eq!(house.ids(filter.clone()).await, ids, "{filter:?}");
    }
    // A clock of 1970 is listed by its receipt.
    assert_eq!(house.list().await[0].summary.run_id, "ancient");

    let facets = run_facets(&house.store, &scope(), &all(), LATER_NS).await.unwrap();
    assert_eq!((facets.runs, facets.first_ns, facets.last_ns), (3, NOW_NS, NOW_NS + 200 * SECOND_NS));
    let of = |field| facets.fields[&field].iter().map(|facet| (facet.value.as_str(), facet.runs)).collect();
    let outcomes: Vec<(&str, u64)> = of(RunField::Outcome);
    assert_eq!(outcomes, [("none", 2), ("unknown", 1)]);
    let tools: Vec<(&str, u64)> = of(RunField::Tool);
    assert!(tools.contains(&("issue_refund", 1)), "{tools:?}");

    let bins = Bins { start_ns: NOW_NS, end_ns: NOW_NS + 300 * SECOND_NS, count: 3 };
    let histogram = run_histogram(&house.store, &scope(), &all(), bins, LATER_NS).await.unwrap();
    let counts: Vec<u64> = histogram.iter().map(|bin| bin.values().sum()).collect();
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(histogram[1].get("unknown"), Some(&1));
    let stranger = Scope::whole(Project("other".into()));
    assert_eq!(runs(&house.store, &stranger, &all(), (None, 10), LATER_NS).await.unwrap().runs, vec![]);
}

#[tokio::test]
async fn what_is_not_written_is_never_called_done() {
    let house = House::new().await;
    let mut changes = house.projection.changes();
    house.receive(0, vec![step(1, 1, 0)]).await;
    assert_eq!(changes.recv().await.unwrap().run_ids, [trace(1).to_string()]);
    house.keeping.keep(&house.store, NOW_NS, vec![step(2, 1, 0)]).await;
    house.projection.stop();
    let traces = [trace(2)];
    let touch = house.projection.touch(&house.keeping.project, &traces);
    assert!(tokio::time::timeout(Duration::from_millis(200), touch).await.is_err());
    assert_eq!(house.projection.lag().traces, 1);
    assert_eq!(house.list().await.len(), 1);
}

#[tokio::test]
async fn a_step_that_is_named_anew_leaves_no_action_behind() {
    let house = House::new().await;
    let mut second = act(1, 2, 2, None);
    second.facts.tool_call_id = Some("call-1".into());
    house.receive(0, vec![second]).await;
    // The earlier attempt at the same call arrives later: the step is named after its span now.
    let mut first = timed_out(act(1, 1, 0, None));
    first.facts.tool_call_id = Some("call-1".into());
    house.receive(1, vec![first]).await;
    let actions = house.actions().await;
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(actions[0].attempt_count, 2);
}
