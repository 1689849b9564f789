//! `GET /erasures` and `GET /erasures/{id}`; what would go of an entity, and `POST
//! /entities/{type}/{id}/erase`.
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::erasure::{self, ErasureState};
use crate::evidence::ReceiptFile;
use crate::projection::records_of;
use crate::store::queries::erased;
use crate::web::api::answer::Answer;
use crate::web::api::body::Json;
use crate::web::entity::erase;
use crate::web::entity::names::Names;
use crate::web::error::WebError;
use crate::web::format::rfc3339;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Erasures")]
pub(in crate::web) struct List {
    erasures: Vec<Erasure>,
}

/// An erasure as it stands.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Erasure {
    erasure_id: String,
    /// `under_way`, `erased` while files that held it wait to be removed from the disk, or `done`.
    state: &'static str,
    about: String,
    reason: String,
    asked_at: String,
    asked_by: String,
    /// When the tables held nothing of it any more.
    erased_at: Option<String>,
    done_at: Option<String>,
    runs: u64,
    records: u64,
    bodies: u64,
}

/// An erasure with its receipt, once it is done.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErasureWithReceipt")]
pub(in crate::web) struct Whole {
    #[serde(flatten)]
    erasure: Erasure,
    /// What `recount verify` checks offline; null until it is done.
    receipt_file: Option<ReceiptFile>,
}

/// What would go.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErasurePlan")]
pub(in crate::web) struct Plan {
    runs: u64,
    /// Runs that are about others too: what only these name stays.
    shared_runs: u64,
    records: u64,
    bodies: u64,
    erased_before: u64,
    open_cases: u64,
    /// Why it can't be erased now.
    in_the_way: Option<String>,
}

/// Why it is erased.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NewErasure")]
pub(in crate::web) struct Asking {
    reason: String,
}

impl From<&erasure::Erasure> for Erasure {
    fn from(erasure: &erasure::Erasure) -> Self {
        let is_done = erasure.state() == ErasureState::Done;
        Self {
            erasure_id: erasure.id.clone(),
            state: erasure.state().word(),
            about: erasure.about.clone(),
            reason: erasure.reason.clone(),
            asked_at: rfc3339(erasure.asked_ns),
            asked_by: erasure.asked_by.clone(),
            erased_at: erasure.rewritten_s.map(|at_s| rfc3339(at_s.saturating_mul(1_000_000_000))),
            done_at: is_done.then(|| rfc3339(erasure.at_ns)),
            runs: erasure.runs,
            records: erasure.records,
            bodies: erasure.bodies,
        }
    }
}

/// Answers `GET /api/v1/erasures`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let visible = erase::visible(&state, &viewer).await?;
    let erasures: Vec<Erasure> = visible.iter().map(Erasure::from).collect();
    Ok(Seen::rows(erasures.len()).on(Answer(List { erasures }).into_response()))
}

/// Answers `GET /api/v1/erasures/{erasure_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let found = erase::one(&state, &viewer, &id).await?;
    let receipt_file = match &found.receipt {
        Some(receipt) => {
            let stones = erased(&state.store, Some(&found.id)).await?;
            Some(ReceiptFile::of(receipt.clone(), &records_of(&stones)))
        }
        None => None,
    };
    let whole = Whole { erasure: Erasure::from(&found), receipt_file };
    Ok(Seen::about(&[found.about]).on(Answer(whole).into_response()))
}

/// Answers `GET /api/v1/entities/{type}/{id}/erasure`.
pub(in crate::web) async fn plan(
    State(state): State<WebState>,
    Path((kind, id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
    let plan = erase::plan(&state, &viewer, &names).await?;
    let answer = Plan {
        runs: plan.runs,
        shared_runs: plan.shared_runs,
        records: plan.records,
        bodies: plan.bodies,
        erased_before: plan.erased_before,
        open_cases: plan.open_cases,
        in_the_way: plan.in_the_way(),
    };
    Ok(Seen::about(&[entity]).on(Answer(answer).into_response()))
}

/// Answers `POST /api/v1/entities/{type}/{id}/erase`.
pub(in crate::web) async fn ask(
    State(state): State<WebState>,
    Path((kind, id)): Path<(String, String)>,
    viewer: Viewer,
    Json(body): Json<Asking>,
) -> Result<Response, WebError> {
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
    let erasure = erase::ask(&state, &viewer, &names, &body.reason).await?;
    let seen = Seen { entities: vec![entity], ..Seen::changed(erase::sentence(&erasure)) };
    Ok(seen.on((StatusCode::ACCEPTED, Answer(Erasure::from(&erasure))).into_response()))
}
