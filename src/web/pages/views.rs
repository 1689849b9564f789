//! `/views`: the saved views of a project; saving one, renaming, sharing and removing it.
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};

use crate::store::{SavedView, keep_view, saved_views};
use crate::web::case::asked::Asked as Cases;
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::format;
use crate::web::list::asked::Asked as Runs;
use crate::web::list::display::{self, Display};
use crate::web::noticed::asked::Asked as Findings;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::saved::{Listed, NAME_CHARS_MAX, VIEWS_MAX, free, made, may_change, may_share, name};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, plain};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/views.html")]
pub(in crate::web) struct ViewsPage {
    shell: Shell,
    views: Vec<ViewLine>,
    may_share: bool,
    longest: usize,
}

struct ViewLine {
    id: String,
    name: Text,
    plain_name: String,
    href: String,
    list: &'static str,
    owner: Text,
    shared: bool,
    may_change: bool,
    changed: String,
}

/// Answers `/views`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let shell = Shell::of(&state, &viewer, "Runs");
    let views = saved_views(&state.store, &viewer.scope, &viewer.name()).await?;
    let rows = views.len();
    let line = |view: SavedView| {
        let listed = Listed::from_word(&view.page)?;
        Some(ViewLine {
            may_change: may_change(&viewer, &view),
            href: listed.href(&shell.links, &view.query),
            list: listed.name(),
            plain_name: plain(&view.name),
            name: Text::new(view.name),
            owner: Text::new(view.owner),
            shared: view.shared,
            changed: format!("{} UTC", format::moment(view.at_ns)),
            id: view.view_id,
        })
    };
    let views = views.into_iter().filter_map(line).collect();
    let page = ViewsPage { views, may_share: may_share(&viewer), longest: NAME_CHARS_MAX, shell };
    Ok(Seen::rows(rows).on(Page(page).into_response()))
}

/// Answers `POST /views`: keeps the state of a list under a name, and shows the list again.
pub(in crate::web) async fn save(
    State(state): State<WebState>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    form.only(&["name", "page", "query", "shared", "csrf"])?;
    let now_ns = format::now_ns();
    let (listed, view) = made(&viewer, &form, now_ns)?;
    readable(listed, &view.query)?;
    let mine = saved_views(&state.store, &viewer.scope, &view.owner).await?;
    free(&mine, &view)?;
    if mine.iter().filter(|other| other.owner == view.owner).count() >= VIEWS_MAX {
        let said = format!("can't be kept: {VIEWS_MAX} views are the most; remove one first");
        return Err(WebError::Field("name", said));
    }
    keep_view(&state.store, &viewer.scope, &view, (false, &view.owner)).await?;
    let sentence = format!("saved the view {} of {}", view.name, view.page);
    Ok(Seen::changed(sentence).on(see(&listed.href(&state.links(), &view.query))))
}

/// Answers `POST /views/{view_id}`: renames, shares, or removes it.
pub(in crate::web) async fn change(
    State(state): State<WebState>,
    Path(view_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    form.only(&["change", "name", "shared", "csrf"])?;
    let me = viewer.name();
    let views = saved_views(&state.store, &viewer.scope, &me).await?;
    let view = views.into_iter().find(|view| view.view_id == view_id);
    let gone = || WebError::NotFound("There is no such view here; somebody may have removed it.".to_owned());
    let before = view.ok_or_else(gone)?;
    if !may_change(&viewer, &before) {
        return Err(WebError::Role("admin, or to be who saved the view,".to_owned()));
    }
    // Two changes of one moment must not hide each other.
    let at_ns = format::now_ns().max(before.at_ns + 1);
    let (view, removed, sentence) = match form.get("change") {
        Some("rename") => {
            let name = name(form.get("name").unwrap_or_default())?;
            let sentence = format!("renamed the view {} to {name}", before.name);
            let view = SavedView { name, at_ns, ..before };
            free(&saved_views(&state.store, &viewer.scope, &view.owner).await?, &view)?;
            (view, false, sentence)
        }
        Some("share") => {
            let shared = form.get("shared") == Some("yes");
            if shared && !may_share(&viewer) {
                return Err(WebError::Field("shared", "is not for who sees only some entities".to_owned()));
            }
            let said = if shared { "shared" } else { "no longer shares" };
            let sentence = format!("{said} the view {}", before.name);
            (SavedView { shared, at_ns, ..before }, false, sentence)
        }
        Some("remove") => {
            let sentence = format!("removed the view {}", before.name);
            (SavedView { at_ns, ..before }, true, sentence)
        }
        _ => return Err(WebError::Field("change", "takes rename, share or remove".to_owned())),
    };
    keep_view(&state.store, &viewer.scope, &view, (removed, &me)).await?;
    Ok(Seen::changed(sentence).on(see(&state.links().to("/views"))))
}

/// Refuses a state in which its list could not be shown.
fn readable(listed: Listed, query: &str) -> Result<(), WebError> {
    let params = Params::read(query);
    let read = match listed {
        Listed::Runs => {
            let runs = Runs::read(&params, &display::PARAMS).map(drop).map_err(WebError::from);
            runs.and(Display::read(&params).map(drop))
        }
        Listed::Unknowns => Cases::read(&params, &[]).map(drop),
        Listed::Findings => Findings::read(&params, &[]).map(drop),
    };
    read.map_err(|error| WebError::Field("query", format!("can't be shown: {error}")))
}

/// Leads on to a page after a change.
fn see(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, address.to_owned())]).into_response()
}
