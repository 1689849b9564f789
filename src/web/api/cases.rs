//! `GET /cases`, `GET /cases/{id}`: the unknown queue, for people and for reconciler jobs.
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::case::{CaseEvent, CaseState};
use crate::domain::scope::Scope;
use crate::store::queries::{CASES_MAX, CaseCursor, CaseFilter, CaseOrder, case_events, cases};
use crate::web::api::answer::Answer;
use crate::web::api::case::{Case, Event};
use crate::web::casework;
use crate::web::entity::names::hidden_too;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format;
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Cases in an answer when nobody says how many.
const LIMIT: u16 = 50;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CaseList")]
pub(in crate::web) struct List {
    cases: Vec<Case>,
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WholeCase")]
pub(in crate::web) struct Whole {
    #[serde(flatten)]
    case: Case,
    events: Vec<Event>,
}

/// Answers `GET /api/v1/cases`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[
        "state",
        "tool",
        "owner",
        "account",
        "entity",
        "key",
        "run",
        "older_than",
        "sort",
        "limit",
        "cursor",
        "format",
    ])?;
    let format = Format::read(params.get("format"))?;
    let now_ns = format::now_ns();
    let filter = hidden_too(&state, &viewer.scope, filter(&params, now_ns)?).await?;
    let order = match params.get("sort") {
        None => CaseOrder::default(),
        Some(word) => CaseOrder::from_word(word)
            .ok_or_else(|| WebError::Field("sort", "takes urgency, age, value or changed".to_owned()))?,
    };
    let limit = params.number("limit", (1, CASES_MAX))?.unwrap_or(LIMIT);
    let wrong = || WebError::Field("cursor", "is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| CaseCursor::parse(text).ok_or_else(wrong)).transpose()?;
    let asked = (viewer.scope, Arc::new(filter), order);
    if let Some(format) = format {
        let more = move |after| part(state.clone(), asked.clone(), (after, CASES_MAX), now_ns);
        return listed(("cases", format), after, more).await;
    }
    let (cases, next) = part(state, asked, (after, limit), now_ns).await?;
    Ok(Answer(List { cases, next: next.map(|cursor| cursor.to_string()) }).into_response())
}

async fn part(
    state: WebState,
    (scope, filter, order): (Scope, Arc<CaseFilter>, CaseOrder),
    (after, limit): (Option<CaseCursor>, u16),
    now_ns: u64,
) -> Result<Part<Case, CaseCursor>, WebError> {
    let page = cases(&state.store, &scope, (&filter, order), (after.as_ref(), limit), now_ns).await?;
    let with_events = page.cases.iter().filter(|case| case.event_count > 0);
    let ids: Vec<String> = with_events.map(|case| case.case_id.clone()).collect();
    let events = case_events(&state.store, &scope, &ids).await?;
    let cases = page
        .cases
        .into_iter()
        .map(|case| {
            let mine: Vec<CaseEvent> =
                events.iter().filter(|event| event.case_id == case.case_id).cloned().collect();
            let policy = state.settings.tools.policy(&case.tool);
            Case::of(case, &mine, &policy, now_ns)
        })
        .collect();
    Ok((cases, page.next))
}

fn filter(params: &Params, now_ns: u64) -> Result<CaseFilter, WebError> {
    let states = match params.get("state").unwrap_or("open") {
        "open" => vec![CaseState::Open, CaseState::Pending],
        "pending" => vec![CaseState::Pending],
        "resolved" => vec![CaseState::Resolved],
        "waiting" => vec![CaseState::Waiting],
        "all" => CaseState::ALL.to_vec(),
        _ => {
            let said = "takes open, pending, resolved, waiting or all".to_owned();
            return Err(WebError::Field("state", said));
        }
    };
    let text = |name: &str| params.get(name).map(str::to_owned);
    let owner = text("owner");
    let entity = text("account").map(|account| format!("account:{account}")).or_else(|| text("entity"));
    Ok(CaseFilter {
        states,
        tool: text("tool"),
        unowned: owner.as_deref() == Some("none"),
        owner: owner.filter(|owner| owner != "none"),
        entities: entity.into_iter().collect(),
        keys: text("key").into_iter().collect(),
        run_ids: text("run").into_iter().collect(),
        opened_before_ns: params.before("older_than", now_ns)?,
        settled_from_ns: None,
        case_ids: Vec::new(),
    })
}

/// Answers `GET /api/v1/cases/{case_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(case_id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let (case, events) = casework::look(&state, &viewer.scope, &case_id).await?;
    Ok(whole(&state, case, &events).into_response())
}

/// A case with everything appended to it.
pub(in crate::web) fn whole(
    state: &WebState,
    case: crate::domain::case::Case,
    events: &[CaseEvent],
) -> Answer<impl Serialize + use<>> {
    let policy = state.settings.tools.policy(&case.tool);
    let case = Case::of(case, events, &policy, format::now_ns());
    Answer(Whole { case, events: events.iter().map(Event::from).collect() })
}
