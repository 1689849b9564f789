//! `GET /stream/runs` and `GET /stream/runs/{run_id}`: server-sent events for pages that follow.
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};

use crate::store::queries::run_line;
use crate::web::error::WebError;
use crate::web::follow::{About, Follower};
use crate::web::format;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{plain, shortened};
use crate::web::viewer::Viewer;

/// Between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Answers `GET /api/v1/stream/runs`.
pub(in crate::web) async fn runs(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
    request: Request,
) -> Result<Response, WebError> {
    params.only(&[])?;
    stream(state, viewer, request, About::Runs)
}

/// Answers `GET /api/v1/stream/runs/{run_id}`.
pub(in crate::web) async fn run(
    State(state): State<WebState>,
    Path(run_id): Path<String>,
    viewer: Viewer,
    params: Params,
    request: Request,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let line = run_line(&state.store, &viewer.scope, &run_id, format::now_ns()).await?;
    let Some(line) = line else {
        let run_id = plain(&shortened(&run_id, 80));
        return Err(WebError::NotFound(format!("No run {run_id} has arrived, or it has expired.")));
    };
    let seen = Seen::about(&line.summary.entities);
    Ok(seen.on(stream(state, viewer, request, About::Run(run_id))?))
}

fn stream(state: WebState, viewer: Viewer, request: Request, about: About) -> Result<Response, WebError> {
    let (parts, _) = request.into_parts();
    let follower = Follower::new(state, viewer, parts, about)?;
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("still here");
    let mut response = Sse::new(follower.events()).keep_alive(heartbeat).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that gather answers before they pass them on would hold back every event.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}
