//! `GET /search`: where words and phrases stand, in everything that was kept of runs.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::params::Params;
use crate::web::search::asked::Asked;
use crate::web::search::hits::{Hit, RunHits, found};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HitList")]
pub(in crate::web) struct List {
    /// By run, newest first; within a run by step. None where only conditions of runs were asked for.
    hits: Vec<Found>,
    /// The runs of the hits. Of one that is not named by `run:` in `q`, a few hits are listed.
    runs: Vec<InRun>,
    next: Option<String>,
    coverage: Coverage,
}

/// A text in which everything stands that was looked for.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Hit")]
struct Found {
    run_id: String,
    /// Null where the run's own id was found.
    step: Option<Step>,
    /// messages, tools, arguments, results, errors, names or attributes.
    r#in: &'static str,
    /// Who speaks, the field, or the key of the attribute.
    label: String,
    fragment: Vec<Piece>,
    /// Later attempts that have the same text.
    again: usize,
    /// The page of the attempt, with the tab that shows it.
    href: String,
}

/// The step and attempt where a text stands.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HitStep")]
struct Step {
    step_id: String,
    number: u32,
    kind: &'static str,
    name: String,
    attempt: u32,
    attempts: usize,
    trace_id: String,
    span_id: String,
    tab: &'static str,
}

/// A piece of a fragment.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FragmentPiece")]
struct Piece {
    text: String,
    /// It is what was looked for.
    found: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HitRun")]
struct InRun {
    run_id: String,
    name: String,
    agent: Option<String>,
    outcome: &'static str,
    started_at: String,
    hits: usize,
    /// Hits of this run that are not listed.
    more: usize,
}

/// Answers `GET /api/v1/search`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &[])?;
    if asked.list.query.terms.is_empty() {
        let said = "is missing: words or a phrase to look for, or conditions of runs";
        return Err(WebError::Field("q", said.to_owned()));
    }
    let now_ns = format::now_ns();
    let filter = asked.filter(&asked.conditions(), &state.desk, &viewer.scope, now_ns);
    let (runs, next) = found(&state.store, &viewer.scope, (&asked, &filter), now_ns).await?;
    let links = state.links();
    let one = |run: &RunHits, hit: &Hit| Found {
        run_id: run.summary.run_id.clone(),
        href: match &hit.at {
            Some(at) => format!("{}&tab={}", links.attempt(&run.summary.run_id, &at.span_id), at.tab.word()),
            None => links.run(&run.summary.run_id),
        },
        step: hit.at.as_ref().map(|at| Step {
            step_id: at.step_id.clone(),
            number: at.number,
            kind: at.kind.word(),
            name: at.title.clone(),
            attempt: at.attempt,
            attempts: at.attempts,
            trace_id: at.trace_id.to_string(),
            span_id: at.span_id.to_string(),
            tab: at.tab.word(),
        }),
        r#in: hit.place.word(),
        label: hit.label.clone(),
        fragment: hit
            .fragment
            .iter()
            .map(|piece| Piece { text: piece.text.clone(), found: piece.found })
            .collect(),
        again: hit.again,
    };
    let hits: Vec<Found> =
        runs.iter().flat_map(|run| run.hits.iter().map(move |hit| one(run, hit))).collect();
    let kept = state.settings.retention.of(&viewer.scope.project);
    let rows = if asked.words.is_empty() { runs.len() } else { hits.len() };
    let answer = List {
        hits,
        runs: runs.into_iter().map(InRun::from).collect(),
        next: next.map(|place| asked.cursor(&place)),
        coverage: Coverage::of(&state.store, &viewer.scope, kept, now_ns).await,
    };
    Ok(Seen::rows(rows).on(Answer(answer).into_response()))
}

impl From<RunHits> for InRun {
    fn from(run: RunHits) -> Self {
        Self {
            hits: run.hits.len(),
            more: run.more,
            run_id: run.summary.run_id,
            name: run.summary.name,
            agent: run.summary.agent,
            outcome: run.summary.outcome,
            started_at: format::rfc3339(run.summary.started_ns),
        }
    }
}
