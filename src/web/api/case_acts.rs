//! `POST /cases/{id}/…`: what people and reconciler jobs append to a case.
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::outcome::Outcome;
use crate::web::api::answer::Answer;
use crate::web::api::body::Json;
use crate::web::api::cases::whole;
use crate::web::casework::{self, Actor, Wish};
use crate::web::error::WebError;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The most cases of one request.
const CASES_MAX: usize = 500;

/// Who does it, and what they saw of the case.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "CaseWord")]
pub(in crate::web) struct Plain {
    by: Option<String>,
    by_job: bool,
    saw: Option<String>,
    note: String,
}

/// As [`Plain`], with whom it is given to.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::web) struct HandOver {
    to: Option<String>,
    by: Option<String>,
    by_job: bool,
    saw: Option<String>,
    note: String,
}

/// As [`Plain`], with what became of the act.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NewResolution")]
pub(in crate::web) struct Resolution {
    outcome: Option<String>,
    evidence: String,
    by: Option<String>,
    by_job: bool,
    saw: Option<String>,
    note: String,
}

/// One resolution for many cases.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NewResolutions")]
pub(in crate::web) struct Resolutions {
    case_ids: Vec<String>,
    outcome: Option<String>,
    evidence: String,
    by: Option<String>,
    by_job: bool,
    note: String,
}

type Asked = (State<WebState>, Path<String>, Viewer);

/// Answers `POST /api/v1/cases/{case_id}/claim`.
pub(in crate::web) async fn claim(asked: Asked, Json(body): Json<Plain>) -> Result<Response, WebError> {
    if !body.note.is_empty() {
        return Err(WebError::Field("note", "has no place in a claim; comment instead".to_owned()));
    }
    done(asked, (body.by.as_deref(), body.by_job), &Wish::Claim, body.saw.as_deref()).await
}

/// Answers `POST /api/v1/cases/{case_id}/hand-over`.
pub(in crate::web) async fn hand_over(
    asked: Asked,
    Json(body): Json<HandOver>,
) -> Result<Response, WebError> {
    let wish = Wish::HandOver { to: body.to, note: body.note };
    done(asked, (body.by.as_deref(), body.by_job), &wish, body.saw.as_deref()).await
}

/// Answers `POST /api/v1/cases/{case_id}/comment`.
pub(in crate::web) async fn comment(asked: Asked, Json(body): Json<Plain>) -> Result<Response, WebError> {
    done(asked, (body.by.as_deref(), body.by_job), &Wish::Comment(body.note), body.saw.as_deref()).await
}

/// Answers `POST /api/v1/cases/{case_id}/resolution`.
pub(in crate::web) async fn resolution(
    asked: Asked,
    Json(body): Json<Resolution>,
) -> Result<Response, WebError> {
    let outcome = outcome(body.outcome.as_deref())?;
    let wish = Wish::Resolve { outcome, evidence: body.evidence, note: body.note };
    done(asked, (body.by.as_deref(), body.by_job), &wish, body.saw.as_deref()).await
}

/// Answers `POST /api/v1/cases/{case_id}/agree`.
pub(in crate::web) async fn agree(asked: Asked, Json(body): Json<Plain>) -> Result<Response, WebError> {
    let wish = Wish::Agree { note: body.note };
    done(asked, (body.by.as_deref(), body.by_job), &wish, body.saw.as_deref()).await
}

/// Answers `POST /api/v1/cases/{case_id}/reopen`.
pub(in crate::web) async fn reopen(asked: Asked, Json(body): Json<Plain>) -> Result<Response, WebError> {
    done(asked, (body.by.as_deref(), body.by_job), &Wish::Reopen(body.note), body.saw.as_deref()).await
}

async fn done(
    (State(state), Path(case_id), viewer): Asked,
    (by, by_job): (Option<&str>, bool),
    wish: &Wish,
    saw: Option<&str>,
) -> Result<Response, WebError> {
    let actor = Actor::of(&viewer, by, by_job)?;
    let done = casework::act(&state, &viewer.scope, &case_id, (&actor, wish), saw).await?;
    let mut response = whole(&state, done.case, &done.events).into_response();
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

fn outcome(word: Option<&str>) -> Result<Outcome, WebError> {
    let known = word.and_then(Outcome::from_word).filter(|outcome| *outcome != Outcome::Submitted);
    known.ok_or_else(|| WebError::Field("outcome", "takes confirmed, failed or unknown".to_owned()))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ResolvedCases")]
pub(in crate::web) struct Each {
    resolved: usize,
    refused: usize,
    cases: Vec<One>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ResolvedCase")]
struct One {
    case_id: String,
    status: u16,
    detail: Option<String>,
}

/// Answers `POST /api/v1/cases/resolution`: one resolution for many cases, each of which may refuse it.
pub(in crate::web) async fn resolve_many(
    State(state): State<WebState>,
    viewer: Viewer,
    Json(body): Json<Resolutions>,
) -> Result<Response, WebError> {
    if body.case_ids.is_empty() || body.case_ids.len() > CASES_MAX {
        return Err(WebError::Field("case_ids", format!("takes 1 to {CASES_MAX} ids of cases")));
    }
    let outcome = outcome(body.outcome.as_deref())?;
    let actor = Actor::of(&viewer, body.by.as_deref(), body.by_job)?;
    let wish = Wish::Resolve { outcome, evidence: body.evidence, note: body.note };
    let all = casework::act_on_all(&state, &viewer.scope, &body.case_ids, (&actor, &wish)).await?;
    let cases: Vec<One> = all
        .into_iter()
        .map(|(case_id, refused)| One {
            case_id,
            status: refused.as_ref().map_or(StatusCode::CREATED, WebError::status).as_u16(),
            detail: refused.map(|error| error.to_string()),
        })
        .collect();
    let refused = cases.iter().filter(|one| one.detail.is_some()).count();
    Ok(Answer(Each { resolved: cases.len() - refused, refused, cases }).into_response())
}
