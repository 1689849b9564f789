//! `/about/words`: the glossary.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::web::error::WebError;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;
use crate::web::words::{GROUPS, Group, Word};

/// The page.
#[derive(Template)]
#[template(path = "pages/words.html")]
pub(in crate::web) struct WordsPage {
    shell: Shell,
    groups: &'static [Group],
}

/// Answers `/about/words`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let shell = Shell::of(&state, &viewer, "");
    Ok(Page(WordsPage { shell, groups: GROUPS }).into_response())
}

impl Word {
    /// Its name in addresses.
    fn anchor(&self) -> String {
        self.word.replace(' ', "-")
    }
}
