//! `/about/findings`: everything we notice, what it means and what to do about it.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::finding::{Code, Severity};
use crate::domain::fold::{About, about};
use crate::web::finding;
use crate::web::page::{Page, Shell};
use crate::web::query::{Field, Query};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/about_findings.html")]
pub(in crate::web) struct AboutFindingsPage {
    shell: Shell,
    groups: Vec<(&'static str, Vec<Entry>)>,
}

struct Entry {
    code: &'static str,
    about: About,
    runs: String,
}

/// Answers `/about/findings`.
pub(in crate::web) async fn show(State(state): State<WebState>, viewer: Viewer) -> Response {
    let shell = Shell::of(&state, &viewer, "");
    let entry = |code: &Code| Entry {
        code: code.word(),
        about: about(*code),
        runs: shell
            .links
            .runs_with(&Query::default().with_only(Field::Finding, Some(code.word())).to_string()),
    };
    let of = |severity: Severity| {
        Code::ALL.iter().filter(move |code| code.severity() == severity).map(entry).collect()
    };
    let groups = [Severity::Danger, Severity::Warn, Severity::Info]
        .into_iter()
        .map(|severity| (finding::severity(severity), of(severity)))
        .collect();
    Page(AboutFindingsPage { groups, shell }).into_response()
}
