//! What the reader sees of an error: a page, or below `/api` a problem in JSON (RFC 9457).
use askama::Template;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::ids::Project;
use crate::domain::scope::Scope;
use crate::web::error::{Conflict, WebError};
use crate::web::format;
use crate::web::host::is_for_machines;
use crate::web::kept_for;
use crate::web::page::{Page, Shell};
use crate::web::pages::login::LoginPage;
use crate::web::state::WebState;
use crate::web::text;
use crate::web::viewer::{Viewer, development};

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    shell: Shell,
    title: &'static str,
    text: String,
    retry: bool,
}

/// Turns the errors of all handlers into pages, or into problems below `/api`.
pub(in crate::web) async fn show(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let for_api = is_for_machines(request.uri().path());
    let next_page = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let is_head = request.method() == Method::HEAD;
    let response = next.run(request).await;
    let viewer = response.extensions().get::<Viewer>().cloned();
    let found = response.extensions().get::<WebError>().cloned();
    let error = match (found, response.status()) {
        (Some(error), _) => error,
        (None, StatusCode::METHOD_NOT_ALLOWED) => WebError::Method,
        (None, StatusCode::BAD_REQUEST) => WebError::Invalid("The address can't be read.".to_owned()),
        (None, _) => return response,
    };
    let status = error.status();
    let project = viewer.as_ref().map_or_else(Project::default, |viewer| viewer.scope.project.clone());
    let text = sentence(&error, &state, &project);
    if for_api {
        let mut refused = problem(&error, status, &text);
        if let Some(methods) = response.headers().get(ALLOW) {
            refused.headers_mut().insert(ALLOW, methods.clone());
        }
        return refused;
    }
    if matches!(error, WebError::SignIn(_)) {
        let mut shown = (status, Page(LoginPage::of(&state, text, &next_page))).into_response();
        shown.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return shown;
    }
    let page = ErrorPage {
        shell: Shell::of(&state, &viewer.unwrap_or_else(|| of_nobody(&state)), ""),
        title: error.title(),
        text,
        retry: error == WebError::Unreachable,
    };
    let mut shown = (status, Page(page)).into_response();
    if is_head {
        *shown.body_mut() = axum::body::Body::empty();
    }
    shown
}

/// The frame of a page for nobody in particular; in development that is everybody.
fn of_nobody(state: &WebState) -> Viewer {
    let stranger = Viewer::stranger(String::new());
    if !state.access.is_development() {
        return stranger;
    }
    Viewer { account: development(), development: true, scope: Scope::whole(Project::default()), ..stranger }
}

fn sentence(error: &WebError, state: &WebState, project: &Project) -> String {
    if *error == WebError::Unreachable {
        let since = (state.status)().store_unreachable_since_ns;
        let since = since.map(|at| format!(" It has been unreachable since {} UTC.", format::minute(at)));
        return format!(
            "Nothing can be read until the store answers again.{} What is sent meanwhile is kept in the log \
             and shown later.",
            since.unwrap_or_default()
        );
    }
    let said = text::sentence(&error.to_string());
    if said.ends_with("or it has expired.") {
        let kept = state.settings.retention.of(project);
        return format!("{said} {}", kept_for::of_missing(kept, format::now_ns()));
    }
    if said.ends_with(['.', '?']) { said } else { format!("{said}.") }
}

fn problem(error: &WebError, status: StatusCode, detail: &str) -> Response {
    let mut body = Problem {
        kind: "about:blank",
        title: error.title(),
        status: status.as_u16(),
        detail,
        field: None,
        conflict: None,
    };
    if let WebError::Field(field, _) = error {
        body.field = Some(field);
    }
    if let WebError::Conflict(conflict) = error {
        body.conflict = Some(InTheWay::of(conflict));
    }
    let body = serde_json::to_string(&body).unwrap_or_default();
    let kind = HeaderValue::from_static("application/problem+json");
    let mut response = (status, [(CONTENT_TYPE, kind)], body).into_response();
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// A problem in JSON.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(flatten)]
    conflict: Option<InTheWay>,
}

/// Where a case stands that does not take what somebody wants, and who was first.
#[derive(Serialize, JsonSchema)]
struct InTheWay {
    state: &'static str,
    outcome: &'static str,
    resolution: Option<First>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FirstResolution")]
struct First {
    event_id: String,
    at: String,
    by: String,
    by_job: bool,
    outcome: &'static str,
    evidence: String,
    note: String,
}

impl InTheWay {
    fn of(conflict: &Conflict) -> Self {
        let first = conflict.resolution.as_ref().map(|(event, resolution)| First {
            event_id: event.event_id.clone(),
            at: format::rfc3339(event.at_ns),
            by: event.by.clone(),
            by_job: event.by_job,
            outcome: resolution.outcome.word(),
            evidence: resolution.evidence.clone(),
            note: resolution.note.clone(),
        });
        Self { state: conflict.state.word(), outcome: conflict.outcome.word(), resolution: first }
    }
}
