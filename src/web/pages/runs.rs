//! `/runs`: what ran, and what needs me.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::future::try_join_all;

use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::queries::{run_facets, run_histogram, runs};
use crate::store::rows::RunCursor;
use crate::store::{RunFilter, Store, StoreError};
use crate::web::error::WebError;
use crate::web::filter::run_filter;
use crate::web::format;
use crate::web::list::address::{Address, Range};
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
    /// The newest runs, when the page begins further down.
    pub(in crate::web) newest: Option<String>,
    /// The runs after these.
    pub(in crate::web) older: Option<String>,
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
    let q = params.get("q").unwrap_or_default();
    let range = Range::read(params.get("t").unwrap_or_default());
    let address = Address::new(&state.links(), range, params.get("more"));
    let after = params.get("after").map(cursor).transpose()?;
    let body = match Query::read(q) {
        Ok(query) => listed(&state, &viewer.scope, (&query, &address, after.as_ref()), now_ns).await?,
        Err(error) => unreadable(error, &address),
    };
    let shell = Shell::of(&state, &viewer, "Runs");
    Ok(Page(RunsPage::of(shell, q, &address, body)).into_response())
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
            let test = Test::Is(Field::Entity, text.to_owned());
            links.runs_with(&Query { terms: vec![Term { negated: false, test }] }.to_string())
        }
        _ => links.runs_with(&Query { terms: vec![Term { negated: false, test: quoted() }] }.to_string()),
    };
    Redirect::to(&to).into_response()
}

fn is_entity(kind: &str, id: &str) -> bool {
    let is_type = !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'-');
    is_type && !id.is_empty() && id.len() < 200 && !id.starts_with("//")
}

fn cursor(text: &str) -> Result<RunCursor, WebError> {
    let wrong = || {
        WebError::Invalid("`after` is not a place that this list gave; begin at its newest run".to_owned())
    };
    RunCursor::parse(text).ok_or_else(wrong)
}

fn unreadable(error: QueryError, address: &Address) -> Body {
    let near = error.near.map(|(say, whole)| (plain(&say), address.with_text(&whole)));
    Body::Unreadable(plain(cut(&error.typed, 200)), error.wrong, near)
}

async fn listed(
    state: &WebState,
    scope: &Scope,
    (query, address, after): (&Query, &Address, Option<&RunCursor>),
    now_ns: u64,
) -> Result<Body, WebError> {
    let from_ns = address.range.starts_ns(now_ns);
    let filter = |query: &Query| RunFilter { from_ns, ..run_filter(query) };
    let whole = filter(query);
    let page = runs(&state.store, scope, &whole, (after, LINES), now_ns);
    let counts = counts(&state.store, scope, (query, &filter), now_ns);
    let (page, counts) = futures_util::future::try_join(page, counts).await?;
    if page.runs.is_empty() && query.terms.is_empty() && address.range == Range::All && after.is_none() {
        return Ok(Body::Empty(Welcome::of(state)));
    }
    let bins = bins(&counts, from_ns, now_ns);
    let histogram = run_histogram(&state.store, scope, &whole, bins, now_ns).await?;
    let links = state.links();
    let by_account = |id: &str| address.with(&Query::default().with_only(Field::Account, Some(id)));
    let lines = page.runs.iter().map(|row| Line::of(&row.summary, &links, by_account, now_ns)).collect();
    Ok(Body::List(Box::new(List {
        groups: groups(&counts, query, address),
        pulse: Pulse::of(&counts, &histogram, bins, (query, address)),
        count: format!("{}, newest first, times in UTC", format::counted(counts.all.runs, "run", "runs")),
        newest: after.map(|_| address.with(query)),
        older: page.next.map(|next| address.after(query, &next.to_string())),
        lines,
    })))
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
        Self {
            q: plain(q),
            ranges: Range::ALL.map(|range| (range.word(), range.name(), range == address.range)).to_vec(),
            clear: shell.links.runs(),
            fields: Field::ALL.iter().map(|field| field.name()).collect(),
            shell,
            body,
        }
    }
}
