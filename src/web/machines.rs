//! `/mcp`: the tools for agents, over the API inside this process. Each look goes through the same gate as
//! one from outside, with the credentials of the request: same scopes, and recorded alike.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use http_body_util::{BodyExt, Limited};
use tower_service::Service;

use crate::mcp::{Ask, Asked, http_service};
use crate::web::seen::AlreadyRecorded;
use crate::web::viewer::Viewer;

/// The longest answer of the API that is made smaller for a tool.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// A run that moved, a trace that leads to its run.
const REDIRECTS_MAX: usize = 4;

/// The API inside this process.
#[derive(Clone)]
pub(in crate::web) struct Inside {
    ask: Ask,
}

impl Inside {
    /// Over the API's own router; `base` stands in front of the addresses that it redirects to.
    pub(in crate::web) fn new(api: Router, base: String) -> Self {
        let ask = move |who: Option<Parts>, address: String| {
            let (api, base) = (api.clone(), base.clone());
            let asking: crate::mcp::Asking = Box::pin(async move { asked(api, &base, who, address).await });
            asking
        };
        Self { ask: Arc::new(ask) }
    }
}

/// Answers `POST /mcp`.
pub(in crate::web) async fn answer(Extension(inside): Extension<Inside>, request: Request) -> Response {
    let mut response = http_service(inside.ask).handle(request).await.map(Body::new).into_response();
    response.extensions_mut().insert(AlreadyRecorded);
    response
}

async fn asked(mut api: Router, base: &str, who: Option<Parts>, address: String) -> Asked {
    let who = who.ok_or_else(|| "it is not known who asks".to_owned())?;
    let mut at = address;
    for _ in 0..REDIRECTS_MAX {
        let uri: Uri = at.parse().map_err(|_unread| "the arguments make no address".to_owned())?;
        let mut request = Request::new(Body::empty());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers(&who);
        if let Some(from) = who.extensions.get::<ConnectInfo<SocketAddr>>() {
            request.extensions_mut().insert(*from);
        }
        let answered: Result<Response, Infallible> = api.call(request).await;
        let response = answered.unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        let to = parts.headers.get(LOCATION).and_then(|to| to.to_str().ok());
        if let Some(to) = to.filter(|_| parts.status.is_redirection()) {
            at = to.strip_prefix(base).unwrap_or(to).to_owned();
            continue;
        }
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|_cut| "the answer broke off or is too long; ask for less".to_owned())?;
        return Ok((parts.status.as_u16(), body.to_bytes()));
    }
    Err("the address leads on and on".to_owned())
}

/// Who asks, about which project, and nothing of what they sent.
fn headers(who: &Parts) -> HeaderMap {
    let mut headers = who.headers.clone();
    for name in [CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING] {
        headers.remove(name);
    }
    let project = who.extensions.get::<Viewer>().map(|viewer| viewer.scope.project.0.as_str());
    if let Some(Ok(project)) = project.map(HeaderValue::from_str) {
        headers.insert("x-recount-project", project);
    }
    headers
}
