//! Who looks, and what they may see: made once per request, before any handler that reads records.
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

pub(in crate::web) use crate::access::Permission;
use crate::access::{Account, Grant, Who, allow};
use crate::domain::ids::Project;
use crate::domain::scope::Scope;
use crate::web::error::WebError;

/// Who looks.
#[derive(Debug, Clone)]
pub(in crate::web) struct Viewer {
    /// What they may read, in the project they look at.
    pub(in crate::web) scope: Scope,
    /// Nobody signed in: whoever reaches the loopback address sees all. Every page says so.
    pub(in crate::web) development: bool,
    /// Who they are and what they were given.
    pub(in crate::web) account: Account,
    /// The projects they may look at.
    pub(in crate::web) projects: Vec<Project>,
    /// What their forms must carry; empty where no session could be ridden.
    pub(in crate::web) csrf: String,
    /// From which network address they ask.
    pub(in crate::web) address: String,
}

impl Viewer {
    /// Somebody who has shown nothing yet: the frame around a page that says so.
    pub(in crate::web) fn stranger(address: String) -> Self {
        Self {
            scope: Scope::whole(Project(String::new())),
            development: false,
            account: Account { who: Who::Nobody, grants: Vec::new() },
            projects: Vec::new(),
            csrf: String::new(),
            address,
        }
    }

    /// Their name, as it is shown and recorded.
    pub(in crate::web) fn name(&self) -> String {
        self.account.who.shown()
    }

    /// Lets a question about an entity, `type:id`, go on when it is in scope. The answer tells nothing about
    /// whether there is one: it comes of the name alone.
    pub(in crate::web) fn may_ask(&self, entity: &str) -> Result<(), WebError> {
        if self.scope.allows(entity) {
            return Ok(());
        }
        let kind = entity.split(':').next().unwrap_or_default();
        Err(WebError::OutOfReach(crate::web::text::plain(&crate::web::text::shortened(kind, 40))))
    }

    /// Whether they may do this in the project they look at.
    pub(in crate::web) fn may(&self, permission: Permission) -> bool {
        allow(&self.account.grants, &self.scope.project, permission)
    }
}

/// What whoever reaches a server in development mode may do: everything but send for others.
pub(in crate::web) fn development() -> Account {
    let grants = ["viewer@*", "operator@*", "auditor@*", "revealer@*", "admin@*"];
    Account {
        who: Who::Development,
        grants: grants.iter().filter_map(|text| Grant::parse(text).ok()).collect(),
    }
}

impl<S: Sync> FromRequestParts<S> for Viewer {
    type Rejection = WebError;

    /// A handler behind a route that anyone may call gets no viewer, so it can read no record.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts.extensions.get::<Self>().cloned().ok_or(WebError::Forbidden)
    }
}
