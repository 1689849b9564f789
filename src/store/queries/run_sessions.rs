//! The list of runs, a row for each session.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::RunCursor;
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("run_sessions.sql");

/// The runs of one session, or one run that is of none.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct SessionLine {
    /// `s` and the session's id, or `r` and the run's.
    pub place: String,
    /// How many runs of the filter.
    pub runs: u64,
    /// The time in the list of the oldest, nanoseconds since 1970.
    pub first_ns: u64,
    /// The time in the list of the newest.
    pub last_ns: u64,
    /// Tokens in and out, as far as told.
    pub tokens: u64,
    /// Runs whose worst open outcome is this, as of now.
    pub unknown: u64,
    /// As above.
    pub failed: u64,
    /// As above.
    pub submitted: u64,
    /// As above.
    pub confirmed: u64,
}

impl SessionLine {
    /// The session's id; `None` for a run that is of none.
    pub fn session(&self) -> Option<&str> {
        self.place.strip_prefix('s')
    }
}

/// One page of sessions, latest first, and where the next begins.
///
/// # Errors
/// As for any read.
pub async fn run_sessions(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    (after, rows_max): (Option<&RunCursor>, u16),
    now_ns: u64,
) -> Result<(Vec<SessionLine>, Option<RunCursor>), StoreError> {
    let rows_max = rows_max.max(1);
    let read = filter
        .bind(store.read(scope, &filter.sql(SQL)), now_ns)
        .bind("after_ns", after.map(|cursor| cursor.listed_ns).unwrap_or_default())
        .bind("after_place", after.map(|cursor| cursor.run_id.as_str()).unwrap_or_default())
        .bind("rows_max", u32::from(rows_max) + 1);
    let mut lines = read.all::<SessionLine>().await?;
    let more = lines.len() > usize::from(rows_max);
    lines.truncate(usize::from(rows_max));
    let place = |line: &SessionLine| RunCursor { listed_ns: line.last_ns, run_id: line.place.clone() };
    let next = lines.last().filter(|_| more).map(place);
    Ok((lines, next))
}
