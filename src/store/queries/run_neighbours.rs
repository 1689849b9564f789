//! The runs before and after one in a list.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::RunCursor;
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("run_neighbours.sql");

/// A run beside another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRun {
    /// Its id.
    pub run_id: String,
    /// Its name; may be empty.
    pub name: String,
}

/// What stands beside a run in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The next newer run.
    pub newer: Option<NamedRun>,
    /// The next older run.
    pub older: Option<NamedRun>,
}

#[derive(Row, Deserialize)]
struct Beside {
    run_id: String,
    name: String,
    side: String,
}

/// The runs of a filter beside a place, as of now.
///
/// # Errors
/// As for any read.
pub async fn run_neighbours(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    at: &RunCursor,
    now_ns: u64,
) -> Result<Neighbours, StoreError> {
    let read = filter
        .bind(store.read(scope, &filter.sql(SQL)), now_ns)
        .bind("at_ns", at.listed_ns)
        .bind("at_id", at.run_id.as_str());
    let mut found = Neighbours::default();
    for Beside { run_id, name, side } in read.all::<Beside>().await? {
        let place = if side == "newer" { &mut found.newer } else { &mut found.older };
        *place = Some(NamedRun { run_id, name });
    }
    Ok(found)
}
