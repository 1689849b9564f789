//! Open unknowns by age.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("overview_unknowns.sql");

/// Most tools in one answer.
const TOOLS_MAX: u16 = 200;

/// The open unknowns of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct UnknownSum {
    /// The tool.
    pub tool_name: String,
    /// How many are open, those that wait for a second person too.
    pub open: u64,
    /// How many of them are unknown since before each of the times that were asked for.
    pub older: Vec<u64>,
    /// Since when the oldest is unknown, nanoseconds since 1970.
    pub oldest_ns: u64,
}

/// The open unknowns of a filter's runs, a row for each tool, with those that became unknown before each of
/// some times. The runs are looked at where the filter chooses any.
///
/// # Errors
/// As for any read.
pub async fn overview_unknowns(
    store: &Store,
    scope: &Scope,
    (filter, every_run): (&RunFilter, bool),
    before_ns: &[u64],
    now_ns: u64,
) -> Result<Vec<UnknownSum>, StoreError> {
    let read = filter.bind(store.read(scope, &filter.sql(SQL)), now_ns);
    read.bind("every_run", every_run).bind("before_ns", before_ns).bind("tools_max", TOOLS_MAX).all().await
}
