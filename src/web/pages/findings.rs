//! `/findings`: what was noticed lately, by kind, agent, tool and week.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::store::queries::{FindingPage, finding_counts, findings};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::list::address::Range;
use crate::web::noticed::asked::Asked;
use crate::web::noticed::line::Line;
use crate::web::noticed::tally::{Bar, Group, Tally, groups, tallies, weeks};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::saved::{self, Listed};
use crate::web::state::WebState;
use crate::web::text::Text;
use crate::web::viewer::Viewer;

/// Lines on one page.
const LINES: u16 = 50;

/// The page.
#[derive(Template)]
#[template(path = "pages/findings.html")]
pub(in crate::web) struct FindingsPage {
    shell: Shell,
    ranges: Vec<(&'static str, &'static str, bool)>,
    /// What else is asked for, kept when another time is chosen.
    kept: Vec<(&'static str, Text)>,
    clear: String,
    groups: Vec<Group>,
    tallies: Vec<Tally>,
    bars: Vec<Bar>,
    weeks: String,
    lines: Vec<Line>,
    newest: Option<String>,
    older: Option<String>,
    views: saved::Menu,
}

/// Answers `/findings`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &[])?;
    let now_ns = format::now_ns();
    let (store, scope) = (&state.store, &viewer.scope);
    let filter = asked.filter(now_ns, true);
    let page = match asked.is_empty() {
        true => FindingPage::default(),
        false => findings(store, scope, &filter, (asked.after.as_ref(), LINES), now_ns).await?,
    };
    let by_code = finding_counts(store, scope, &asked.filter(now_ns, false), now_ns).await?;
    let counts = match filter.codes.is_empty() {
        true => by_code.clone(),
        false => finding_counts(store, scope, &filter, now_ns).await?,
    };
    let shell = Shell::of(&state, &viewer, "Findings");
    let (bars, weeks) = weeks(&counts);
    let kept = ["code", "severity", "agent", "tool", "run", "week", "from", "to"];
    let question = asked.with("", None);
    let question = question.split_once('?').map(|(_, question)| question.to_owned()).unwrap_or_default();
    let after = |place: String| format!("{}&cursor={place}", asked.with("", None));
    let page = FindingsPage {
        ranges: Range::ALL.map(|range| (range.word(), range.name(), range == asked.range)).to_vec(),
        kept: kept.iter().filter_map(|name| Some((*name, Text::new(asked.word(name)?)))).collect(),
        clear: shell.links.to("/findings"),
        groups: groups(&asked, &counts, &by_code),
        tallies: tallies(&asked, &by_code),
        bars,
        weeks,
        lines: page.findings.iter().map(|found| Line::of(found, &shell.links, now_ns)).collect(),
        newest: asked.after.is_some().then(|| asked.with("", None)),
        views: saved::menu(&state, &viewer, (Listed::Findings, &question)).await?,
        older: page.next.map(|place| after(place.to_string())),
        shell,
    };
    Ok(Page(page).into_response())
}
