//! The list of runs.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::runs::{SHOWN, read_runs};
use crate::store::rows::{RunCursor, RunRow};
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("runs.sql");

/// The most runs of one page.
pub const RUNS_MAX: u16 = 500;

/// One page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPage {
    /// Newest first; ties by id.
    pub runs: Vec<RunRow>,
    /// Where the next page begins; `None` on the last.
    pub next: Option<RunCursor>,
}

/// Runs, newest first, after a place in the list, as of now (deadlines that have passed count).
///
/// # Errors
/// As for any read.
pub async fn runs(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    (after, rows_max): (Option<&RunCursor>, u16),
    now_ns: u64,
) -> Result<RunPage, StoreError> {
    let rows_max = rows_max.clamp(1, RUNS_MAX);
    let read = filter
        .bind(store.read(scope, &filter.sql(&select(SQL, SHOWN))), now_ns)
        .bind("after_ns", after.map(|cursor| cursor.listed_ns).unwrap_or_default())
        .bind("after_id", after.map(|cursor| cursor.run_id.as_str()).unwrap_or_default())
        .bind("rows_max", u32::from(rows_max) + 1);
    let mut runs = read_runs(&whole(read).await?)?;
    let more = runs.len() > usize::from(rows_max);
    runs.truncate(usize::from(rows_max));
    runs.iter_mut().for_each(|run| run.pass(now_ns));
    let next = runs.last().filter(|_| more).map(RunRow::cursor);
    Ok(RunPage { runs, next })
}
