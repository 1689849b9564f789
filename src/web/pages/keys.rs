//! `/keys`: find one, and what a key is for.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use crate::store::queries::key_actions;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::key::spelt::{asked, spelt};
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
        let names = spelt(&state, &viewer.scope, key);
        let found = key_actions(&state.store, &viewer.scope, &asked(&names), format::now_ns()).await?;
        if let Some(action) = found.iter().find(|action| action.key == key).or_else(|| found.first()) {
            return Ok(Redirect::to(&state.links().key(&action.key)).into_response());
        }
    }
    let shell = Shell::of(&state, &viewer, "Keys");
    let typed = plain(&shortened(key.unwrap_or_default(), 400));
    Ok(Page(KeysPage { shell, key: typed, missing: key.is_some() }).into_response())
}
