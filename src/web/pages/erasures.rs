//! `/erasures` and `/erasures/{id}`: what was erased, why, and the receipt.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};

use crate::domain::entity::Entity;
use crate::domain::erasure::{Erasure, ErasureState};
use crate::web::entity::erase;
use crate::web::error::WebError;
use crate::web::format::{count, moment};
use crate::web::link::Links;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, shortened};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/erasures.html")]
pub(in crate::web) struct ErasuresPage {
    shell: Shell,
    lines: Vec<Line>,
    /// Of one erasure: its receipt, once there is one.
    one: Option<One>,
}

/// One erasure in full.
struct One {
    id: String,
    receipt: Option<Text>,
    is_erased: bool,
    file: String,
}

/// One erasure.
struct Line {
    id: String,
    href: String,
    about: Text,
    about_href: Option<String>,
    reason: Text,
    asked: Text,
    done: String,
    records: String,
    bodies: String,
}

impl Line {
    fn of(erasure: &Erasure, links: &Links) -> Self {
        let done = match erasure.state() {
            ErasureState::UnderWay => "under way".to_owned(),
            ErasureState::Erased => "erased, files waiting".to_owned(),
            ErasureState::Done => format!("{} UTC", moment(erasure.at_ns)),
        };
        Self {
            id: erasure.id.clone(),
            href: links.to(&format!("/erasures/{}", erasure.id)),
            about: Text::new(shortened(&erasure.about, 80)),
            about_href: Entity::parse(&erasure.about).map(|entity| links.entity(&entity)),
            reason: Text::new(erasure.reason.clone()),
            asked: Text::new(format!("{} UTC by {}", moment(erasure.asked_ns), erasure.asked_by)),
            done,
            records: count(erasure.records),
            bodies: count(erasure.bodies),
        }
    }
}

/// Answers `/erasures`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let all = erase::visible(&state, &viewer).await?;
    let links = state.links();
    let lines = all.iter().map(|erasure| Line::of(erasure, &links)).collect();
    let page = ErasuresPage { shell: Shell::of(&state, &viewer, "Settings"), lines, one: None };
    Ok(Seen::rows(all.len()).on(Page(page).into_response()))
}

/// Answers `/erasures/{erasure_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let found = erase::one(&state, &viewer, &id).await?;
    let links = state.links();
    let one = One {
        file: links.to(&format!("/api/v1/erasures/{}", found.id)),
        receipt: found.receipt.clone().map(Text::new),
        is_erased: found.state() == ErasureState::Erased,
        id: found.id.clone(),
    };
    let lines = vec![Line::of(&found, &links)];
    let page = ErasuresPage { shell: Shell::of(&state, &viewer, "Settings"), lines, one: Some(one) };
    Ok(Seen::about(&[found.about]).on(Page(page).into_response()))
}
