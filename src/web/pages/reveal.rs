//! `/reveal`: a form that brings back one encrypted value, for a reason that is recorded.
use askama::Template;
use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::web::error::WebError;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::revealing::{Asked, bring_back};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, sentence};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/reveal.html")]
pub(in crate::web) struct RevealPage {
    shell: Shell,
    value: String,
    reason: String,
    wrong: String,
    found: Option<Text>,
}

/// What is typed into it.
#[derive(Default, Deserialize)]
pub(in crate::web) struct Typed {
    #[serde(default)]
    value: String,
    #[serde(default)]
    reason: String,
}

/// Answers `GET /reveal`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["value"])?;
    let value = params.get("value").unwrap_or_default().to_owned();
    Ok(page(&state, &viewer, Typed { value, ..Typed::default() }, Ok(None)).into_response())
}

/// Answers `POST /reveal`.
pub(in crate::web) async fn reveal(
    State(state): State<WebState>,
    viewer: Viewer,
    Form(typed): Form<Typed>,
) -> Response {
    match bring_back(&state, &viewer, Asked { value: &typed.value, reason: &typed.reason }) {
        Ok((plain, said)) => {
            let shown = page(&state, &viewer, typed, Ok(Some(plain)));
            Seen { rows: Some(1), ..Seen::changed(said) }.on(shown.into_response())
        }
        Err(error) => {
            (StatusCode::UNPROCESSABLE_ENTITY, page(&state, &viewer, typed, Err(error))).into_response()
        }
    }
}

fn page(
    state: &WebState,
    viewer: &Viewer,
    typed: Typed,
    found: Result<Option<String>, WebError>,
) -> Page<RevealPage> {
    let (found, wrong) = match found {
        Ok(found) => (found.map(Text::new), String::new()),
        Err(error) => (None, sentence(&error.to_string())),
    };
    Page(RevealPage {
        shell: Shell::of(state, viewer, "Redaction"),
        value: plain(&typed.value),
        reason: plain(&typed.reason),
        wrong,
        found,
    })
}
