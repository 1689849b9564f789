//! `/activity`: who looked at what and who changed what, and what happened to the system itself.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::store::queries::{activity, lifecycle};
use crate::web::api::activity::{FILTER, after_it, cursor, filter, place};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::encoded;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, shortened};
use crate::web::viewer::Viewer;

/// Entries on the page, and events below them.
const ENTRIES: u16 = 100;
const EVENTS: u16 = 50;

/// The page.
#[derive(Template)]
#[template(path = "pages/activity.html")]
pub(in crate::web) struct ActivityPage {
    shell: Shell,
    who: String,
    entity: String,
    run: String,
    kinds: Vec<(&'static str, &'static str, bool)>,
    is_filtered: bool,
    lines: Vec<Line>,
    older: Option<String>,
    events: Vec<(String, &'static str, Text)>,
}

struct Line {
    at: String,
    who: Text,
    who_href: String,
    address: Text,
    kind: &'static str,
    word: &'static str,
    what: Text,
    run: Option<(String, Text)>,
    entities: Vec<(String, Text)>,
    answer: String,
}

/// Answers `/activity`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[&FILTER[..], &["cursor"]].concat())?;
    let asked = filter(&state, &viewer, &params).await?;
    let after = params.get("cursor").map(place).transpose()?.unwrap_or_default();
    let found = activity(&state.store, &viewer.scope, &asked, (&after, ENTRIES)).await?;
    let events =
        if viewer.scope.is_limited() { Vec::new() } else { lifecycle(&state.store, None, EVENTS).await? };
    let links = state.links();
    let is_full = found.len() == usize::from(ENTRIES);
    let more = found.last().filter(|_| is_full).map(|last| cursor(&after_it(last)));
    let older = more.map(|cursor| {
        let before = params.without("cursor").query();
        let joined = if before.is_empty() { "?" } else { "&" };
        links.to(&format!("/activity{before}{joined}cursor={}", encoded(&cursor)))
    });
    let page = ActivityPage {
        shell: Shell::of(&state, &viewer, "Activity"),
        kinds: ActivityKind::ALL
            .iter()
            .map(|kind| (kind.word(), word(*kind), asked.kind == Some(*kind)))
            .collect(),
        is_filtered: FILTER.iter().any(|name| params.get(name).is_some()),
        who: asked.who,
        entity: params.get("entity").unwrap_or_default().trim().to_owned(),
        run: asked.run_id,
        lines: found.iter().map(|entry| line(entry, &links)).collect(),
        older,
        events: events.iter().map(event).collect(),
    };
    Ok(Seen::rows(found.len()).on(Page(page).into_response()))
}

fn line(entry: &Activity, links: &crate::web::link::Links) -> Line {
    let asked = if entry.query.is_empty() { String::new() } else { format!("?{}", entry.query) };
    let with = |name: &str, value: &str| links.to(&format!("/activity?{name}={}", encoded(value)));
    let rows = entry.rows.map(|rows| format!("{}, ", format::counted(rows, "row", "rows")));
    Line {
        at: format::moment(entry.at_ns),
        who: Text::new(shortened(&entry.who, 80)),
        who_href: with("who", &entry.who),
        address: Text::new(entry.address.clone()),
        kind: entry.kind.word(),
        word: word(entry.kind),
        what: Text::new(shortened(&format!("{}{asked}", entry.what), 300)),
        run: (!entry.run_id.is_empty())
            .then(|| (links.run(&entry.run_id), Text::new(shortened(&entry.run_id, 60)))),
        entities: entry
            .entities
            .iter()
            .take(5)
            .map(|entity| (with("entity", entity), Text::new(shortened(entity, 60))))
            .collect(),
        answer: format!("{}{}", rows.unwrap_or_default(), answer(entry.status)),
    }
}

fn word(kind: ActivityKind) -> &'static str {
    match kind {
        ActivityKind::Looked => "Looked",
        ActivityKind::Searched => "Searched",
        ActivityKind::Exported => "Exported",
        ActivityKind::Settled => "Settled",
        ActivityKind::Changed => "Changed",
        ActivityKind::Revealed => "Brought back",
        ActivityKind::SignedIn => "Signed in",
        ActivityKind::SignedOut => "Signed out",
        ActivityKind::Refused => "Not let in",
    }
}

fn answer(status: u16) -> &'static str {
    match status {
        200..=399 => "answered",
        401 => "not recognised",
        403 => "not allowed",
        404 => "not there for them",
        409 => "too late",
        _ => "refused",
    }
}

fn event(event: &LifecycleEvent) -> (String, &'static str, Text) {
    let what = match event.kind {
        LifecycleKind::Started => "Started",
        LifecycleKind::Stopped => "Stopped",
        LifecycleKind::KeysMade => "Key file made",
        LifecycleKind::RulesChanged => "Rules changed",
        LifecycleKind::RulesRefused => "A change of rules refused",
        LifecycleKind::SettingsChanged => "Settings changed",
        LifecycleKind::KeysRotated => "Keys rotated",
        LifecycleKind::Revealed => "An encrypted value shown",
        LifecycleKind::Expired => "Records expired",
        LifecycleKind::Gap => "Gap",
        LifecycleKind::Refusing => "Refused what came in",
        LifecycleKind::Taking => "Took what came in again",
        LifecycleKind::Behind => "Fell behind",
        LifecycleKind::CaughtUp => "Caught up",
        LifecycleKind::StoreLost => "Lost the store",
        LifecycleKind::StoreBack => "Store answered again",
        LifecycleKind::Rebuilt => "Lists made again",
        LifecycleKind::HoldPlaced => "Legal hold placed",
        LifecycleKind::HoldLifted => "Legal hold lifted",
        LifecycleKind::Erased => "Contents erased",
    };
    let detail: Vec<String> = event.detail.iter().map(|(name, value)| format!("{name} {value}")).collect();
    (format::moment(event.at_ns), what, Text::new(shortened(&detail.join(", "), 300)))
}
