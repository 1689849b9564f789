//! `GET /compare`: two attempts, two steps or two runs held against each other.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::summary::RunSummary;
use crate::web::api::answer::Answer;
use crate::web::api::compared_attempts::Attempts;
use crate::web::api::compared_runs::Runs;
use crate::web::compare::asked::Asked;
use crate::web::compare::find::{bodies_of, named, side};
use crate::web::error::WebError;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The comparison: of two runs, or where `a` and `b` are named, of two attempts.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "compared", rename_all = "snake_case")]
pub(in crate::web) enum Comparison {
    Attempts(Box<Attempts>),
    Runs(Box<Runs>),
}

/// Answers `GET /api/v1/compare`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &[])?;
    let [one, other] = &asked.runs;
    let first = named(&state, &viewer, one).await?;
    let second = if one == other { None } else { Some(named(&state, &viewer, other).await?) };
    let second = second.as_ref().unwrap_or(&first);
    let mut entities = RunSummary::of(&first).entities;
    entities.extend(RunSummary::of(second).entities);
    let links = state.links();
    let answer = match asked.spans {
        None => {
            let prices = &state.settings.prices;
            Comparison::Runs(Box::new(Runs::of((&first, second), prices, &links)))
        }
        Some([a, b]) => {
            let (before, after) = (side(&first, "a", a)?, side(second, "b", b)?);
            let bodies = bodies_of(&state, &viewer, (&before, &after)).await?;
            Comparison::Attempts(Box::new(Attempts::of((&before, &after), &bodies, &links)))
        }
    };
    Ok(Seen::about(&entities).on(Answer(answer).into_response()))
}
