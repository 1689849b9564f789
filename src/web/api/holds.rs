//! `GET /holds`: legal holds; `POST /holds/place` and `POST /holds/lift`.
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::hold;
use crate::web::api::answer::Answer;
use crate::web::api::body::Json;
use crate::web::error::WebError;
use crate::web::format::rfc3339;
use crate::web::holding::{self, Matter};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Holds")]
pub(in crate::web) struct List {
    holds: Vec<Hold>,
}

/// A hold as it stands.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Hold {
    hold_id: String,
    /// `entity`, `run` or `project`.
    kind: &'static str,
    /// What it is on, in a few words.
    about: String,
    /// `in_force` or `lifted`.
    state: &'static str,
    reason: String,
    placed_at: String,
    placed_by: String,
    lifted_at: Option<String>,
    lifted_by: Option<String>,
    lifted_reason: Option<String>,
    /// How many records it keeps now; null for one that was lifted.
    records: Option<u64>,
    /// Of a hold that keeps no record yet.
    warning: Option<String>,
}

/// One of `entity`, `run` and `whole_project`, and why.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NewHold")]
pub(in crate::web) struct Placing {
    /// `type:id`.
    entity: String,
    run: String,
    whole_project: bool,
    reason: String,
}

/// Which hold, and why it is lifted.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LiftedHold")]
pub(in crate::web) struct Lifting {
    hold_id: String,
    reason: String,
}

impl Hold {
    fn of(hold: hold::Hold, records: Option<u64>) -> Self {
        let is_lifted = !hold.is_in_force();
        Self {
            records,
            warning: holding::warning(&hold, records),
            kind: hold.kind.word(),
            about: hold.about(),
            state: if is_lifted { "lifted" } else { "in_force" },
            placed_at: rfc3339(hold.placed_ns),
            lifted_at: is_lifted.then(|| rfc3339(hold.at_ns)),
            lifted_by: is_lifted.then(|| hold.changed_by.clone()),
            hold_id: hold.id,
            reason: hold.reason,
            placed_by: hold.placed_by,
            lifted_reason: hold.lifted,
        }
    }
}

/// Answers `GET /api/v1/holds`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let all = holding::visible(&state, &viewer).await?;
    let counts = holding::counts(&state, &viewer, &all).await?;
    let holds: Vec<Hold> = all.into_iter().zip(counts).map(|(hold, count)| Hold::of(hold, count)).collect();
    Ok(Seen::rows(holds.len()).on(Answer(List { holds }).into_response()))
}

/// Answers `POST /api/v1/holds/place`.
pub(in crate::web) async fn place(
    State(state): State<WebState>,
    viewer: Viewer,
    Json(body): Json<Placing>,
) -> Result<Response, WebError> {
    let matter = Matter::of(&body.entity, &body.run, body.whole_project)?;
    let hold = holding::place(&state, &viewer, &matter, &body.reason).await?;
    let seen = seen(&hold, holding::placed_sentence(&hold));
    let records =
        holding::counts(&state, &viewer, std::slice::from_ref(&hold)).await?.into_iter().flatten().next();
    Ok(seen.on((StatusCode::CREATED, Answer(Hold::of(hold, records))).into_response()))
}

/// Answers `POST /api/v1/holds/lift`.
pub(in crate::web) async fn lift(
    State(state): State<WebState>,
    viewer: Viewer,
    Json(body): Json<Lifting>,
) -> Result<Response, WebError> {
    let hold = holding::lift(&state, &viewer, &body.hold_id, &body.reason).await?;
    let seen = seen(&hold, holding::lifted_sentence(&hold));
    Ok(seen.on((StatusCode::CREATED, Answer(Hold::of(hold, None))).into_response()))
}

fn seen(hold: &hold::Hold, said: String) -> Seen {
    let entities = if hold.kind == hold::HeldKind::Entity { hold.names.clone() } else { Vec::new() };
    Seen { entities, ..Seen::changed(said) }
}
