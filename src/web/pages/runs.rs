//! `/runs`: what ran, and what needs me.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::future::try_join_all;

use crate::domain::entity::Entity;
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::queries::{run_facets, run_histogram, run_sessions, runs, session_runs};
use crate::store::rows::{RunCursor, RunRow};
use crate::store::{RunFilter, Store, StoreError};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::list::address::{Address, Range};
use crate::web::list::asked::{Asked, Unread};
use crate::web::list::columns::{At, Column, Shown};
use crate::web::list::display::{self, Display, Menu};
use crate::web::list::facets::{Counts, Group as Facets, OF_RUNS, chosen, groups};
use crate::web::list::line::Line;
use crate::web::list::pulse::{Pulse, bins};
use crate::web::list::sessions::{EACH_MAX, Group};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError, Term, Test};
use crate::web::run::view::hex_digits;
use crate::web::saved::{self, Listed};
use crate::web::state::{ServerStatus, WebState};
use crate::web::text::{Text, cut, plain, shortened};
use crate::web::viewer::Viewer;
use crate::web::zone::Zone;

/// Lines on one page.
const LINES: u16 = 50;

/// The page.
#[derive(Template)]
#[template(path = "pages/runs.html")]
pub(in crate::web) struct RunsPage {
    shell: Shell,
    q: String,
    ranges: Vec<(&'static str, &'static str, bool)>,
    /// What the form sends along beside the filter and the range.
    hidden: Vec<(&'static str, String)>,
    /// What the menu of columns sends along.
    asked: Vec<(&'static str, String)>,
    clear: String,
    fields: Vec<&'static str>,
    views: saved::Menu,
    body: Body,
}

/// What stands below the filter.
pub(in crate::web) enum Body {
    /// Nothing has arrived yet.
    Empty(Welcome),
    /// The filter can't be read: the word, what is wrong with it, and the nearest that can be read.
    Unreadable(String, String, Option<(String, String)>),
    /// Runs.
    List(Box<List>),
}

/// What is said to who has sent nothing yet.
pub(in crate::web) struct Welcome {
    http: String,
    grpc: String,
    received: String,
}

/// The runs and what is around them.
pub(in crate::web) struct List {
    /// Fields with their values.
    pub(in crate::web) groups: Vec<Facets>,
    /// Outcomes and time.
    pub(in crate::web) pulse: Pulse,
    /// The columns beside the run's name.
    pub(in crate::web) columns: Vec<Column>,
    /// How many columns there are.
    pub(in crate::web) width: usize,
    /// The lines; in one group, or by session.
    pub(in crate::web) lines: Vec<Group>,
    /// How many runs are on the page.
    pub(in crate::web) here: usize,
    /// How it is shown, to be changed.
    pub(in crate::web) menu: Menu,
    /// The same list, without its conditions one by one, where none matches.
    pub(in crate::web) wider: Vec<(Text, String)>,
    /// Such as "1,284 runs, newest first".
    pub(in crate::web) count: String,
    /// How far back the records go.
    pub(in crate::web) coverage: String,
    /// The newest runs, when the page begins further down.
    pub(in crate::web) newest: Option<String>,
    /// The runs after these.
    pub(in crate::web) older: Option<String>,
    /// The stretch of time that was named, and the list without it.
    pub(in crate::web) between: Option<(String, String)>,
}

/// Answers `/runs`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    if let Some(text) = params.get("find") {
        return Ok(found(&state, text));
    }
    let now_ns = format::now_ns();
    let display = Display::read(&params)?;
    let address = Address::new(&state.links(), &params)
        .spelt("cols", display.columns.word().as_deref())
        .spelt("tz", display.zone.word());
    let mut more = vec!["more"];
    more.extend(display::PARAMS);
    let (q, question, body) = match Asked::read(&params, &more) {
        Ok(asked) => {
            // What came as parameters of its own stands in the filter from here on.
            let whole =
                params.get("q").map(str::to_owned).filter(|q| Query::read(q) == Ok(asked.query.clone()));
            let q = whole.unwrap_or_else(|| asked.query.to_string());
            let question = address.question(&asked.query);
            (q, question, listed(&state, &viewer.scope, (&asked, &address, &display), now_ns).await?)
        }
        Err(Unread::Filter(error)) => {
            let q = params.get("q").unwrap_or_default().to_owned();
            (q, String::new(), unreadable(error, &address))
        }
        Err(Unread::Parameter(error)) => return Err(error),
    };
    let shell = Shell::of(&state, &viewer, "Runs");
    let views = match &body {
        // What can't be read is answered without the store, and is nothing to keep.
        Body::Unreadable(..) => saved::Menu::default(),
        Body::Empty(_) | Body::List(_) => saved::menu(&state, &viewer, (Listed::Runs, &question)).await?,
    };
    Ok(Page(RunsPage::of(shell, &q, &address, (views, body))).into_response())
}

/// Where the finder leads: a trace by its id in any spelling, an entity, or the runs with these words.
fn found(state: &WebState, text: &str) -> Response {
    let links = state.links();
    let text = text.trim();
    let digits = hex_digits(text).filter(|digits| (26..=32).contains(&digits.len()));
    let trace = digits.and_then(|digits| TraceId::parse(&format!("{digits:0>32}")));
    let quoted = || Test::Word(shortened(text, 200));
    let to = match (trace, text.split_once(':')) {
        (Some(trace), _) => links.to(&format!("/traces/{trace}")),
        (None, Some((kind, id))) if is_entity(kind, id) => {
            links.entity(&Entity { kind: kind.to_owned(), id: id.to_owned() })
        }
        _ => links.runs_with(&Query { terms: vec![Term { negated: false, test: quoted() }] }.to_string()),
    };
    Redirect::to(&to).into_response()
}

fn is_entity(kind: &str, id: &str) -> bool {
    let is_type = !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'-');
    is_type && !id.is_empty() && id.len() < 200 && !id.starts_with("//")
}

fn unreadable(error: QueryError, address: &Address) -> Body {
    let near = error.near.map(|(say, whole)| (plain(&say), address.with_text(&whole)));
    Body::Unreadable(plain(cut(&error.typed, 200)), error.wrong, near)
}

async fn listed(
    state: &WebState,
    scope: &Scope,
    (asked, address, display): (&Asked, &Address, &Display),
    now_ns: u64,
) -> Result<Body, WebError> {
    let query = &asked.query;
    let prices = &state.settings.prices;
    let filter = |query: &Query| {
        let filter = RunFilter { prices: prices.clone(), ..asked.filter(query, now_ns) };
        state.desk.widened(&scope.project, filter)
    };
    let whole = filter(query);
    let links = state.links();
    let (columns, zone) = (&display.columns, &display.zone);
    let at = At { links: &links, address, query, columns, zone, now_ns };
    let lines = lines(state, scope, (asked, &whole, display.by_session), &at);
    let counts = counts(&state.store, scope, (query, &filter), now_ns);
    let ((lines, next), counts) = futures_util::future::try_join(lines, counts).await?;
    let all = Asked { limit: asked.limit, by_session: asked.by_session, ..Asked::default() };
    let here = lines.iter().map(|group| group.lines.len()).sum();
    if here == 0 && *asked == all {
        return Ok(Body::Empty(Welcome::of(state)));
    }
    let bins = bins(&counts, (whole.from_ns, whole.to_ns), now_ns);
    let histogram = run_histogram(&state.store, scope, &whole, bins, now_ns).await?;
    let kept = state.settings.retention.of(&scope.project);
    let coverage = Coverage::of(&state.store, scope, kept, now_ns).await;
    let order = if display.by_session { "by session, the latest first" } else { "newest first" };
    let runs = format::counted(counts.all.runs, "run", "runs");
    Ok(Body::List(Box::new(List {
        groups: groups(&OF_RUNS, &counts, query, address),
        pulse: Pulse::of(&counts, &histogram, bins, (query, address, zone)),
        count: format!("{runs}, {order}, times in {}", zone.name()),
        coverage: coverage.sentence(),
        newest: asked.after.as_ref().map(|_| address.with(query)),
        older: next.map(|next| address.after(query, &asked.cursor(&next))),
        between: between(asked, zone).map(|line| (line, address.any_time(query))),
        columns: columns.iter().collect(),
        width: columns.width(),
        menu: display.menu(),
        wider: if here == 0 { wider(query, address) } else { Vec::new() },
        here,
        lines,
    })))
}

/// The runs of a page, together as they are shown, and where the next page begins.
async fn lines(
    state: &WebState,
    scope: &Scope,
    (asked, filter, by_session): (&Asked, &RunFilter, bool),
    at: &At<'_>,
) -> Result<(Vec<Group>, Option<RunCursor>), StoreError> {
    let place = (asked.after.as_ref(), asked.limit.unwrap_or(LINES));
    let prices = &state.settings.prices;
    let line = |row: &RunRow| Line::of(&row.summary, prices.total(&row.summary), at);
    if !by_session {
        let page = runs(&state.store, scope, filter, place, at.now_ns).await?;
        return Ok((vec![Group::all(page.runs.iter().map(line).collect())], page.next));
    }
    let (sessions, next) = run_sessions(&state.store, scope, filter, place, at.now_ns).await?;
    let places: Vec<&str> = sessions.iter().map(|session| session.place.as_str()).collect();
    let rows = session_runs(&state.store, scope, filter, (&places, EACH_MAX), at.now_ns).await?;
    let groups = sessions.iter().map(|session| {
        let of = |row: &&RunRow| match session.session() {
            Some(id) => row.summary.session_id.as_deref() == Some(id),
            None => session.place.strip_prefix('r') == Some(row.summary.run_id.as_str()),
        };
        Group::of(session, rows.iter().filter(of).map(line).collect(), at)
    });
    Ok((groups.collect(), next))
}

/// The conditions of a list that finds nothing, each with the list without it.
fn wider(query: &Query, address: &Address) -> Vec<(Text, String)> {
    let without = |at: usize| {
        let terms = query.terms.iter().enumerate().filter(|(other, _)| *other != at);
        Query { terms: terms.map(|(_, term)| term.clone()).collect() }
    };
    let said = |term: &Term| Text::new(shortened(&Query { terms: vec![term.clone()] }.to_string(), 80));
    query
        .terms
        .iter()
        .enumerate()
        .map(|(at, term)| (said(term), address.with(&without(at))))
        .take(8)
        .collect()
}

fn between(asked: &Asked, zone: &Zone) -> Option<String> {
    let (from, to) = (asked.from_ns.map(|ns| zone.moment(ns)), asked.to_ns.map(|ns| zone.moment(ns)));
    let name = zone.name();
    match (from, to) {
        (Some(from), Some(to)) => Some(format!("Started from {from} to {to} {name}.")),
        (Some(from), None) => Some(format!("Started at {from} {name} or later.")),
        (None, Some(to)) => Some(format!("Started before {to} {name}.")),
        (None, None) => None,
    }
}

async fn counts(
    store: &Store,
    scope: &Scope,
    (query, filter): (&Query, &impl Fn(&Query) -> RunFilter),
    now_ns: u64,
) -> Result<Counts, StoreError> {
    let fields = chosen(&OF_RUNS, query);
    let filters: Vec<RunFilter> = std::iter::once(filter(query))
        .chain(fields.iter().map(|field| filter(&query.with_only(*field, None))))
        .collect();
    let mut counted =
        try_join_all(filters.iter().map(|filter| run_facets(store, scope, filter, now_ns))).await?;
    let without = fields.into_iter().zip(counted.split_off(1.min(counted.len()))).collect();
    Ok(Counts { all: counted.pop().unwrap_or_default(), without })
}

impl Body {
    fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(..))
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Empty(_))
    }
}

impl Welcome {
    fn of(state: &WebState) -> Self {
        let status: ServerStatus = (state.status)();
        let refused = status.ingest.refused;
        let received = match (status.ingest.received, refused) {
            (0, 0) => "Nothing received and nothing refused since the server started.".to_owned(),
            (received, refused) => {
                let refused = match refused {
                    0 => "nothing".to_owned(),
                    n => format::count(n),
                };
                let received = format::counted(received, "record", "records");
                format!("{received} received since the server started, {refused} refused. A run comes soon.")
            }
        };
        Self { http: state.settings.otlp_http.clone(), grpc: state.settings.otlp_grpc.clone(), received }
    }
}

impl RunsPage {
    /// The page.
    pub(in crate::web) fn of(
        shell: Shell,
        q: &str,
        address: &Address,
        (views, body): (saved::Menu, Body),
    ) -> Self {
        let kept = |name: &str| address.kept.iter().find(|(kept, _)| *kept == name).map(|(_, value)| value);
        let range = kept("t").map(String::as_str).unwrap_or_default();
        Self {
            q: plain(q),
            ranges: Range::ALL.map(|one| (one.word(), one.name(), one.word() == range)).to_vec(),
            hidden: address.kept.iter().filter(|(name, _)| *name != "t").cloned().collect(),
            asked: address
                .kept
                .iter()
                .filter(|(name, _)| !display::PARAMS.contains(name))
                .cloned()
                .chain(Some(("q", plain(q))).filter(|(_, q)| !q.is_empty()))
                .collect(),
            clear: shell.links.runs(),
            fields: Field::ALL.iter().map(|field| field.name()).collect(),
            shell,
            views,
            body,
        }
    }
}
