//! `/unknowns/resolve`: says what happened to many cases at once, after showing which.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use sha2::{Digest, Sha256};

use crate::domain::case::{Case, CaseState};
use crate::store::queries::{CaseFilter, cases};
use crate::web::case::asked::Asked;
use crate::web::case::forms::{Settle, Typed, Wrong};
use crate::web::case::line::{Line, what};
use crate::web::casework::{self, Actor, Wish};
use crate::web::entity::names::hidden_too;
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{Text, plain};
use crate::web::viewer::Viewer;

/// The most cases of one form.
const CASES_MAX: u16 = 100;
/// Fields beside those that choose the cases.
const FIELDS: [&str; 7] = ["seen", "sure", "by", "outcome", "evidence", "note", "saw"];

/// The page.
#[derive(Template)]
#[template(path = "pages/resolve_all.html")]
pub(in crate::web) struct ResolveAllPage {
    shell: Shell,
    heading: String,
    /// Where it leads back to.
    queue: String,
    action: String,
    /// The question, for the form.
    hidden: Vec<(&'static str, String)>,
    lines: Vec<Line>,
    /// More match than one form takes.
    more: bool,
    settle: Settle,
    /// A mark of exactly these cases as they stand.
    seen: String,
    who: String,
    /// Said on top, when nothing was recorded.
    notice: Option<String>,
    /// How many were recorded, when some were not.
    recorded: Option<String>,
    /// Those that were not, each with why.
    refused: Vec<(Text, String, String)>,
}

/// What the store gave.
struct Found {
    asked: Asked,
    cases: Vec<Case>,
    more: bool,
}

/// Answers `GET /unknowns/resolve`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &[])?;
    let now_ns = format::now_ns();
    let found = found(&state, &viewer, asked, now_ns).await?;
    let shell = Shell::of(&state, &viewer, "Unknowns");
    let said = Said::default();
    Ok(Page(ResolveAllPage::of(&state, found, said, (shell, now_ns))).into_response())
}

/// Answers `POST /unknowns/resolve`.
pub(in crate::web) async fn resolve(
    State(state): State<WebState>,
    viewer: Viewer,
    Form(form): Form,
) -> Result<Response, WebError> {
    let asked = Asked::read(&form, &FIELDS)?;
    let now_ns = format::now_ns();
    let found = found(&state, &viewer, asked, now_ns).await?;
    let typed = Typed::read(&form);
    let again = |found: Found, status, wrong: Vec<Wrong>, notice: Option<String>| {
        let shell = Shell::of(&state, &viewer, "Unknowns");
        let said = Said { typed: (typed.clone(), wrong), notice, ..Said::default() };
        Ok((status, Page(ResolveAllPage::of(&state, found, said, (shell, now_ns)))).into_response())
    };
    if form.get("seen") != Some(mark(&found.cases).as_str()) {
        let notice =
            "These cases have changed since you looked: nothing was recorded. Below is how they are now.";
        return again(found, StatusCode::CONFLICT, Vec::new(), Some(notice.to_owned()));
    }
    let outcome = match typed.resolution() {
        Ok(outcome) if form.get("sure") == Some("yes") => outcome,
        Ok(_) => {
            return again(
                found,
                StatusCode::UNPROCESSABLE_ENTITY,
                vec![("sure", "Say that you mean all of them.")],
                None,
            );
        }
        Err(wrong) => return again(found, StatusCode::UNPROCESSABLE_ENTITY, wrong, None),
    };
    let actor = Actor::of(&viewer, Some(typed.by.as_str()), false)?;
    let (evidence, note) = (typed.evidence.clone(), typed.note.clone());
    let ids: Vec<String> = found.cases.iter().map(|case| case.case_id.clone()).collect();
    let wish = Wish::Resolve { outcome, evidence, note };
    let results = casework::act_on_all(&state, &viewer.scope, &ids, (&actor, &wish)).await?;
    state.open.forget(&viewer.scope.project);
    let refused: Vec<(String, WebError)> =
        results.into_iter().filter_map(|(id, error)| Some((id, error?))).collect();
    if refused.is_empty() {
        let query = found.asked.query();
        let sign = if query.is_empty() { "?" } else { "&" };
        return Ok(
            Redirect::to(&state.links().to(&format!("/unknowns{query}{sign}done=bulk"))).into_response()
        );
    }
    let said = Said { recorded: Some(ids.len() - refused.len()), refused, ..Said::default() };
    let shell = Shell::of(&state, &viewer, "Unknowns");
    Ok((StatusCode::CONFLICT, Page(ResolveAllPage::of(&state, found, said, (shell, now_ns)))).into_response())
}

async fn found(state: &WebState, viewer: &Viewer, asked: Asked, now_ns: u64) -> Result<Found, WebError> {
    // What waits for a second person is not to be closed by a third.
    let filter = CaseFilter { states: vec![CaseState::Open], ..asked.filter(now_ns) };
    let filter = hidden_too(state, &viewer.scope, filter).await?;
    let place = (None, CASES_MAX);
    let page = cases(&state.store, &viewer.scope, (&filter, asked.order()), place, now_ns).await?;
    Ok(Found { asked, more: page.next.is_some(), cases: page.cases })
}

/// A mark of exactly these cases as they stand.
fn mark(cases: &[Case]) -> String {
    let mut lines: Vec<String> = cases
        .iter()
        .map(|case| format!("{} {}\n", case.case_id, case.last_event_id.as_deref().unwrap_or_default()))
        .collect();
    lines.sort_unstable();
    Sha256::digest(lines.concat().as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// What is said beside the cases.
#[derive(Debug, Default)]
struct Said {
    typed: (Typed, Vec<Wrong>),
    notice: Option<String>,
    recorded: Option<usize>,
    refused: Vec<(String, WebError)>,
}

impl ResolveAllPage {
    fn of(state: &WebState, found: Found, said: Said, (shell, now_ns): (Shell, u64)) -> Self {
        let links = shell.links.clone();
        let count = format::counted(format::length(found.cases.len()), "case", "cases");
        let name =
            |id: &str| found.cases.iter().find(|case| case.case_id == id).map(what).unwrap_or_default();
        Self {
            heading: match said.recorded {
                Some(_) => "Some were not recorded".to_owned(),
                None => format!("Settle {count} at once"),
            },
            queue: found.asked.href(&links),
            action: links.to("/unknowns/resolve"),
            hidden: found.asked.pairs(),
            lines: found
                .cases
                .iter()
                .map(|case| Line::of(case, &state.settings.tools.policy(&case.tool), &links, now_ns))
                .collect(),
            more: found.more,
            seen: mark(&found.cases),
            who: plain(&shell.who),
            notice: said.notice,
            recorded: said.recorded.map(|recorded| {
                format!("{} recorded.", format::counted(format::length(recorded), "case", "cases"))
            }),
            refused: said
                .refused
                .iter()
                .map(|(id, error)| (Text::new(name(id)), links.case(id), format!("{error}.")))
                .collect(),
            settle: Settle::of_many(said.typed),
            shell,
        }
    }
}
