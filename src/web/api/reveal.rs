//! `POST /reveal`: the value behind an encrypted one, for a reason.
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::revealing::{Asked, bring_back};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct Wanted {
    /// As records show it, such as `mail(15):e1.…`.
    value: String,
    /// Why it is needed; recorded.
    reason: String,
}

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Revealed {
    value: String,
}

/// Answers `POST /api/v1/reveal`.
pub(in crate::web) async fn reveal(
    State(state): State<WebState>,
    viewer: Viewer,
    body: Bytes,
) -> Result<Response, WebError> {
    let wanted: Wanted = serde_json::from_slice(&body).map_err(|_odd| {
        WebError::Invalid("send JSON with the fields `value` and `reason`, both texts".to_owned())
    })?;
    let asked = Asked { value: &wanted.value, reason: &wanted.reason };
    let (value, sentence) = bring_back(&state, &viewer, asked)?;
    Ok(Seen { rows: Some(1), ..Seen::changed(sentence) }.on(Answer(Revealed { value }).into_response()))
}
