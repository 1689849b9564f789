//! `GET /activity`: who looked at what and who changed what; `GET /lifecycle`: what happened to the system.
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::lifecycle::LifecycleKind;
use crate::domain::scope::Scope;
use crate::store::queries::{ActivityFilter, ActivityPlace, activity, lifecycle};
use crate::web::api::answer::Answer;
use crate::web::entity::names::spelt;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format::rfc3339;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Entries of one page, at most.
const LIMIT_MAX: u16 = 500;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ActivityList")]
pub(in crate::web) struct List {
    activity: Vec<Entry>,
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ActivityEntry")]
struct Entry {
    at: String,
    id: String,
    project: String,
    who: String,
    address: String,
    kind: &'static str,
    what: String,
    query: String,
    run_id: Option<String>,
    entities: Vec<String>,
    status: u16,
    rows: Option<u64>,
}

/// Reads the filter that the page and the API share.
pub(in crate::web) async fn filter(
    state: &WebState,
    viewer: &Viewer,
    params: &Params,
) -> Result<ActivityFilter, WebError> {
    let kind = params.get("kind").map(|word| {
        let words: Vec<&str> = ActivityKind::ALL.iter().map(|kind| kind.word()).collect();
        let wrong = || WebError::Invalid(format!("`kind` is one of {}", words.join(", ")));
        ActivityKind::from_word(word).ok_or_else(wrong)
    });
    let text = |name: &str| params.get(name).unwrap_or_default().trim().to_owned();
    let entities = match text("entity") {
        entity if entity.is_empty() => Vec::new(),
        entity => {
            viewer.may_ask(&entity)?;
            spelt(state, &viewer.scope, &entity).await?
        }
    };
    Ok(ActivityFilter {
        who: text("who"),
        kind: kind.transpose()?,
        entities,
        run_id: text("run"),
        from_ns: params.moment("from")?,
        to_ns: params.moment("to")?,
    })
}

/// The parameters of [`filter`].
pub(in crate::web) const FILTER: [&str; 6] = ["who", "kind", "entity", "run", "from", "to"];

/// Answers `GET /api/v1/activity`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[&FILTER[..], &["limit", "cursor", "format"]].concat())?;
    let format = Format::read(params.get("format"))?;
    let limit = params.number("limit", (1, LIMIT_MAX))?.unwrap_or(100);
    let after = params.get("cursor").map(place).transpose()?;
    let filter = Arc::new(filter(&state, &viewer, &params).await?);
    let scope = viewer.scope;
    if let Some(format) = format {
        let more = move |after| part(state.clone(), (scope.clone(), filter.clone()), (after, LIMIT_MAX));
        return listed(("activity", format), after, more).await;
    }
    let (activity, next) = part(state, (scope, filter), (after, limit)).await?;
    let rows = activity.len();
    let next = next.map(|place| cursor(&place));
    Ok(Seen::rows(rows).on(Answer(List { activity, next }).into_response()))
}

async fn part(
    state: WebState,
    (scope, filter): (Scope, Arc<ActivityFilter>),
    (after, limit): (Option<ActivityPlace>, u16),
) -> Result<Part<Entry, ActivityPlace>, WebError> {
    let found = activity(&state.store, &scope, &filter, (&after.unwrap_or_default(), limit)).await?;
    let is_full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| is_full).map(after_it);
    Ok((found.into_iter().map(Entry::from).collect(), next))
}

/// Where the list goes on after an entry.
pub(in crate::web) fn after_it(last: &Activity) -> ActivityPlace {
    ActivityPlace { at_ns: last.at_ns, id: last.id.clone() }
}

/// A place in the list, as an address writes it.
pub(in crate::web) fn cursor(last: &ActivityPlace) -> String {
    format!("{}-{}", last.at_ns, last.id)
}

/// Reads what [`cursor`] wrote.
pub(in crate::web) fn place(text: &str) -> Result<ActivityPlace, WebError> {
    let read = || {
        let (at_ns, id) = text.split_once('-')?;
        Some(ActivityPlace { at_ns: at_ns.parse().ok()?, id: id.to_owned() })
    };
    read().ok_or_else(|| {
        WebError::Invalid("`cursor` is not one that an earlier answer gave as `next`".to_owned())
    })
}

impl From<Activity> for Entry {
    fn from(entry: Activity) -> Self {
        Self {
            at: rfc3339(entry.at_ns),
            id: entry.id,
            project: entry.project.0,
            who: entry.who,
            address: entry.address,
            kind: entry.kind.word(),
            what: entry.what,
            query: entry.query,
            run_id: Some(entry.run_id).filter(|id| !id.is_empty()),
            entities: entry.entities,
            status: entry.status,
            rows: entry.rows,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Events {
    lifecycle: Vec<Event>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LifecycleEvent")]
struct Event {
    at: String,
    kind: &'static str,
    detail: std::collections::BTreeMap<String, String>,
}

/// Answers `GET /api/v1/lifecycle`.
pub(in crate::web) async fn events(
    State(state): State<WebState>,
    _viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["kind", "limit"])?;
    let limit = params.number("limit", (1, 500))?.unwrap_or(100);
    let kind = params.get("kind").map(|word| {
        let words: Vec<&str> = LifecycleKind::ALL.iter().map(|kind| kind.word()).collect();
        let wrong = || WebError::Invalid(format!("`kind` is one of {}", words.join(", ")));
        LifecycleKind::from_word(word).ok_or_else(wrong)
    });
    let found = lifecycle(&state.store, kind.transpose()?, limit).await?;
    let rows = found.len();
    let events = found.into_iter().map(|event| Event {
        at: rfc3339(event.at_ns),
        kind: event.kind.word(),
        detail: event.detail.into_iter().collect(),
    });
    Ok(Seen::rows(rows).on(Answer(Events { lifecycle: events.collect() }).into_response()))
}
