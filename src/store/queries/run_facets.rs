//! Tallies and facets of a list of runs.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::facets::{Facet, RunFacets};
use crate::store::run_filter::{RunField, RunFilter};

const SQL: &str = include_str!("run_facets.sql");

/// The most values that are counted of one field.
pub const FACET_VALUES_MAX: u16 = 100;

#[derive(Row, Deserialize)]
struct Counted {
    field: String,
    value: String,
    runs: u64,
    first_ns: u64,
    last_ns: u64,
}

/// Counts the runs of a filter by outcome and by everything a facet is shown for, as of now.
///
/// # Errors
/// As for any read.
pub async fn run_facets(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    now_ns: u64,
) -> Result<RunFacets, StoreError> {
    let read = filter.bind(store.read(scope, &filter.sql(SQL)), now_ns).bind("values_max", FACET_VALUES_MAX);
    let mut facets = RunFacets::default();
    for Counted { field, value, runs, first_ns, last_ns } in read.all::<Counted>().await? {
        match RunField::from_word(&field) {
            Some(field) => facets.fields.entry(field).or_default().push(Facet { value, runs }),
            None => (facets.runs, facets.first_ns, facets.last_ns) = (runs, first_ns, last_ns),
        }
    }
    Ok(facets)
}
