//! A template becomes a response here, and nowhere else; and the headers that every response carries.
use askama::Template;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::web::credential::is_known;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::Links;
use crate::web::state::WebState;
use crate::web::viewer::{Permission, Viewer};

/// Nothing is allowed but what is ours: no inline script or style, no other host, no frame.
pub(in crate::web) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
     img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A template as a response.
pub(in crate::web) struct Page<T>(pub(in crate::web) T);

impl<T: Template> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        match self.0.render() {
            Ok(html) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))], html).into_response()
            }
            Err(error) => {
                tracing::error!(%error, "a page could not be drawn");
                WebError::Broken.into_response()
            }
        }
    }
}

/// What the frame around every page shows.
#[derive(Debug, Clone)]
pub(in crate::web) struct Shell {
    /// Writes addresses.
    pub(in crate::web) links: Links,
    /// The sections there are.
    pub(in crate::web) sections: Vec<Section>,
    /// The project.
    pub(in crate::web) project: String,
    /// Nobody signed in: the page says so.
    pub(in crate::web) development: bool,
    /// Who looks; empty for nobody.
    pub(in crate::web) who: String,
    /// The other projects they may look at, each with its address.
    pub(in crate::web) projects: Vec<(String, String)>,
    /// What forms must carry in the field `csrf`; empty where nothing is needed.
    pub(in crate::web) csrf: String,
    /// What was typed into the finder.
    pub(in crate::web) find: String,
}

/// The sections, each with what it asks of who looks.
const SECTIONS: [(&str, &str, Permission); 11] = [
    ("Runs", "/runs", Permission::SeeRecords),
    ("Overview", "/overview", Permission::SeeRecords),
    ("Unknowns", "/unknowns", Permission::SeeRecords),
    ("Accounts", "/accounts", Permission::SeeRecords),
    ("Keys", "/keys", Permission::SeeRecords),
    ("Redaction", "/redaction", Permission::SeeRecords),
    ("Findings", "/findings", Permission::SeeRecords),
    ("Readiness", "/readiness", Permission::SeeRecords),
    ("Status", "/status", Permission::SeeServer),
    ("Activity", "/activity", Permission::SeeActivity),
    ("Settings", "/settings", Permission::SeeAccess),
];

/// A section of the site.
#[derive(Debug, Clone)]
pub(in crate::web) struct Section {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) here: bool,
    /// How many wait there.
    pub(in crate::web) count: Option<String>,
}

impl Shell {
    /// The frame for this viewer on a page of this section.
    pub(in crate::web) fn of(state: &WebState, viewer: &Viewer, section: &str) -> Self {
        let links = state.links();
        let open = state.open.known(&viewer.scope.project).filter(|open| *open > 0);
        let open = open.filter(|_| !viewer.scope.is_limited());
        let sections = SECTIONS
            .iter()
            .filter(|(_, _, permission)| viewer.may(*permission))
            .map(|(name, path, _)| Section {
                name,
                href: links.to(path),
                here: *name == section,
                count: open.filter(|_| *name == "Unknowns").map(format::count),
            })
            .collect();
        let others = viewer.projects.iter().filter(|project| **project != viewer.scope.project);
        let projects =
            others.map(|project| (project.0.clone(), links.to(&format!("/runs?project={}", project.0))));
        let projects = projects.collect();
        let who = if is_known(&viewer.account.who) { viewer.name() } else { String::new() };
        Self {
            links,
            sections,
            project: viewer.scope.project.0.clone(),
            development: viewer.development,
            who,
            projects,
            csrf: viewer.csrf.clone(),
            find: String::new(),
        }
    }
}

/// Sets the headers that keep a response from being run, framed, guessed at or kept.
pub(in crate::web) async fn guard(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
