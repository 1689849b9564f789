//! `/overview`: how acts, retries, models, tokens and lengths went over time; each number leads to its runs.
use askama::Template;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};

use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::{Links, encoded};
use crate::web::list::address::{Address, Range};
use crate::web::list::asked::Unread;
use crate::web::list::facets::{Group, OF_RUNS, groups};
use crate::web::overview::asked::{ALL_TIME, Asked};
use crate::web::overview::bins::width;
use crate::web::overview::chart::{BIN_WIDE, Chart, share};
use crate::web::overview::figures::Figures;
use crate::web::overview::gather::gather;
use crate::web::overview::leads::{Leads, more_than_none};
use crate::web::overview::{by_name, over_time};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError, Test};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{cut, plain};
use crate::web::viewer::Viewer;

/// Facets that choose what the figures are about.
const FACETS: [&str; 5] = ["Agent", "Tool", "Model", "Service", "Environment"];

/// The page.
#[derive(Template)]
#[template(path = "pages/overview.html")]
pub(in crate::web) struct OverviewPage {
    shell: Shell,
    q: String,
    ranges: Vec<(&'static str, &'static str, bool)>,
    hidden: Vec<(&'static str, String)>,
    clear: String,
    any_time: Option<String>,
    fields: Vec<&'static str>,
    body: Body,
}

/// What stands below the filter.
enum Body {
    /// The filter can't be read: the word, what is wrong with it, and the nearest that can be read.
    Unreadable(String, String, Option<(String, String)>),
    /// No run of this time fits; whether anything was chosen.
    Nothing(bool),
    /// Charts.
    Charts(Box<Shown>),
}

/// The charts and what is around them.
struct Shown {
    groups: Vec<Group>,
    /// Which time, and how it is cut.
    span: String,
    tallies: Vec<Tally>,
    /// What is missing in the figures, and why.
    remarks: Vec<String>,
    /// How wide bars are drawn.
    wide: u64,
    charts: Vec<Placed>,
}

/// A chart in its place.
struct Placed {
    chart: Chart,
    csv: String,
    /// Over both columns: a table, and of the others the last one where it would stand beside nothing.
    is_wide: bool,
}

/// A number of the head: the number, what it counts, its glyph, and its runs.
struct Tally {
    number: String,
    name: &'static str,
    state: &'static str,
    href: String,
}

/// Answers `/overview`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let now_ns = format::now_ns();
    let links = state.links();
    let address = Address { runs: links.to("/overview"), ..Address::new(&links, &params) };
    let (q, body) = match Asked::read(&params, &["more", "format", "chart"], now_ns) {
        Ok(asked) => {
            let (figures, counts) = gather(&state, &viewer.scope, &asked, now_ns).await?;
            let leads = Leads::new(&links, &asked, figures.stretch);
            if let Some(answer) = csv(&params, &figures, &leads, now_ns)? {
                return Ok(answer);
            }
            let body = match counts.all.runs == 0 && figures.unknowns.is_empty() {
                true => Body::Nothing(!asked.by_default || !asked.query.terms.is_empty()),
                false => {
                    let mut groups = groups(&OF_RUNS, &counts, &asked.query, &address);
                    groups.retain(|group| FACETS.contains(&group.name));
                    let csv = |chart: &Chart| csv_address(&links, &params, chart.key);
                    Body::Charts(Box::new(Shown::of((&asked, &figures, &leads), groups, csv, now_ns)))
                }
            };
            (asked.query.to_string(), body)
        }
        Err(Unread::Filter(error)) => {
            (params.get("q").unwrap_or_default().to_owned(), unreadable(error, &address))
        }
        Err(Unread::Parameter(error)) => return Err(error),
    };
    Ok(Page(OverviewPage::of(Shell::of(&state, &viewer, "Overview"), &q, &address, body)).into_response())
}

fn unreadable(error: QueryError, address: &Address) -> Body {
    let near = error.near.map(|(say, whole)| (plain(&say), address.with_text(&whole)));
    Body::Unreadable(plain(cut(&error.typed, 200)), error.wrong, near)
}

/// Every chart, in the order of the page.
fn charts(figures: &Figures, leads: &Leads, now_ns: u64) -> Vec<Chart> {
    vec![
        over_time::acts(figures, leads),
        by_name::unknowns(figures, leads, now_ns),
        over_time::retries(figures, leads),
        by_name::retries(figures, leads),
        over_time::throttled(figures, leads),
        over_time::models(figures, leads),
        over_time::tokens(figures, leads),
        over_time::cost(figures, leads),
        by_name::models(figures, leads),
        by_name::parameters(figures, leads),
        over_time::latency(figures, leads),
        by_name::tool_latency(figures, leads),
        by_name::model_latency(figures, leads),
    ]
}

fn csv_address(links: &Links, params: &Params, key: &str) -> String {
    let rest = params.without("format").without("chart").without("more").query();
    let rest = rest.strip_prefix('?').map(|rest| format!("&{rest}")).unwrap_or_default();
    format!("{}?format=csv&chart={}{rest}", links.to("/overview"), encoded(key))
}

/// The chart that was asked for as CSV.
fn csv(params: &Params, figures: &Figures, leads: &Leads, now_ns: u64) -> Result<Option<Response>, WebError> {
    let wanted = params.get("chart");
    match params.get("format") {
        None if wanted.is_none() => return Ok(None),
        Some("csv") => {}
        _ => return Err(WebError::Invalid("`format` is csv, with `chart` beside it".to_owned())),
    }
    let all = charts(figures, leads, now_ns);
    let Some(chart) = all.iter().find(|chart| Some(chart.key) == wanted) else {
        let keys: Vec<&str> = all.iter().map(|chart| chart.key).collect();
        return Err(WebError::Invalid(format!("`chart` is one of {}", keys.join(", "))));
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{}.csv\"", chart.key)) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    let answer = (headers, chart.csv()).into_response();
    Ok(Some(Seen::rows(chart.table.lines.len()).on(answer)))
}

impl Shown {
    fn of(
        (asked, figures, leads): (&Asked, &Figures, &Leads),
        groups: Vec<Group>,
        csv: impl Fn(&Chart) -> String,
        now_ns: u64,
    ) -> Self {
        let charts = charts(figures, leads, now_ns).into_iter();
        let placed = |chart: Chart| Placed { csv: csv(&chart), is_wide: chart.rows.is_empty(), chart };
        let mut charts: Vec<Placed> = charts.map(placed).collect();
        if charts.iter().filter(|placed| !placed.is_wide).count() % 2 == 1
            && let Some(last) = charts.iter_mut().rfind(|placed| !placed.is_wide)
        {
            last.is_wide = true;
        }
        Self {
            groups,
            span: span(asked, figures),
            tallies: tallies(figures, leads),
            remarks: remarks(asked, figures),
            wide: u64::from(figures.stretch.bins) * BIN_WIDE,
            charts,
        }
    }
}

fn span(asked: &Asked, figures: &Figures) -> String {
    let which = match (asked.by_default, asked.range) {
        (true, _) => "The last 7 days, since no other time is chosen".to_owned(),
        (false, Range::All) => {
            let from = asked.from_ns.unwrap_or(figures.stretch.start_ns);
            let to = asked.to_ns.map(|to| format!(" to {}", format::moment(to)));
            format!("From {}{} UTC", format::moment(from), to.unwrap_or_default())
        }
        (false, range) => range.name().to_owned(),
    };
    format!("{which}, in steps of {}, by the start of each run.", width(figures.stretch.width_ns))
}

fn remarks(asked: &Asked, figures: &Figures) -> Vec<String> {
    let mut remarks = Vec::new();
    if asked.names(Field::Tool) {
        remarks.push("Of tools, only those that the filter names are counted.".to_owned());
    }
    if asked.names(Field::Model) {
        remarks.push("Of models, only those that the filter names are counted.".to_owned());
    }
    if figures.unfolded > 0 {
        let runs = format::counted(figures.unfolded, "run was", "runs were");
        remarks.push(format!(
            "{runs} folded by an earlier version and counted in Runs only: `recount rebuild` adds the rest."
        ));
    }
    remarks
}

fn tallies(figures: &Figures, leads: &Leads) -> Vec<Tally> {
    let tally =
        |number: String, name, state, more: &[Test]| Tally { number, name, state, href: leads.all(more) };
    let has = |word: &str| [Test::Is(Field::Has, word.to_owned())];
    let (steps, retried) = (figures.sum(|bin| bin.tools.steps), figures.sum(|bin| bin.tools.retried));
    let met = figures.sum(|bin| bin.tools.throttled + bin.models.throttled);
    let acts =
        |sum: &crate::store::queries::WorkSum| sum.confirmed + sum.failed + sum.unknown + sum.submitted;
    let tokens = [figures.told(|bin| bin.tokens.0), figures.told(|bin| bin.tokens.1)];
    let tokens = tokens.into_iter().flatten().reduce(u64::saturating_add);
    let cost = figures.cost_usd().map(format::dollars);
    let retried = if steps == 0 { "–".to_owned() } else { share(retried, steps) };
    let dash = || "–".to_owned();
    let count = |of: &dyn Fn(&crate::store::queries::WorkSum) -> u64| {
        format::count(figures.sum(|bin| of(&bin.tools)))
    };
    vec![
        tally(format::count(figures.sum(|bin| bin.runs)), "Runs", "", &[]),
        tally(count(&acts), "Acts", "", &[more_than_none(Field::Acts)]),
        tally(count(&|sum| sum.unknown), "Acts unknown", "unknown", &[more_than_none(Field::Unknown)]),
        tally(retried, "Steps tried again", "", &has("retry")),
        tally(format::count(met), "429s", "", &has("throttle")),
        tally(tokens.map_or_else(dash, format::count), "Tokens", "", &[more_than_none(Field::Tokens)]),
        tally(cost.unwrap_or_else(dash), "Cost", "", &[more_than_none(Field::Cost)]),
    ]
}

impl Body {
    fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(..))
    }

    fn has_charts(&self) -> bool {
        matches!(self, Self::Charts(_))
    }
}

impl OverviewPage {
    fn of(shell: Shell, q: &str, address: &Address, body: Body) -> Self {
        let kept =
            |name: &str| address.kept.iter().find(|(kept, _)| *kept == name).map(|(_, value)| value.as_str());
        let between = kept("from").is_some() || kept("to").is_some();
        let range = kept("t").unwrap_or(if between { "" } else { Range::Week.word() });
        let word = |one: Range| if one == Range::All { ALL_TIME } else { one.word() };
        let mut ranges = Range::ALL.map(|one| (word(one), one.name(), word(one) == range)).to_vec();
        if between && range.is_empty() {
            ranges.insert(0, ("", "Chosen time", true));
        }
        let query = Query::read(q).unwrap_or_default();
        Self {
            q: plain(q),
            ranges,
            hidden: address.kept.iter().filter(|(name, _)| *name != "t").cloned().collect(),
            clear: shell.links.to("/overview"),
            any_time: between.then(|| address.any_time(&query)),
            fields: Field::ALL.iter().map(|field| field.name()).collect(),
            shell,
            body,
        }
    }
}
