//! `GET /runs/{run_id}` and `GET /runs/{run_id}/steps/{step_id}`.
use std::collections::{BTreeSet, HashMap};

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::price::Prices;
use crate::domain::run::{Run, RunStep};
use crate::domain::summary::RunSummary;
use crate::store::queries::erased_in;
use crate::web::api::answer::Answer;
use crate::web::api::record::Finding;
use crate::web::api::step::Step;
use crate::web::api::summary::Summary;
use crate::web::entity::coverage::Erased;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::link::{encoded, segment};
use crate::web::older;
use crate::web::params::Params;
use crate::web::reading::{self, Found};
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Place, Wants};
use crate::web::run::view::{has_span, span_id};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Bodies named in one answer; beyond it contexts carry digests only.
const REFS_MAX: usize = 20_000;

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct WholeRun {
    #[serde(flatten)]
    summary: Summary,
    steps: Vec<Step>,
    findings: Vec<Finding>,
    completeness: Whole,
    verdict_detail: String,
    linked_traces: Vec<String>,
    workers: Vec<String>,
    epochs: Vec<u64>,
    /// Contexts carry digests only, since there are too many: ask for single steps.
    contexts_abridged: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Completeness")]
struct Whole {
    verdict: &'static str,
    gaps: Vec<String>,
    rejected: u64,
    sampled: u64,
    redacted: u64,
    skew_ms_max: u64,
    record_count: u64,
    /// Records that have expired; the others are told of.
    expired: u64,
}

/// Answers `GET /api/v1/runs/{run_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(run_id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let now_ns = format::now_ns();
    let mut run = match reading::run(&state.store, &viewer.scope, &run_id, now_ns).await? {
        Found::Run(run) => *run,
        Found::Moved(run_id) => return Ok(moved(&state, &run_id, "")),
        Found::Several => return Ok(Redirect::to(&traces(&state, &run_id)).into_response()),
    };
    state.settings.prices.apply(&mut run);
    let places = contexts(&run);
    let contexts_abridged = places.is_none();
    let heads: Vec<Place> = places.unwrap_or_default().into_iter().collect();
    let wants = Wants { heads, ..Wants::default() };
    let bodies = reading::load(&state.store, &viewer.scope, &wants).await?;
    let kept = state.settings.retention.of(&viewer.scope.project);
    let (coverage, expired, erased) = tokio::join!(
        Coverage::of(&state.store, &viewer.scope, kept, now_ns),
        older::expired(&state.store, &viewer.scope, &run, now_ns),
        erased_in(&state.store, &viewer.scope, &run.traces)
    );
    let seen = Seen::about(&RunSummary::of(&run).entities);
    let mut run = whole_run((&run, &state.settings.prices), &bodies, contexts_abridged);
    run.completeness.expired = expired?;
    let erasures = erased?.taken.iter().map(Erased::from).collect();
    Ok(seen.on(Answer(Covered { run, coverage, erasures }).into_response()))
}

fn moved(state: &WebState, run_id: &str, rest: &str) -> Response {
    let to = format!("{}/{}{rest}", state.links().to("/api/v1/runs"), segment(run_id));
    Redirect::to(&to).into_response()
}

fn traces(state: &WebState, trace: &str) -> String {
    format!("{}/{}", state.links().to("/api/v1/traces"), encoded(trace))
}

/// The answer about a run, and how far back answers can go.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub(in crate::web) struct Covered {
    #[serde(flatten)]
    run: WholeRun,
    coverage: Coverage,
    /// What was erased of this run, and under which erasures.
    erasures: Vec<Erased>,
}

/// Every body of every context, once; `None` when naming them all would fill the answer.
fn contexts(run: &Run) -> Option<BTreeSet<Place>> {
    let all = || run.steps.iter().flat_map(attempts).map(|attempt| &attempt.record);
    let named: usize = all().map(|record| record.context.len()).sum();
    let places =
        all().flat_map(|record| record.context.iter().map(|digest| (record.facts.trace_id, *digest)));
    (named <= REFS_MAX).then(|| places.collect())
}

fn whole_run((run, prices): (&Run, &Prices), bodies: &Bodies, contexts_abridged: bool) -> WholeRun {
    let mut children: HashMap<&str, Vec<String>> = HashMap::new();
    for step in &run.steps {
        if let Some(parent) = &step.parent_step_id {
            children.entry(parent).or_default().push(step.step_id.clone());
        }
    }
    let step = |step: &RunStep| {
        Step::of(run, step, bodies)
            .with_children(children.get(step.step_id.as_str()).cloned().unwrap_or_default())
    };
    let whole = &run.completeness;
    WholeRun {
        summary: Summary::of(RunSummary::of(run), prices),
        steps: run.steps.iter().map(step).collect(),
        findings: run.findings.iter().map(Finding::from).collect(),
        completeness: Whole {
            verdict: whole.verdict.word(),
            gaps: whole.gaps.clone(),
            rejected: whole.rejected,
            sampled: whole.sampled,
            redacted: whole.redacted,
            skew_ms_max: whole.skew_ms_max,
            record_count: whole.record_count,
            expired: 0,
        },
        verdict_detail: run.verdict.detail.clone(),
        linked_traces: run.linked_traces.iter().map(ToString::to_string).collect(),
        workers: run.workers.clone(),
        epochs: run.epochs.clone(),
        contexts_abridged,
    }
}

/// Answers `GET /api/v1/runs/{run_id}/steps/{step_id}`; any attempt's span id finds its step.
pub(in crate::web) async fn step(
    State(state): State<WebState>,
    Path((run_id, step_id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let now_ns = format::now_ns();
    let mut run = match reading::run(&state.store, &viewer.scope, &run_id, now_ns).await? {
        Found::Run(run) => *run,
        Found::Moved(run_id) => return Ok(moved(&state, &run_id, &format!("/steps/{}", segment(&step_id)))),
        Found::Several => return Ok(Redirect::to(&traces(&state, &run_id)).into_response()),
    };
    state.settings.prices.apply(&mut run);
    let found =
        find(&run, &step_id).ok_or_else(|| WebError::NotFound("This run has no such step.".to_owned()))?;
    let bodies = reading::load(&state.store, &viewer.scope, &wants(found)).await?;
    let below = run.steps.iter().filter(|step| step.parent_step_id.as_ref() == Some(&found.step_id));
    let children = below.map(|step| step.step_id.clone()).collect();
    let seen = Seen::about(&RunSummary::of(&run).entities);
    Ok(seen.on(Answer(Step::of(&run, found, &bodies).with_children(children)).into_response()))
}

fn find<'a>(run: &'a Run, step_id: &str) -> Option<&'a RunStep> {
    let by_id = run.steps.iter().find(|step| step.step_id == step_id);
    by_id.or_else(|| {
        let span = span_id(step_id)?;
        run.steps.iter().find(|step| attempts(step).any(|attempt| has_span(attempt, span)))
    })
}

/// Every body that the attempts of a step name.
fn wants(step: &RunStep) -> Wants {
    let mut places: BTreeSet<Place> = BTreeSet::new();
    for attempt in attempts(step) {
        let record = &attempt.record;
        let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
        let joined = [&attempt.arguments, &attempt.result, &record.arguments, &record.result];
        let refs = record.output.iter().chain(proposed).chain(joined.into_iter().flatten());
        let digests = record.context.iter().copied().chain(refs.map(|content| content.digest));
        places.extend(digests.take(REFS_MAX).map(|digest| (record.facts.trace_id, digest)));
    }
    Wants { whole: places.into_iter().collect(), ..Wants::default() }
}
