//! `/alerts`: the rules, what holds now, what began and ended, and a way to try the webhooks.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::alert::AlertEvent;
use crate::store::queries::{alerts, standing_alerts};
use crate::web::alerting::{Hook, Ruled, Tried};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::Text;
use crate::web::viewer::{Permission, Viewer};

/// Events on the page.
const EVENTS: u16 = 200;

/// The page.
#[derive(Template)]
#[template(path = "pages/alerts.html")]
pub(in crate::web) struct AlertsPage {
    shell: Shell,
    rules: Vec<RuleLine>,
    hooks: Vec<Hook>,
    /// Whoever may change settings may try the webhooks.
    may_try: bool,
    tried: Vec<Tried>,
    is_tried: bool,
    events: Vec<EventLine>,
}

struct RuleLine {
    name: Text,
    sentence: String,
    to: Text,
    /// Since when it holds.
    since: Option<String>,
}

struct EventLine {
    at: String,
    rule: Text,
    fired: bool,
    said: Text,
    places: Vec<(String, Text)>,
}

/// Answers `/alerts`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let standing = standing_alerts(&state.store, &viewer.scope).await?;
    let events = alerts(&state.store, &viewer.scope, 0, EVENTS).await?;
    let rows = events.len();
    let page = AlertsPage { events: lines(&state, &events), ..page(&state, &viewer, &standing) };
    Ok(Seen::rows(rows).on(Page(page).into_response()))
}

/// Answers `POST /alerts/test`: sends every webhook a message, and says what became of it. Shows no record.
pub(in crate::web) async fn test(State(state): State<WebState>, viewer: Viewer) -> Response {
    let tried = (state.alerts.test)().await;
    let sentence = format!("tried {}", format::counted(format::length(tried.len()), "webhook", "webhooks"));
    let page = AlertsPage { tried, is_tried: true, ..page(&state, &viewer, &[]) };
    Seen::changed(sentence).on(Page(page).into_response())
}

fn page(state: &WebState, viewer: &Viewer, standing: &[AlertEvent]) -> AlertsPage {
    let rule = |rule: &Ruled| RuleLine {
        name: Text::new(rule.name.clone()),
        sentence: rule.sentence.clone(),
        to: Text::new(if rule.to.is_empty() { "all".to_owned() } else { rule.to.join(", ") }),
        since: standing
            .iter()
            .find(|event| event.fired && event.rule == rule.name)
            .map(|event| format::moment(event.at_ns)),
    };
    AlertsPage {
        shell: Shell::of(state, viewer, "Alerts"),
        rules: state.alerts.rules.iter().map(rule).collect(),
        hooks: state.alerts.hooks.clone(),
        may_try: viewer.may(Permission::ManageAccess),
        tried: Vec::new(),
        is_tried: false,
        events: Vec::new(),
    }
}

fn lines(state: &WebState, events: &[AlertEvent]) -> Vec<EventLine> {
    let links = state.links();
    let place = |path: &String| {
        let shown = path.trim_start_matches('/').replacen("s/", " ", 1);
        (links.to(path), Text::new(crate::web::text::shortened(&shown, 20)))
    };
    let line = |event: &AlertEvent| EventLine {
        at: format::moment(event.at_ns),
        rule: Text::new(event.rule.clone()),
        fired: event.fired,
        said: Text::new(event.said.clone()),
        places: event.paths.iter().map(place).collect(),
    };
    events.iter().map(line).collect()
}
