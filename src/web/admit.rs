//! The gate before every handler: who asks, whether they may, and the record of it before the answer leaves.
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{Account, Directory, allow, is_project_name, random_id, scope};
use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::ids::Project;
use crate::web::credential::{PROJECT, address, cookie, identify, is_known, is_named_elsewhere, now_ns};
use crate::web::error::WebError;
use crate::web::forgery::{changes, check_token};
use crate::web::host::is_for_machines;
use crate::web::params::Params;
use crate::web::seen::{AlreadyRecorded, Seen};
use crate::web::state::WebState;
use crate::web::viewer::{Permission, Viewer};

/// The parameter that says which project to look at.
const ASKED: &str = "project";

/// Lets a request on to its handler when its viewer may do what the route asks, and its answer out when that
/// has been recorded.
pub(in crate::web) async fn admit(
    State((state, permission)): State<(WebState, Permission)>,
    request: Request,
    next: Next,
) -> Response {
    if permission == Permission::Anyone {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let from = address(&parts.extensions);
    let mut viewer = Viewer::stranger(from);
    let entry = enter(&state, permission, &mut parts, &mut viewer);
    let tried = Tried::of(&state, &parts, permission);
    let asked = match entry {
        Ok(asked) => asked,
        Err(error) => return refuse(&state, error, viewer, tried).await,
    };
    let mut request = Request::from_parts(parts, body);
    if changes(request.method()) && !viewer.csrf.is_empty() {
        request = match check_token(request, &viewer.csrf).await {
            Ok(request) => request,
            Err(error) => return refuse(&state, error, viewer, tried).await,
        };
    }
    // The count is of the whole project: it says nothing to who may see a part of it.
    if !is_for_machines(request.uri().path()) && !viewer.scope.is_limited() {
        state.open.look(&state.store, &viewer.scope).await;
    }
    request.extensions_mut().insert(viewer.clone());
    let mut response = next.run(request).await;
    if let Some(done) = tried.done(permission, &viewer, &response)
        && (state.record)(done).await.is_err()
    {
        response = WebError::Unrecorded.into_response();
    }
    if let Some(project) = asked
        && let Ok(value) = HeaderValue::from_str(&project_cookie(&state, &project))
    {
        response.headers_mut().append(SET_COOKIE, value);
    }
    response.extensions_mut().insert(viewer);
    response
}

/// Fills in who looks and at which project; gives back the project when the address named it.
fn enter(
    state: &WebState,
    permission: Permission,
    parts: &mut Parts,
    viewer: &mut Viewer,
) -> Result<Option<Project>, WebError> {
    let identified = identify(state, parts)?;
    viewer.development = state.access.is_development();
    viewer.account = identified.account;
    viewer.csrf = identified.csrf.unwrap_or_default();
    let directory = state.access.directory();
    viewer.projects = projects(&directory, &viewer.account);
    let asked = take_asked(parts);
    let wanted = asked.clone().or_else(|| {
        let kept = parts.headers.get("x-recount-project").and_then(|value| value.to_str().ok());
        let kept = kept.or_else(|| cookie(&parts.headers, PROJECT)).filter(|name| is_project_name(name));
        kept.map(|name| Project(name.to_owned()))
    });
    let fits = |project: &Project| allow(&viewer.account.grants, project, permission);
    if let Some(asked) = &asked
        && !viewer.projects.contains(asked)
        && !fits(asked)
    {
        return Err(WebError::NotFound("There is no such project.".to_owned()));
    }
    let first = || directory.project_names().into_iter().find(&fits);
    let project = asked.clone().or_else(|| wanted.filter(&fits)).or_else(first);
    let project = project.ok_or(WebError::Role(permission.needs()))?;
    viewer.scope = scope(&viewer.account.grants, &project, permission)
        .ok_or_else(|| WebError::Role(permission.needs()))?;
    Ok(asked)
}

/// The projects whose records somebody may see.
fn projects(directory: &Directory, account: &Account) -> Vec<Project> {
    let mut names = directory.project_names();
    names.retain(|project| allow(&account.grants, project, Permission::SeeRecords));
    names
}

/// Takes the project out of the address, so that no handler takes it for a filter.
fn take_asked(parts: &mut Parts) -> Option<Project> {
    let query = parts.uri.query()?;
    let params = Params::read(query);
    let asked = params.get(ASKED).map(|name| Project(name.to_owned()))?;
    let rest = params.without(ASKED).query();
    let mut uri = parts.uri.clone().into_parts();
    let path = format!("{}{rest}", parts.uri.path());
    uri.path_and_query = PathAndQuery::try_from(path).ok();
    if let Ok(uri) = Uri::from_parts(uri) {
        parts.uri = uri;
    }
    Some(asked)
}

fn project_cookie(state: &WebState, project: &Project) -> String {
    format!("{PROJECT}={}; Path={}; HttpOnly; SameSite=Lax", project.0, state.links().to("/"))
}

/// Says no. A try of somebody who is known is recorded.
async fn refuse(state: &WebState, error: WebError, viewer: Viewer, tried: Tried) -> Response {
    let mut response = error.into_response();
    if is_known(&viewer.account.who) || (tried.forged && is_due()) {
        let refused = Activity { kind: ActivityKind::Refused, ..tried.activity(&viewer, &response) };
        if (state.record)(refused).await.is_err() {
            tracing::warn!("a refused try could not be recorded");
        }
    }
    response.extensions_mut().insert(viewer);
    response
}

/// Tries of strangers are recorded one a second: a flood of them is no reason to fill the log.
fn is_due() -> bool {
    static LAST_S: AtomicU64 = AtomicU64::new(0);
    let now_s = now_ns() / 1_000_000_000;
    LAST_S.fetch_max(now_s, Ordering::Relaxed) < now_s
}

/// What somebody tried to do.
struct Tried {
    /// It carries the header of the proxy, and comes from elsewhere.
    forged: bool,
    kind: ActivityKind,
    changes: bool,
    path: String,
    query: String,
}

impl Tried {
    fn of(state: &WebState, parts: &Parts, permission: Permission) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        let changes = changes(&parts.method);
        Self {
            forged: is_named_elsewhere(state, parts),
            kind: kind(permission, &parts.method, query),
            changes,
            path: parts.uri.path().to_owned(),
            query: url::form_urlencoded::parse(query.as_bytes())
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
                .join("&"),
        }
    }

    /// What was done, where the answer shows records or something was changed.
    fn done(&self, permission: Permission, viewer: &Viewer, response: &Response) -> Option<Activity> {
        let status = response.status();
        if response.extensions().get::<AlreadyRecorded>().is_some() {
            return None;
        }
        let refused = matches!(status, StatusCode::FORBIDDEN | StatusCode::NOT_FOUND);
        let is_told = match (permission, self.changes) {
            // The form alone shows nothing.
            (Permission::Reveal, false) => refused,
            (Permission::SeeServer | Permission::Anyone | Permission::Send, false) => false,
            (_, false) => status.is_success() || refused,
            (_, true) => !status.is_server_error(),
        };
        let kind = if status.is_client_error() && (refused || self.changes) {
            ActivityKind::Refused
        } else {
            self.kind
        };
        is_told.then(|| Activity { kind, ..self.activity(viewer, response) })
    }

    fn activity(&self, viewer: &Viewer, response: &Response) -> Activity {
        let mut what = self.path.clone();
        if self.forged {
            what.push_str(" with the header of the proxy, from elsewhere");
        }
        let seen = response.extensions().get::<Seen>().cloned().unwrap_or_default();
        Activity {
            at_ns: now_ns(),
            // Without random bytes the time alone has to do.
            id: random_id().unwrap_or_default(),
            project: viewer.scope.project.clone(),
            who: viewer.name(),
            address: viewer.address.clone(),
            kind: self.kind,
            what: seen.changed.unwrap_or(what),
            query: self.query.clone(),
            run_id: run_of(&self.path),
            entities: seen.entities,
            status: response.status().as_u16(),
            rows: seen.rows,
        }
    }
}

fn kind(permission: Permission, method: &Method, query: &str) -> ActivityKind {
    let params = Params::read(query);
    let format = params.get("format").unwrap_or_default();
    match permission {
        Permission::ManageAccess => ActivityKind::Changed,
        Permission::HoldAndErase if changes(method) => ActivityKind::Changed,
        Permission::WorkOnCases if changes(method) => ActivityKind::Settled,
        Permission::Export => ActivityKind::Exported,
        Permission::Reveal => ActivityKind::Revealed,
        _ if matches!(format, "csv" | "jsonl" | "parquet" | "otlp") => ActivityKind::Exported,
        _ if params.get("q").or_else(|| params.get("find")).is_some() => ActivityKind::Searched,
        Permission::Anyone
        | Permission::Send
        | Permission::SeeRecords
        | Permission::SeeServer
        | Permission::WorkOnCases
        | Permission::SeeActivity
        | Permission::SeeAccess
        | Permission::HoldAndErase => ActivityKind::Looked,
    }
}

/// The run that an address is about.
fn run_of(path: &str) -> String {
    let rest = path.strip_prefix("/api/v1").unwrap_or(path).strip_prefix("/runs/").unwrap_or_default();
    let id = rest.split('/').next().unwrap_or_default();
    let encoded = format!("id={}", id.replace('+', "%2B"));
    url::form_urlencoded::parse(encoded.as_bytes()).next().map(|(_, id)| id.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_named_by_its_address() {
        let get = Method::GET;
        for (permission, method, query, expected) in [
            (Permission::SeeRecords, &get, "", ActivityKind::Looked),
            (Permission::SeeRecords, &get, "q=lamp", ActivityKind::Searched),
            (Permission::SeeRecords, &get, "q=lamp&format=csv", ActivityKind::Exported),
            (Permission::WorkOnCases, &Method::POST, "", ActivityKind::Settled),
            (Permission::Reveal, &Method::POST, "", ActivityKind::Revealed),
            (Permission::ManageAccess, &Method::POST, "", ActivityKind::Changed),
            (Permission::HoldAndErase, &Method::POST, "", ActivityKind::Changed),
            (Permission::HoldAndErase, &get, "", ActivityKind::Looked),
            (Permission::SeeActivity, &get, "", ActivityKind::Looked),
        ] {
            assert_eq!(kind(permission, method, query), expected, "{permission} {query}");
        }
        assert_eq!(run_of("/api/v1/runs/run%20a%2Fb/steps/1"), "run a/b");
        assert_eq!(run_of("/runs/a+b"), "a+b");
        assert_eq!(run_of("/status"), "");
    }
}
