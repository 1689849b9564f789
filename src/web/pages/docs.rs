//! `/docs`: the documents of this version, readable where no repository is at hand.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};

use crate::web::documents::{Document, Drawn};
use crate::web::error::WebError;
use crate::web::page::{Page, Shell};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/docs.html")]
pub(in crate::web) struct DocsPage {
    shell: Shell,
    title: String,
    documents: Vec<Entry>,
    body: Drawn,
}

/// A document in the list of all.
struct Entry {
    label: String,
    href: String,
    here: bool,
}

/// Answers `/docs`.
pub(in crate::web) async fn index(State(state): State<WebState>, viewer: Viewer) -> Response {
    page(&state, &viewer, Document::index())
}

/// Answers `/docs/{page}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    Path(name): Path<String>,
) -> Response {
    page(&state, &viewer, Document::named(&name))
}

fn page(state: &WebState, viewer: &Viewer, document: Option<Document>) -> Response {
    let Some(document) = document else {
        return WebError::NotFound("There is no such document.".to_owned()).into_response();
    };
    let shell = Shell::of(state, viewer, "");
    let entry = |other: Document| Entry {
        label: other.label(),
        href: other.address(&shell.links),
        here: other.name == document.name,
    };
    let documents = Document::in_order().into_iter().map(entry).collect();
    let body = document.draw(&shell.links);
    Page(DocsPage { shell, title: document.title(), documents, body }).into_response()
}
