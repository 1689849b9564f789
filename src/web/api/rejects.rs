//! `GET /rejects`: what was refused and why.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::queries::rejects;
use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::format::rfc3339;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RejectList")]
pub(in crate::web) struct List {
    rejects: Vec<Reject>,
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Reject {
    at: String,
    source: String,
    class: String,
    reason: String,
    service: Option<String>,
    bytes: u64,
    sha256: String,
}

/// Answers `GET /api/v1/rejects`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["limit", "cursor"])?;
    let limit = params.number("limit", (1, 500))?.unwrap_or(100);
    let wrong = || WebError::Invalid("`cursor` is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| cursor(text).ok_or_else(wrong)).transpose()?;
    let found = rejects(&state.store, &viewer.scope, after, limit).await?;
    let found_count = found.len();
    let is_full = found_count == usize::from(limit);
    let next = found.last().filter(|_| is_full).map(|last| format!("{}-{}", last.at_ns, last.position));
    let rejects = found
        .into_iter()
        .map(|reject| Reject {
            at: rfc3339(reject.at_ns),
            source: reject.source,
            class: reject.class,
            reason: reject.reason,
            service: reject.service,
            bytes: reject.bytes,
            sha256: reject.sha256,
        })
        .collect();
    let seen = Seen::rows(found_count);
    Ok(seen.on(Answer(List { rejects, next }).into_response()))
}

fn cursor(text: &str) -> Option<(u64, u32)> {
    let (at_ns, position) = text.split_once('-')?;
    Some((at_ns.parse().ok()?, position.parse().ok()?))
}
