//! `/healthz`, `/readyz` and `/metrics`: for machines that watch.
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::web::state::WebState;

/// Answers `/healthz`: the process lives.
pub(in crate::web) async fn alive() -> Response {
    ([(CONTENT_TYPE, "application/json")], json!({"status": "alive"}).to_string()).into_response()
}

/// Answers `/readyz`: whether the server takes writes, and if not, why.
pub(in crate::web) async fn ready(State(state): State<WebState>) -> Response {
    let reasons = (state.status)().not_ready;
    let (status, word) = match reasons.as_slice() {
        [] => (StatusCode::OK, "ready"),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
    };
    let body = json!({"status": word, "reasons": reasons});
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// Answers `/metrics` in the text format of Prometheus.
pub(in crate::web) async fn metrics(State(state): State<WebState>) -> Response {
    let text = (state.metrics)();
    ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text).into_response()
}
