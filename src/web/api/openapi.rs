//! `GET /openapi.json`: the description of this API.
use axum::Extension;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::Value;

use crate::web::error::WebError;
use crate::web::params::Params;
use crate::web::viewer::Viewer;

/// The document as it is sent.
#[derive(Debug, Clone)]
pub(in crate::web) struct Described(Bytes);

impl Described {
    /// Written once.
    pub(in crate::web) fn new(document: &Value) -> Self {
        Self(Bytes::from(document.to_string()))
    }
}

/// Answers `GET /api/v1/openapi.json`.
pub(in crate::web) async fn show(
    Extension(described): Extension<Described>,
    _: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], described.0).into_response())
}
