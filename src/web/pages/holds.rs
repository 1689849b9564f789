//! `/holds`: what must stay as it is, and the forms that place and lift a legal hold.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::hold::{HeldKind, Hold};
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::format;
use crate::web::holding::{self, Matter};
use crate::web::link::Links;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, sentence, shortened};
use crate::web::viewer::{Permission, Viewer};

/// The page.
#[derive(Template)]
#[template(path = "pages/holds.html")]
pub(in crate::web) struct HoldsPage {
    shell: Shell,
    may_change: bool,
    may_hold_all: bool,
    wrong: String,
    typed: Typed,
    in_force: Vec<Line>,
    lifted: Vec<Line>,
}

/// What stands in the form.
#[derive(Default)]
struct Typed {
    entity: String,
    run: String,
    reason: String,
}

/// One hold.
struct Line {
    id: String,
    about: Text,
    href: Option<String>,
    plain: String,
    reason: Text,
    records: String,
    warning: Option<Text>,
    placed: Text,
    lifted: Text,
    lifted_reason: Text,
}

impl Line {
    fn of((hold, records): (&Hold, Option<u64>), links: &Links) -> Self {
        let first = hold.names.first();
        let entity = first.and_then(|name| crate::domain::entity::Entity::parse(name));
        let href = match hold.kind {
            HeldKind::Entity => entity.map(|entity| links.entity(&entity)),
            HeldKind::Run => first.map(|run| links.run(run)),
            HeldKind::Project => None,
        };
        let moment = |at_ns: u64, by: &str| Text::new(format!("{} UTC by {by}", format::moment(at_ns)));
        Self {
            id: hold.id.clone(),
            about: Text::new(shortened(&hold.about(), 80)),
            href,
            plain: crate::web::text::plain(&shortened(&hold.about(), 80)),
            reason: Text::new(hold.reason.clone()),
            records: records.map_or_else(|| "not counted".to_owned(), format::count),
            warning: holding::warning(hold, records).map(Text::new),
            placed: moment(hold.placed_ns, &hold.placed_by),
            lifted: moment(hold.at_ns, &hold.changed_by),
            lifted_reason: Text::new(hold.lifted.clone().unwrap_or_default()),
        }
    }
}

/// Answers `GET /holds`; `entity` and `run` fill the form.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["entity", "run"])?;
    let text = |name: &str| params.get(name).unwrap_or_default().to_owned();
    let typed = Typed { entity: text("entity"), run: text("run"), reason: String::new() };
    page(&state, &viewer, typed, String::new()).await
}

/// Answers `POST /holds/place`.
pub(in crate::web) async fn place(
    State(state): State<WebState>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
    let typed = Typed { entity: text("entity"), run: text("run"), reason: text("reason") };
    let matter = Matter::of(&typed.entity, &typed.run, form.get("whole_project").is_some());
    let placed = match &matter {
        Ok(matter) => holding::place(&state, &viewer, matter, &typed.reason).await,
        Err(error) => Err(error.clone()),
    };
    match placed {
        Ok(hold) => Ok(done(&state, &hold, holding::placed_sentence(&hold))),
        Err(error) => wrong(&state, &viewer, typed, error).await,
    }
}

/// Answers `POST /holds/lift`.
pub(in crate::web) async fn lift(
    State(state): State<WebState>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
    match holding::lift(&state, &viewer, &text("hold_id"), &text("reason")).await {
        Ok(hold) => Ok(done(&state, &hold, holding::lifted_sentence(&hold))),
        Err(error) => wrong(&state, &viewer, Typed::default(), error).await,
    }
}

fn done(state: &WebState, hold: &Hold, said: String) -> Response {
    let entities = if hold.kind == HeldKind::Entity { hold.names.clone() } else { Vec::new() };
    let to = Redirect::to(&state.links().to("/holds"));
    Seen { entities, ..Seen::changed(said) }.on(to.into_response())
}

/// What can be mended is said above the form, which keeps what was typed.
async fn wrong(
    state: &WebState,
    viewer: &Viewer,
    typed: Typed,
    error: WebError,
) -> Result<Response, WebError> {
    if !matches!(error, WebError::Invalid(_) | WebError::Field(..)) {
        return Err(error);
    }
    let said = format!("{}.", sentence(&error.to_string()));
    let shown = page(state, viewer, typed, said).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
}

async fn page(state: &WebState, viewer: &Viewer, typed: Typed, wrong: String) -> Result<Response, WebError> {
    let all = holding::visible(state, viewer).await?;
    let counts = holding::counts(state, viewer, &all).await?;
    let links = state.links();
    let lines = |in_force: bool| {
        let all = all.iter().zip(counts.iter().copied());
        let some = all.filter(move |(hold, _)| hold.is_in_force() == in_force);
        some.map(|counted| Line::of(counted, &links)).collect::<Vec<Line>>()
    };
    let page = HoldsPage {
        shell: Shell::of(state, viewer, "Settings"),
        may_change: viewer.may(Permission::HoldAndErase),
        may_hold_all: !viewer.scope.is_limited(),
        wrong,
        typed,
        in_force: lines(true),
        lifted: lines(false),
    };
    Ok(Seen::rows(all.len()).on(Page(page).into_response()))
}
