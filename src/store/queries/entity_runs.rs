//! The runs that had to do with an entity.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::entity_lines::EntityFilter;
use crate::store::error::StoreError;
use crate::store::rows::RunCursor;

const SQL: &str = include_str!("entity_runs.sql");

/// A run and where its records are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlace {
    /// The run.
    pub run_id: String,
    /// Its place in the list.
    pub cursor: RunCursor,
    /// Its traces.
    pub traces: Vec<TraceId>,
}

#[derive(Row, Deserialize)]
struct Line {
    run_id: String,
    listed_at: u64,
    traces: Vec<[u8; 16]>,
}

/// Runs, newest first, after a place in the list, and whether there are more.
///
/// # Errors
/// As for any read.
pub async fn entity_runs(
    store: &Store,
    scope: &Scope,
    filter: &EntityFilter,
    (after, rows_max): (Option<&RunCursor>, u16),
) -> Result<(Vec<RunPlace>, bool), StoreError> {
    let read = filter
        .bind(store.read(scope, &EntityFilter::sql(SQL)))
        .bind("after_ns", after.map(|cursor| cursor.listed_ns).unwrap_or_default())
        .bind("after_id", after.map(|cursor| cursor.run_id.as_str()).unwrap_or_default())
        .bind("rows_max", u32::from(rows_max) + 1);
    let mut lines: Vec<Line> = read.all().await?;
    let more = lines.len() > usize::from(rows_max);
    lines.truncate(usize::from(rows_max));
    let places = lines.into_iter().map(|line| RunPlace {
        cursor: RunCursor { listed_ns: line.listed_at, run_id: line.run_id.clone() },
        run_id: line.run_id,
        traces: line.traces.into_iter().map(TraceId).collect(),
    });
    Ok((places.collect(), more))
}
