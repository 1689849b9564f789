//! `/login` and `/logout`: who are you. Works without JavaScript.
use askama::Template;
use axum::Form;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{HeaderMap, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::access::{Account, PasswordHash, Session, Who, hash, random_id, random_token};
use crate::domain::activity::{Activity, ActivityKind};
use crate::store::{directory, end_sessions_of, keep_session};
use crate::web::credential::{SESSION, address, cookie, csrf_of, now_ns};
use crate::web::error::WebError;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Passwords tried at one time: each takes 19 MiB and some 30 ms.
static TRIES: Semaphore = Semaphore::const_new(2);

/// The page.
#[derive(Template)]
#[template(path = "pages/login.html")]
pub(in crate::web) struct LoginPage {
    shell: Shell,
    says: String,
    next: String,
    provider: bool,
}

impl LoginPage {
    /// The page, saying why it is shown, and where to go from it.
    pub(in crate::web) fn of(state: &WebState, says: String, next: &str) -> Self {
        let shell = Shell::of(state, &Viewer::stranger(String::new()), "");
        Self { shell, says, next: ours(next).to_owned(), provider: state.provider.is_some() }
    }
}

/// What is typed into it.
#[derive(Deserialize)]
pub(in crate::web) struct Typed {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

/// Answers `GET /login`.
pub(in crate::web) async fn show(State(state): State<WebState>, params: Params) -> Response {
    if state.access.is_development() {
        return Redirect::to(&state.links().runs()).into_response();
    }
    Page(LoginPage::of(&state, String::new(), params.get("next").unwrap_or_default())).into_response()
}

/// Answers `POST /login`. A name that nobody has and a password that is wrong are told alike, and take as
/// long.
pub(in crate::web) async fn enter(
    State(state): State<WebState>,
    request: Request,
) -> Result<Response, WebError> {
    let from = address(request.extensions());
    let headers = request.headers().clone();
    let typed = Form::<Typed>::from_request(request, &state).await;
    let Form(typed) = typed.map_err(|_unreadable| WebError::Invalid("the form can't be read".to_owned()))?;
    let (name, now) = (typed.name.trim().to_lowercase(), now_ns());
    let wait = state.access.lockout().wait_s(&name, &from, now);
    if wait > 0 {
        let waits = LoginPage::of(&state, WebError::Wait(wait).to_string(), &typed.next);
        return Ok((StatusCode::TOO_MANY_REQUESTS, Page(waits)).into_response());
    }
    let directory = state.access.directory();
    let person = directory.person(&name).filter(|person| !person.disabled).cloned();
    let hash = person.as_ref().map(|person| person.password.clone()).unwrap_or_default();
    if !is_right(hash, typed.password).await? {
        state.access.lockout().wrong(&name, &from, now_ns());
        let tried: String = typed.name.chars().take(100).collect();
        note(&state, ActivityKind::Refused, &tried, &from, 401).await?;
        let wrong = LoginPage::of(&state, "The name or the password is wrong.".to_owned(), &typed.next);
        return Ok((StatusCode::UNAUTHORIZED, Page(wrong)).into_response());
    }
    let Some(person) = person else { return Err(WebError::Forbidden) };
    state.access.lockout().right(&name);
    let token = begin(&state, &person.id, &headers).await?;
    note(&state, ActivityKind::SignedIn, &person.name, &from, 303).await?;
    let mut response = Redirect::to(&state.links().to(&rooted(ours(&typed.next)))).into_response();
    set(&mut response, &session_cookie(&state, &headers, &token))?;
    Ok(response)
}

/// Answers `POST /logout`.
pub(in crate::web) async fn leave(
    State(state): State<WebState>,
    request: Request,
) -> Result<Response, WebError> {
    let from = address(request.extensions());
    let headers = request.headers().clone();
    let mut response = Redirect::to(&state.links().to("/login")).into_response();
    if let Some(token) = cookie(&headers, SESSION) {
        crate::web::forgery::check_token(request, &csrf_of(token)).await?;
        let found = state.access.session(&hash("session", token), now_ns());
        if let Some((Account { who: Who::Person(name), .. }, session)) = found {
            end_sessions_of(&state.store, &[session], now_ns()).await?;
            state.access.set(directory(&state.store, now_ns()).await?);
            note(&state, ActivityKind::SignedOut, &name, &from, 303).await?;
        }
    }
    set(
        &mut response,
        &format!("{SESSION}=; Path={}; Max-Age=0; HttpOnly; SameSite=Lax", state.links().to("/")),
    )?;
    Ok(response)
}

/// Begins a session with a token of its own, and ends the one that the browser had.
pub(in crate::web) async fn begin(
    state: &WebState,
    person_id: &str,
    headers: &HeaderMap,
) -> Result<String, WebError> {
    let token = random_token().map_err(|error| {
        tracing::error!(%error, "no session can begin");
        WebError::Broken
    })?;
    let now_ns = now_ns();
    let session = Session {
        hash: hash("session", &token),
        at_ns: now_ns,
        person_id: person_id.to_owned(),
        started_ns: now_ns,
        ended: false,
    };
    keep_session(&state.store, &session).await?;
    let before = cookie(headers, SESSION).map(|token| hash("session", token));
    let before = before.and_then(|hash| state.access.directory().session(&hash).cloned());
    end_sessions_of(&state.store, before.as_slice(), now_ns).await?;
    state.access.set(directory(&state.store, now_ns).await?);
    Ok(token)
}

/// The cookie that carries a session's token.
pub(in crate::web) fn session_cookie(state: &WebState, headers: &HeaderMap, token: &str) -> String {
    let https = headers.get("x-forwarded-proto").is_some_and(|value| value.as_bytes() == b"https");
    let secure = if https || state.settings.https { "; Secure" } else { "" };
    format!("{SESSION}={token}; Path={}; HttpOnly; SameSite=Lax{secure}", state.links().to("/"))
}

/// Sets a cookie on an answer.
pub(in crate::web) fn set(response: &mut Response, cookie: &str) -> Result<(), WebError> {
    let value = HeaderValue::from_str(cookie).map_err(|_odd| WebError::Broken)?;
    response.headers_mut().append(SET_COOKIE, value);
    Ok(())
}

async fn is_right(hash: PasswordHash, password: String) -> Result<bool, WebError> {
    let permit = TRIES.acquire().await;
    let right = tokio::task::spawn_blocking(move || hash.is_of(&password)).await;
    drop(permit);
    right.map_err(|error| {
        tracing::error!(panicked = error.is_panic(), "a password could not be tried");
        WebError::Broken
    })
}

/// Records that somebody came, went, or was not let in.
pub(in crate::web) async fn note(
    state: &WebState,
    kind: ActivityKind,
    who: &str,
    from: &str,
    status: u16,
) -> Result<(), WebError> {
    let what = if kind == ActivityKind::SignedOut { "/logout" } else { "/login" };
    let entry = Activity {
        at_ns: now_ns(),
        id: random_id().unwrap_or_default(),
        project: crate::domain::ids::Project(String::new()),
        who: who.to_owned(),
        address: from.to_owned(),
        kind,
        what: what.to_owned(),
        status,
        ..Activity::default()
    };
    (state.record)(entry).await.map_err(|_unrecorded| WebError::Unrecorded)
}

/// An address below our own root; anything else leads to the runs.
pub(in crate::web) fn ours(next: &str) -> &str {
    let below = next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\n', '\r', '\t']);
    let again = ["/login", "/logout"].iter().any(|path| next.starts_with(path));
    if below && !again { next } else { "" }
}

fn rooted(next: &str) -> String {
    if next.is_empty() { "/runs".to_owned() } else { next.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_on_stays_on_this_site() {
        assert_eq!(ours("/runs?q=a%20b"), "/runs?q=a%20b");
        for elsewhere in
            ["", "//evil.test", "https://evil.test", "/\\evil.test", "runs", "/login", "/a\r\nX: y"]
        {
            assert_eq!(ours(elsewhere), "", "{elsewhere}");
        }
    }
}
