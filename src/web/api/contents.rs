//! `GET /contents/{trace_id}/{digest}`: a body as kept.
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::domain::ids::{Digest, TraceId};
use crate::web::error::WebError;
use crate::web::params::Params;
use crate::web::reading;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Answers `GET /api/v1/contents/{trace_id}/{digest}`. The body is foreign: it is sent as text or JSON, never
/// as anything that a browser would run.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((trace, digest)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let wrong = || {
        WebError::Invalid(
            "a content is named by a trace id and a digest, 32 hexadecimal digits each".to_owned(),
        )
    };
    let place = (TraceId::parse(&trace).ok_or_else(wrong)?, Digest::parse(&digest).ok_or_else(wrong)?);
    let body = reading::body(&state.store, &viewer.scope, place).await?;
    let kind = if body.is_json { "application/json" } else { "text/plain; charset=utf-8" };
    let mut response = body.text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    if let Some(bytes) = body.cut_from {
        headers.insert("recount-cut-from-bytes", HeaderValue::from(bytes));
    }
    Ok(response)
}
