//! Who may send at all: asked of every request before its body is read.
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{Access, Denied, Permission, bare, bearer, names_a_key};
use crate::ingest::asked::Asked;
use crate::ingest::door::{Door, Sender};
use crate::ingest::refusal::Refusal;

/// Lets a request in when it is addressed to this server and no foreign web page sent it, and answers
/// preflights of pages that may send.
pub(crate) async fn admit(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = headers.get(header::HOST).map(|host| host.to_str().unwrap_or_default());
    let host = host.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if !door.hosts.allow(host) {
        return Asked::of(headers).refused(&Refusal::WrongHost);
    }
    let Some(origin) = headers.get(header::ORIGIN).cloned() else { return next.run(request).await };
    if !origin.to_str().is_ok_and(|origin| door.origins.allow(origin)) {
        return Asked::of(headers).refused(&Refusal::WrongOrigin);
    }
    let preflight =
        request.method() == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight { allow(headers) } else { next.run(request).await };
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    response
}

/// The answer to a preflight: any header may be sent, since none opens anything that is not asked for.
fn allow(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let allowed = response.headers_mut();
    allowed.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    allowed.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    if let Some(asked) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        allowed.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    response
}

/// Who sends, by the key.
///
/// # Errors
/// Why it may not send.
pub(crate) fn sender(access: &Access, parts: &Parts) -> Result<Sender, Refusal> {
    if parts.uri.query().is_some_and(names_a_key) {
        return Err(Refusal::KeyInAddress);
    }
    if access.is_development() {
        return Ok(Sender::default());
    }
    let headers = &parts.headers;
    let key = match (headers.get(header::AUTHORIZATION), headers.get("x-api-key")) {
        (None, Some(value)) => bare(value.as_bytes())?,
        (value, _) => bearer(value.map(HeaderValue::as_bytes))?,
    };
    if !access.is_known() {
        return Err(Refusal::AccessUnknown);
    }
    let now_ns = now_ns();
    let directory = access.directory();
    let (_, entry) = directory.holder(&key, now_ns)?;
    if !entry.role.allows(Permission::Send) {
        return Err(Refusal::MayNotSend(entry.role));
    }
    if directory.is_closed(&entry.project) {
        return Err(Denied::Closed.into());
    }
    access.used(&entry.id, now_ns);
    Ok(Sender { project: entry.project.clone(), key: Some(entry.id.clone()) })
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
