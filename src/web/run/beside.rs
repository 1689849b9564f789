//! What stands beside a run: the list one came from with the runs before and after it, and its session.
use futures_util::future::try_join;

use crate::store::queries::{NamedRun, Neighbours, run_line, run_neighbours, runs};
use crate::store::rows::RunRow;
use crate::store::{RunField, RunFilter, StoreError};
use crate::web::badge::Badge;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::{Links, encoded};
use crate::web::list::asked::Asked;
use crate::web::list::display;
use crate::web::list::words::effects;
use crate::web::params::Params;
use crate::web::query::Field;
use crate::web::run::head::runs_by;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, shortened};
use crate::web::viewer::Viewer;
use crate::web::zone::{When, Zone};

const DAY_NS: u64 = 86_400_000_000_000;
/// Runs of a session that are shown.
const SESSION_MAX: u16 = 6;

/// What stands beside a run.
#[derive(Debug, Default)]
pub(in crate::web) struct Beside {
    /// The list one came from.
    pub(in crate::web) list: String,
    /// The run above it in the list: its name and address.
    pub(in crate::web) newer: Option<(String, String)>,
    /// The run below it.
    pub(in crate::web) older: Option<(String, String)>,
    /// Its session, when that has other runs.
    pub(in crate::web) session: Option<Session>,
}

/// The runs of one session.
#[derive(Debug)]
pub(in crate::web) struct Session {
    pub(in crate::web) name: Text,
    pub(in crate::web) runs: Vec<Sibling>,
    /// All of them.
    pub(in crate::web) all: String,
    /// There are more than are shown.
    pub(in crate::web) more: bool,
}

impl Session {
    /// Such as "3 runs".
    pub(in crate::web) fn count(&self) -> String {
        format::counted(format::length(self.runs.len()), "run", "runs")
    }
}

/// A run of the same session.
#[derive(Debug)]
pub(in crate::web) struct Sibling {
    pub(in crate::web) title: Text,
    /// Its id, where the title is another.
    pub(in crate::web) id: Text,
    pub(in crate::web) href: String,
    pub(in crate::web) badge: Badge,
    pub(in crate::web) when: When,
    /// It is the run that is looked at.
    pub(in crate::web) here: bool,
}

impl Beside {
    /// What stands beside this run in the list with this question. It asks by the run's line in the list, so
    /// that it can be asked while the records of the run are read.
    pub(in crate::web) async fn of(
        state: &WebState,
        viewer: &Viewer,
        (run_id, list): (&str, Option<&str>),
        now_ns: u64,
    ) -> Result<Self, WebError> {
        let links = state.links();
        let list_of = list.map_or_else(|| links.runs(), |list| format!("{}?{list}", links.runs()));
        let Some(line) = run_line(&state.store, &viewer.scope, run_id, now_ns).await? else {
            return Ok(Self { list: list_of, ..Self::default() });
        };
        let (neighbours, session) =
            try_join(neighbours(state, viewer, (&line, list), now_ns), session(state, viewer, &line, now_ns))
                .await?;
        let carried = list.map(|list| format!("?list={}", encoded(list))).unwrap_or_default();
        let to = |named: NamedRun| {
            let name = if named.name.is_empty() { &named.run_id } else { &named.name };
            (plain(&shortened(name, 80)), format!("{}{carried}", links.run(&named.run_id)))
        };
        Ok(Self {
            list: list_of,
            newer: neighbours.newer.map(to),
            older: neighbours.older.map(to),
            session: (session.len() > 1).then(|| shown(&session, &line, &links, now_ns)).flatten(),
        })
    }
}

/// A list that can't be read any more is no list: then the run stands among all.
async fn neighbours(
    state: &WebState,
    viewer: &Viewer,
    (line, list): (&RunRow, Option<&str>),
    now_ns: u64,
) -> Result<Neighbours, StoreError> {
    let (store, scope) = (&state.store, &viewer.scope);
    let mut more = vec!["more"];
    more.extend(display::PARAMS);
    let asked = Asked::read(&Params::read(list.unwrap_or_default()), &more).unwrap_or_default();
    let filter = asked.filter(&asked.query, now_ns);
    let filter = RunFilter { prices: state.settings.prices.clone(), ..filter };
    let filter = state.desk.widened(&scope.project, filter);
    // Runs are kept by the time they arrived: looking a day back first reads a day and what came after.
    let day = line.listed_ns.saturating_sub(DAY_NS);
    let near = RunFilter { from_ns: filter.from_ns.max(Some(day)), ..filter.clone() };
    let at = line.cursor();
    let mut found = run_neighbours(store, scope, &near, &at, now_ns).await?;
    if found.older.is_none() && near.from_ns != filter.from_ns {
        found.older = run_neighbours(store, scope, &filter, &at, now_ns).await?.older;
    }
    Ok(found)
}

async fn session(
    state: &WebState,
    viewer: &Viewer,
    line: &RunRow,
    now_ns: u64,
) -> Result<Vec<RunRow>, StoreError> {
    let Some(session) = &line.summary.session_id else { return Ok(Vec::new()) };
    let filter = RunFilter::default().with(RunField::Session, session.as_str());
    let page = runs(&state.store, &viewer.scope, &filter, (None, SESSION_MAX + 1), now_ns).await?;
    Ok(page.runs)
}

fn shown(runs: &[RunRow], line: &RunRow, links: &Links, now_ns: u64) -> Option<Session> {
    let id = line.summary.session_id.as_deref()?;
    let zone = Zone::default();
    let sibling = |row: &RunRow| {
        let summary = &row.summary;
        let title = if summary.name.is_empty() { &summary.run_id } else { &summary.name };
        Sibling {
            id: Text::new(if summary.name.is_empty() {
                String::new()
            } else {
                shortened(&summary.run_id, 40)
            }),
            title: Text::new(shortened(title, 80)),
            href: links.run(&summary.run_id),
            badge: effects(summary),
            when: zone.when(summary.started_ns, now_ns),
            here: summary.run_id == line.summary.run_id,
        }
    };
    Some(Session {
        name: Text::new(shortened(id, 60)),
        more: format::length(runs.len()) > u64::from(SESSION_MAX),
        runs: runs.iter().take(usize::from(SESSION_MAX)).map(sibling).collect(),
        all: runs_by(links, Field::Session, id),
    })
}
