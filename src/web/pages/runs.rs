//! `/runs`: what ran, and what needs me.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::future::try_join_all;

use crate::domain::entity::Entity;
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::domain::summary::RunSummary;
use crate::store::queries::{run_facets, run_histogram, runs};
use crate::store::{RunFilter, Store, StoreError};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::list::address::{Address, Range};
use crate::web::list::asked::{Asked, Unread};
use crate::web::list::facets::{Counts, Group, chosen, groups};
use crate::web::list::line::Line;
use crate::web::list::pulse::{Pulse, bins};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError, Term, Test};
use crate::web::run::view::hex_digits;
use crate::web::state::{ServerStatus, WebState};
use crate::web::text::{cut, plain, shortened};
use crate::web::viewer::Viewer;

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
    clear: String,
    fields: Vec<&'static str>,
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
    pub(in crate::web) groups: Vec<Group>,
    /// Outcomes and time.
    pub(in crate::web) pulse: Pulse,
    /// The lines.
    pub(in crate::web) lines: Vec<Line>,
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
    let address = Address::new(&state.links(), &params);
    let (q, body) = match Asked::read(&params, &["more"]) {
        Ok(asked) => {
            // What came as parameters of its own stands in the filter from here on.
            let whole =
                params.get("q").map(str::to_owned).filter(|q| Query::read(q) == Ok(asked.query.clone()));
            let q = whole.unwrap_or_else(|| asked.query.to_string());
            (q, listed(&state, &viewer.scope, (&asked, &address), now_ns).await?)
        }
        Err(Unread::Filter(error)) => {
            (params.get("q").unwrap_or_default().to_owned(), unreadable(error, &address))
        }
        Err(Unread::Parameter(error)) => return Err(error),
    };
    let shell = Shell::of(&state, &viewer, "Runs");
    Ok(Page(RunsPage::of(shell, &q, &address, body)).into_response())
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
    (asked, address): (&Asked, &Address),
    now_ns: u64,
) -> Result<Body, WebError> {
    let (query, after) = (&asked.query, asked.after.as_ref());
    let prices = &state.settings.prices;
    let filter = |query: &Query| {
        let filter = RunFilter { prices: prices.clone(), ..asked.filter(query, now_ns) };
        state.desk.widened(&scope.project, filter)
    };
    let whole = filter(query);
    let page = runs(&state.store, scope, &whole, (after, asked.limit.unwrap_or(LINES)), now_ns);
    let counts = counts(&state.store, scope, (query, &filter), now_ns);
    let (page, counts) = futures_util::future::try_join(page, counts).await?;
    let all = Asked { limit: asked.limit, ..Asked::default() };
    if page.runs.is_empty() && *asked == all {
        return Ok(Body::Empty(Welcome::of(state)));
    }
    let bins = bins(&counts, whole.from_ns, now_ns);
    let histogram = run_histogram(&state.store, scope, &whole, bins, now_ns).await?;
    let links = state.links();
    let by_account = |id: &str| address.with(&Query::default().with_only(Field::Account, Some(id)));
    let line = |run: &RunSummary| Line::of(run, prices.total(run), (&links, by_account), now_ns);
    let lines = page.runs.iter().map(|row| line(&row.summary)).collect();
    let kept = state.settings.retention.of(&scope.project);
    let coverage = Coverage::of(&state.store, scope, kept, now_ns).await;
    Ok(Body::List(Box::new(List {
        groups: groups(&counts, query, address),
        pulse: Pulse::of(&counts, &histogram, bins, (query, address)),
        count: format!("{}, newest first, times in UTC", format::counted(counts.all.runs, "run", "runs")),
        coverage: coverage.sentence(),
        newest: after.map(|_| address.with(query)),
        older: page.next.map(|next| address.after(query, &asked.cursor(&next))),
        between: between(asked).map(|line| (line, address.any_time(query))),
        lines,
    })))
}

fn between(asked: &Asked) -> Option<String> {
    let (from, to) = (asked.from_ns.map(format::moment), asked.to_ns.map(format::moment));
    match (from, to) {
        (Some(from), Some(to)) => Some(format!("Started from {from} to {to} UTC.")),
        (Some(from), None) => Some(format!("Started at {from} UTC or later.")),
        (None, Some(to)) => Some(format!("Started before {to} UTC.")),
        (None, None) => None,
    }
}

async fn counts(
    store: &Store,
    scope: &Scope,
    (query, filter): (&Query, &impl Fn(&Query) -> RunFilter),
    now_ns: u64,
) -> Result<Counts, StoreError> {
    let fields = chosen(query);
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
    pub(in crate::web) fn of(shell: Shell, q: &str, address: &Address, body: Body) -> Self {
        let kept = |name: &str| address.kept.iter().find(|(kept, _)| *kept == name).map(|(_, value)| value);
        let range = kept("t").map(String::as_str).unwrap_or_default();
        Self {
            q: plain(q),
            ranges: Range::ALL.map(|one| (one.word(), one.name(), one.word() == range)).to_vec(),
            hidden: address.kept.iter().filter(|(name, _)| *name != "t").cloned().collect(),
            clear: shell.links.runs(),
            fields: Field::ALL.iter().map(|field| field.name()).collect(),
            shell,
            body,
        }
    }
}
