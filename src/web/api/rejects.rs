//! `GET /rejects`: what was refused and why.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::store::queries::rejects;
use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format::rfc3339;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Refusals of one page, at most.
const LIMIT_MAX: u16 = 500;

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
    params.only(&["limit", "cursor", "format"])?;
    let format = Format::read(params.get("format"))?;
    let limit = params.number("limit", (1, LIMIT_MAX))?.unwrap_or(100);
    let wrong = || WebError::Invalid("`cursor` is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| cursor(text).ok_or_else(wrong)).transpose()?;
    let scope = viewer.scope;
    if let Some(format) = format {
        let more = move |after| part(state.clone(), scope.clone(), (after, LIMIT_MAX));
        return listed(("rejects", format), after, more).await;
    }
    let (rejects, next) = part(state, scope, (after, limit)).await?;
    let seen = Seen::rows(rejects.len());
    let next = next.map(|(at_ns, position)| format!("{at_ns}-{position}"));
    Ok(seen.on(Answer(List { rejects, next }).into_response()))
}

async fn part(
    state: WebState,
    scope: Scope,
    (after, limit): (Option<(u64, u32)>, u16),
) -> Result<Part<Reject, (u64, u32)>, WebError> {
    let found = rejects(&state.store, &scope, after, limit).await?;
    let is_full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| is_full).map(|last| (last.at_ns, last.position));
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
    Ok((rejects, next))
}

fn cursor(text: &str) -> Option<(u64, u32)> {
    let (at_ns, position) = text.split_once('-')?;
    Some((at_ns.parse().ok()?, position.parse().ok()?))
}
