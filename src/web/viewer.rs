//! Who looks, and what they may see: made once per request, before any handler that reads records.
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::domain::scope::Scope;
use crate::web::error::WebError;
use crate::web::state::WebState;

/// What a route asks of who calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Permission {
    /// Nothing: the answer says nothing about any record.
    Anyone,
    /// To see records of the project.
    SeeRecords,
    /// To work on cases: take them, say something, close them.
    WorkOnCases,
    /// To see how the server is doing.
    SeeServer,
}

/// Who looks.
#[derive(Debug, Clone)]
pub(in crate::web) struct Viewer {
    /// What they may read.
    pub(in crate::web) scope: Scope,
    /// Nobody signed in: whoever reaches the loopback address sees all. Every page says so.
    pub(in crate::web) development: bool,
}

impl Viewer {
    /// The viewer of every request until access is configured.
    pub(in crate::web) fn of(state: &WebState) -> Self {
        Self { scope: Scope { project: state.settings.project.clone() }, development: true }
    }

    /// Whether the viewer may do what the route asks.
    fn may(&self, permission: Permission) -> bool {
        match permission {
            Permission::Anyone => true,
            Permission::SeeRecords | Permission::WorkOnCases | Permission::SeeServer => self.development,
        }
    }
}

/// Lets a request on to its handler when its viewer may do what the route asks.
pub(in crate::web) async fn admit(
    State((state, permission)): State<(WebState, Permission)>,
    mut request: Request,
    next: Next,
) -> Response {
    let viewer = Viewer::of(&state);
    if !viewer.may(permission) {
        return WebError::Forbidden.into_response();
    }
    if permission != Permission::Anyone {
        if !request.uri().path().starts_with("/api/") {
            state.open.look(&state.store, &viewer.scope).await;
        }
        request.extensions_mut().insert(viewer);
    }
    next.run(request).await
}

impl<S: Sync> FromRequestParts<S> for Viewer {
    type Rejection = WebError;

    /// A handler behind a route that anyone may call gets no viewer, so it can read no record.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts.extensions.get::<Self>().cloned().ok_or(WebError::Forbidden)
    }
}
