//! `/keys`: find one, and what a key is for.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::error::WebError;
use crate::web::format;
use crate::web::key::found::under;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{plain, shortened};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/keys.html")]
pub(in crate::web) struct KeysPage {
    shell: Shell,
    key: String,
    /// Nothing acts under the key that was asked for.
    missing: bool,
}

/// Answers `/keys`: leads to the key that is named, where there is one.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["key"])?;
    let key = params.get("key").map(str::trim).filter(|key| !key.is_empty());
    if let Some(key) = key {
        let (key, found) = under(&state, &viewer.scope, key.to_owned(), format::now_ns()).await?;
        if !found.is_empty() {
            return Ok(Redirect::to(&state.links().key(&key)).into_response());
        }
    }
    let shell = Shell::of(&state, &viewer, "Keys");
    let asked = plain(&shortened(key.unwrap_or_default(), 400));
    Ok(Page(KeysPage { shell, key: asked, missing: key.is_some() }).into_response())
}
