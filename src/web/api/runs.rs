//! `GET /runs`: the list, newest first.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::store::RunFilter;
use crate::store::queries::{RUNS_MAX, runs};
use crate::store::rows::RunCursor;
use crate::web::api::answer::Answer;
use crate::web::api::summary::Summary;
use crate::web::error::WebError;
use crate::web::filter::run_filter;
use crate::web::format;
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Runs in an answer when nobody says how many.
const LIMIT: u16 = 50;
/// Parameters that are fields of the filter.
const FIELDS: [Field; 7] = [
    Field::Agent,
    Field::Model,
    Field::Entity,
    Field::Outcome,
    Field::Retries,
    Field::Finding,
    Field::Session,
];

#[derive(Serialize)]
struct List {
    runs: Vec<Summary>,
    next: Option<String>,
}

/// Answers `GET /api/v1/runs`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let others = ["q", "from", "to", "limit", "cursor"];
    let known: Vec<&str> = others.into_iter().chain(FIELDS.iter().map(|field| field.name())).collect();
    params.only(&known)?;
    let now_ns = format::now_ns();
    let mut query = Query::read(params.get("q").unwrap_or_default()).map_err(|error| unreadable(&error))?;
    for field in FIELDS {
        if let Some(value) = params.get(field.name()) {
            query.terms.push(Query::term_of(field, value).map_err(|error| unreadable(&error))?);
        }
    }
    let filter =
        RunFilter { from_ns: params.moment("from")?, to_ns: params.moment("to")?, ..run_filter(&query) };
    let limit = params.number("limit", (1, RUNS_MAX))?.unwrap_or(LIMIT);
    let wrong = || WebError::Invalid("`cursor` is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| RunCursor::parse(text).ok_or_else(wrong)).transpose()?;
    let page = runs(&state.store, &viewer.scope, &filter, (after.as_ref(), limit), now_ns).await?;
    Ok(Answer(List {
        runs: page.runs.into_iter().map(|row| row.summary.into()).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
    })
    .into_response())
}

fn unreadable(error: &QueryError) -> WebError {
    let near = error.near.as_ref().map(|(say, _)| format!("; did you mean {say}?")).unwrap_or_default();
    let typed = crate::web::text::plain(crate::web::text::cut(&error.typed, 100));
    WebError::Invalid(format!("the filter can't be read: `{typed}` {}{near}", error.wrong))
}
