//! `/entities/{type}/{id}/erase`: what would go for good, and the form that asks for it.
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::entity::erase::{self, Plan};
use crate::web::entity::names::Names;
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::format::{count, counted};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, sentence, shortened};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/erase.html")]
pub(in crate::web) struct ErasePage {
    shell: Shell,
    kind: String,
    id: Text,
    title: String,
    here: String,
    wrong: String,
    reason: String,
    rows: Vec<(&'static str, String)>,
    in_the_way: Option<String>,
    is_empty: bool,
    hold: String,
}

type Asked = (State<WebState>, Path<(String, String)>, Viewer);

/// Answers `GET /entities/{type}/{id}/erase`.
pub(in crate::web) async fn show(
    (State(state), Path((kind, id)), viewer): Asked,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    page(&state, &viewer, (&kind, &id), Typed::default()).await
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Typed {
    reason: String,
    wrong: String,
}

/// Answers `POST /entities/{type}/{id}/erase`.
pub(in crate::web) async fn ask(
    (State(state), Path((kind, id)), viewer): Asked,
    Form(form): Form,
) -> Result<Response, WebError> {
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    let reason = form.get("reason").unwrap_or_default().to_owned();
    let asked = match form.get("sure").map(str::trim) {
        Some(sure) if sure == id => {
            let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
            erase::ask(&state, &viewer, &names, &reason).await
        }
        _ => Err(WebError::Field("sure", "must be the id itself: what goes does not come back".to_owned())),
    };
    match asked {
        Ok(erasure) => {
            let to = Redirect::to(&state.links().to(&format!("/erasures/{}", erasure.id)));
            let seen = Seen { entities: vec![entity], ..Seen::changed(erase::sentence(&erasure)) };
            Ok(seen.on(to.into_response()))
        }
        Err(error @ (WebError::Invalid(_) | WebError::Field(..) | WebError::InTheWay(_))) => {
            let wrong = format!("{}.", sentence(&error.to_string()));
            let shown = page(&state, &viewer, (&kind, &id), Typed { reason, wrong }).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
        }
        Err(error) => Err(error),
    }
}

async fn page(
    state: &WebState,
    viewer: &Viewer,
    (kind, id): (&str, &str),
    typed: Typed,
) -> Result<Response, WebError> {
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    let names = Names::of(state, &viewer.scope, (kind, id)).await?;
    let plan = erase::plan(state, viewer, &names).await?;
    let links = state.links();
    let page = ErasePage {
        shell: Shell::of(state, viewer, "Accounts"),
        kind: plain(&names.asked.kind),
        id: Text::new(shortened(&names.asked.id, 120)),
        title: plain(&shortened(&names.asked.id, 60)),
        here: links.entity(&names.asked),
        wrong: typed.wrong,
        reason: typed.reason,
        rows: rows(&plan),
        in_the_way: plan.in_the_way().map(|said| format!("{}.", sentence(&said))),
        is_empty: plan.records == 0,
        hold: links.to("/holds"),
    };
    Ok(Seen::about(&[entity]).on(Page(page).into_response()))
}

fn rows(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("Goes", format!("{}.", sentence(&plan.sentence()))),
        (
            "Stays",
            "Who did what, when, on what, with which outcome and evidence; ids, keys and places in the \
             signed log: bundles verify as before."
                .to_owned(),
        ),
    ];
    if plan.shared_runs > 0 {
        let runs = counted(plan.shared_runs, "run is", "runs are");
        rows.push((
            "Shared",
            format!(
                "{runs} about others too. Steps that name only these stay; bodies that both used, and steps \
                 that name nobody, go."
            ),
        ));
    }
    if plan.open_cases > 0 {
        let cases = counted(plan.open_cases, "unknown is", "unknowns are");
        rows.push(("Open", format!("{cases} not settled: what would help to settle it goes too.")));
    }
    if plan.erased_before > 0 {
        rows.push(("Before", format!("{} of its records were erased already.", count(plan.erased_before))));
    }
    rows
}
