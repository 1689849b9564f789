//! `GET /runs`: the list, newest first.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::RunFilter;
use crate::store::queries::runs;
use crate::web::api::answer::Answer;
use crate::web::api::summary::Summary;
use crate::web::error::WebError;
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
    let asked = Asked::read(&params, &[])?;
    let now_ns = format::now_ns();
    let place = (asked.after.as_ref(), asked.limit.unwrap_or(LIMIT));
    let prices = &state.settings.prices;
    let asked_for = RunFilter { prices: prices.clone(), ..asked.filter(&asked.query, now_ns) };
    let filter = state.desk.widened(&viewer.scope.project, asked_for);
    let page = runs(&state.store, &viewer.scope, &filter, place, now_ns).await?;
    let kept = state.settings.retention.of(&viewer.scope.project);
    Ok(Answer(List {
        coverage: Coverage::of(&state.store, &viewer.scope, kept, now_ns).await,
        runs: page.runs.into_iter().map(|row| Summary::of(row.summary, prices)).collect(),
        next: page.next.map(|place| asked.cursor(&place)),
    })
    .into_response())
}
