//! `/cases/{case_id}`: what was intended, what was tried, what is known, and who says what happened.
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::case::CaseState;
use crate::web::case::asked::Asked;
use crate::web::case::clash::Clash;
use crate::web::case::forms::{Doing, Typed, Wrong};
use crate::web::case::head::Head;
use crate::web::case::line::saw;
use crate::web::case::matter::{Matter, matter, neighbours};
use crate::web::case::policy;
use crate::web::case::story::Story;
use crate::web::case::window::Window;
use crate::web::casework::{self, Actor, Wish};
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{plain, sentence};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/case.html")]
pub(in crate::web) struct CasePage {
    shell: Shell,
    head: Head,
    earlier: Option<String>,
    later: Option<String>,
    /// Somebody was faster.
    clash: Option<Clash>,
    /// What was just done.
    said: Option<&'static str>,
    /// Why nothing was recorded.
    problems: Vec<String>,
    window: Option<Window>,
    story: Story,
    policy: String,
    doing: Doing,
    /// The address of the case, for its forms.
    action: String,
    /// The last event that this page shows.
    saw: String,
    typed: Typed,
    /// Who writes.
    who: String,
    ownable: bool,
    mine: bool,
    /// Names that are offered.
    owners: Vec<String>,
    /// What was typed for another form, kept here when that form is gone.
    comment: String,
    reopening: bool,
}

/// What a page shows beside its case.
#[derive(Debug, Default)]
pub(in crate::web) struct Around {
    /// What was typed, and what is wrong with it.
    pub(in crate::web) typed: (Typed, Vec<Wrong>),
    /// Somebody was faster.
    pub(in crate::web) clash: Option<Clash>,
    /// What was just done.
    pub(in crate::web) said: Option<&'static str>,
    /// Why nothing was recorded.
    pub(in crate::web) problems: Vec<String>,
    /// The cases before and after it in the queue.
    pub(in crate::web) neighbours: (Option<String>, Option<String>),
    /// Names that are offered.
    pub(in crate::web) owners: Vec<String>,
}

/// Answers `/cases/{case_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["as", "done"])?;
    let now_ns = format::now_ns();
    let matter = matter(&state, &viewer, &case_id, now_ns).await?;
    let chosen = params.get("as").unwrap_or_default().to_owned();
    let around = Around {
        typed: (Typed { outcome: chosen, ..Typed::default() }, Vec::new()),
        said: params.get("done").and_then(|word| said(word, matter.case.state)),
        ..Around::default()
    };
    shown(&state, &viewer, (matter, around), (StatusCode::OK, now_ns)).await
}

/// What is said after something was done.
fn said(word: &str, state: CaseState) -> Option<&'static str> {
    match (word, state) {
        ("claim", _) => Some("It is yours now."),
        ("hand_over", _) => Some("Handed over."),
        ("comment", _) => Some("Added to the record."),
        ("resolution", CaseState::Pending) => Some("Recorded. It counts once a second person agrees."),
        ("resolution", CaseState::Resolved) => Some("Recorded. The run and the key say so from now on."),
        ("resolution", _) => Some("Added to the record. It is back in the queue."),
        ("agree", _) => Some("Recorded. It counts from now on."),
        ("reopen", _) => Some("It is open again."),
        _ => None,
    }
}

/// The page of a case with what is around it.
async fn shown(
    state: &WebState,
    viewer: &Viewer,
    (matter, mut around): (Matter, Around),
    (status, now_ns): (StatusCode, u64),
) -> Result<Response, WebError> {
    let queue = neighbours(state, viewer, &matter.case, now_ns).await?;
    (around.neighbours, around.owners) = (queue.neighbours, queue.owners);
    let shell = Shell::of(state, viewer, "Unknowns");
    let page = CasePage::of(&matter, around, (shell, now_ns));
    Ok((status, Page(page)).into_response())
}

impl CasePage {
    /// The page.
    pub(in crate::web) fn of(matter: &Matter, around: Around, (shell, now_ns): (Shell, u64)) -> Self {
        let Matter { case, events, policy: tool, .. } = matter;
        let links = shell.links.clone();
        let uses = matter.uses();
        let is_open = case.state.is_open();
        let ends_ns = tool.key_ends_ns(case.key_expires_ns, case.started_ns);
        let window = Window::of(case.key.is_some(), case.started_ns, ends_ns, now_ns);
        let pending = crate::domain::case::pending(events);
        let pending = pending.map(|(event, resolution)| (event.by.as_str(), resolution.outcome));
        let typed = around.typed.0.clone();
        let lost = around.clash.is_some() && !is_open;
        Self {
            head: Head::of(case, tool, (&links, now_ns)),
            earlier: around.neighbours.0,
            later: around.neighbours.1,
            said: around.said,
            problems: around.problems,
            window: is_open.then_some(window),
            story: Story::of(case, events, &uses, (&links, now_ns)),
            policy: policy::words(tool, case.value.as_deref()).long.to_owned(),
            doing: Doing::of(case, tool, pending, around.typed, (&shell.who, now_ns)),
            action: links.case(&case.case_id),
            saw: saw(case),
            comment: if lost { typed.kept() } else { String::new() },
            reopening: case.state == CaseState::Resolved && !lost,
            clash: around.clash,
            typed,
            who: plain(&shell.who),
            ownable: is_open,
            mine: case.owner.as_deref() == Some(shell.who.as_str()),
            owners: around.owners,
            shell,
        }
    }
}

/// Answers `POST /cases/{case_id}/claim`.
pub(in crate::web) async fn claim(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |_| Ok(Wish::Claim)).await
}

/// Answers `POST /cases/{case_id}/hand-over`.
pub(in crate::web) async fn hand_over(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |typed| {
        let to = Some(typed.to.clone()).filter(|to| !to.is_empty());
        Ok(Wish::HandOver { to, note: typed.note.clone() })
    })
    .await
}

/// Answers `POST /cases/{case_id}/comment`.
pub(in crate::web) async fn comment(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |typed| {
        match typed.lacks("note", "A comment must say something.") {
            Some(wrong) => Err(vec![wrong]),
            None => Ok(Wish::Comment(typed.note.clone())),
        }
    })
    .await
}

/// Answers `POST /cases/{case_id}/resolution`.
pub(in crate::web) async fn resolve(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |typed| {
        let (evidence, note) = (typed.evidence.clone(), typed.note.clone());
        Ok(Wish::Resolve { outcome: typed.resolution()?, evidence, note })
    })
    .await
}

/// Answers `POST /cases/{case_id}/agree`.
pub(in crate::web) async fn agree(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |typed| Ok(Wish::Agree { note: typed.note.clone() })).await
}

/// Answers `POST /cases/{case_id}/reopen`.
pub(in crate::web) async fn reopen(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    sent(&state, &viewer, (&case_id, &form), |typed| {
        match typed.lacks("note", "Say why it is opened again.") {
            Some(wrong) => Err(vec![wrong]),
            None => Ok(Wish::Reopen(typed.note.clone())),
        }
    })
    .await
}

/// Does what a form asks, then leads to the page that shows it; else the page again, with what was typed.
async fn sent(
    state: &WebState,
    viewer: &Viewer,
    (case_id, form): (&str, &Params),
    wish: impl Fn(&Typed) -> Result<Wish, Vec<Wrong>> + Send,
) -> Result<Response, WebError> {
    form.only(&["saw", "back", "by", "to", "outcome", "evidence", "note"])?;
    let typed = Typed::read(form);
    let (error, wrong) = match wish(&typed) {
        Err(wrong) => (None, wrong),
        Ok(wish) => {
            // What somebody says changes nothing: it needs no look at what was said since.
            let saw = Some(typed.saw.as_str()).filter(|_| !matches!(wish, Wish::Comment(_)));
            let actor = Actor::of(viewer, Some(typed.by.as_str()), false);
            let done = match &actor {
                Ok(actor) => {
                    casework::act(state, &viewer.scope, case_id, (actor, &wish), saw).await.map(drop)
                }
                Err(error) => Err(error.clone()),
            };
            match done {
                Ok(()) => {
                    state.open.forget(&viewer.scope.project);
                    return Ok(Redirect::to(&after(state, case_id, (form, &wish))).into_response());
                }
                Err(error) => (Some(error), Vec::new()),
            }
        }
    };
    let status = match &error {
        None | Some(WebError::Field(..)) => StatusCode::UNPROCESSABLE_ENTITY,
        Some(error @ (WebError::Conflict(_) | WebError::PeopleOnly | WebError::SecondPerson)) => {
            error.status()
        }
        Some(error) => return Err(error.clone()),
    };
    let now_ns = format::now_ns();
    let matter = matter(state, viewer, case_id, now_ns).await?;
    let mut around =
        Around { problems: wrong.iter().map(|(_, says)| (*says).to_owned()).collect(), ..Around::default() };
    match error {
        Some(WebError::Conflict(conflict)) => {
            around.clash = Some(
                Clash::of(&matter.events, typed.seen().as_deref(), now_ns)
                    .unwrap_or_else(|| Clash::other(&conflict.said)),
            );
        }
        Some(error) => around.problems.push(format!("{}.", sentence(&error.to_string()))),
        None => {}
    }
    around.typed = (typed, wrong);
    shown(state, viewer, (matter, around), (status, now_ns)).await
}

/// Where a form leads when it was done: to the case, or back to the queue it was in.
fn after(state: &WebState, case_id: &str, (form, wish): (&Params, &Wish)) -> String {
    let word = match wish {
        Wish::Claim => "claim",
        Wish::HandOver { .. } => "hand_over",
        Wish::Comment(_) => "comment",
        Wish::Resolve { .. } => "resolution",
        Wish::Agree { .. } => "agree",
        Wish::Reopen(_) => "reopen",
    };
    let links = state.links();
    let back = form.pairs().find(|(name, _)| *name == "back").map(|(_, value)| value);
    let asked = back.and_then(|query| {
        let query = query.strip_prefix('?').unwrap_or(query);
        Asked::read(&Params::read(query), &[]).ok()
    });
    match asked {
        Some(asked) => {
            let query = asked.query();
            let sign = if query.is_empty() { "?" } else { "&" };
            links.to(&format!("/unknowns{query}{sign}done={word}"))
        }
        None => format!("{}?done={word}", links.case(case_id)),
    }
}
