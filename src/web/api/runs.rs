//! `GET /runs`: the list, newest first.
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::store::RunFilter;
use crate::store::queries::{RUNS_MAX, runs};
use crate::store::rows::RunCursor;
use crate::web::api::answer::Answer;
use crate::web::api::summary::Summary;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::list::asked::Asked;
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Runs in an answer when nobody says how many.
const LIMIT: u16 = 50;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunList")]
pub(in crate::web) struct List {
    runs: Vec<Summary>,
    next: Option<String>,
    coverage: Coverage,
}

/// Answers `GET /api/v1/runs`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &["format"])?;
    let format = Format::read(params.get("format"))?;
    let now_ns = format::now_ns();
    let (limit, after) = (asked.limit.unwrap_or(LIMIT), asked.after.clone());
    let asked_for = RunFilter { prices: state.settings.prices.clone(), ..asked.filter(&asked.query, now_ns) };
    let filter = Arc::new(state.desk.widened(&viewer.scope.project, asked_for));
    let scope = viewer.scope;
    if let Some(format) = format {
        let more =
            move |after| part(state.clone(), (scope.clone(), filter.clone()), (after, RUNS_MAX), now_ns);
        return listed(("runs", format), after, more).await;
    }
    let (runs, next) = part(state.clone(), (scope.clone(), filter), (after, limit), now_ns).await?;
    let kept = state.settings.retention.of(&scope.project);
    let coverage = Coverage::of(&state.store, &scope, kept, now_ns).await;
    Ok(Answer(List { coverage, runs, next: next.map(|place| asked.cursor(&place)) }).into_response())
}

async fn part(
    state: WebState,
    (scope, filter): (Scope, Arc<RunFilter>),
    (after, limit): (Option<RunCursor>, u16),
    now_ns: u64,
) -> Result<Part<Summary, RunCursor>, WebError> {
    let page = runs(&state.store, &scope, &filter, (after.as_ref(), limit), now_ns).await?;
    let prices = &state.settings.prices;
    Ok((page.runs.into_iter().map(|row| Summary::of(row.summary, prices)).collect(), page.next))
}
