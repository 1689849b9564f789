//! How many runs there are over time.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;
use crate::store::stretch::Stretch;

const SQL: &str = include_str!("overview_runs.sql");

/// The runs of a bin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Row, Deserialize)]
pub struct RunSum {
    /// The bin, from 0.
    pub bin: u64,
    /// Runs.
    pub runs: u64,
    /// Their model calls of which neither cost nor use is told.
    pub untold: u64,
    /// Runs whose line says nothing of their tools and models: it was folded by an earlier version.
    pub unfolded: u64,
}

/// Counts the runs of a filter; bins without any are left out.
///
/// # Errors
/// As for any read.
pub async fn overview_runs(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    stretch: Stretch,
    now_ns: u64,
) -> Result<Vec<RunSum>, StoreError> {
    stretch.bind(filter.bind(store.read(scope, &filter.sql(SQL)), now_ns)).all().await
}
