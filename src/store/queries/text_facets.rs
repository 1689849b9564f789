//! What the runs in which texts stand have in common.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::facets::{Facet, RunFacets};
use crate::store::run_filter::{RunField, RunFilter};

const SQL: &str = include_str!("text_facets.sql");
/// The most values that are counted of one field.
const VALUES_MAX: u16 = 8;

#[derive(Row, Deserialize)]
struct Counted {
    field: String,
    value: String,
    runs: u64,
}

/// Counts the runs of a search by what it can be narrowed by, as of now.
///
/// # Errors
/// As for any read.
pub async fn text_facets(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    now_ns: u64,
) -> Result<RunFacets, StoreError> {
    let read = filter.bind(store.read(scope, &filter.sql(SQL)), now_ns).bind("values_max", VALUES_MAX);
    let mut facets = RunFacets::default();
    for Counted { field, value, runs } in read.all::<Counted>().await? {
        match RunField::from_word(&field) {
            Some(field) => facets.fields.entry(field).or_default().push(Facet { value, runs }),
            None => facets.runs = runs,
        }
    }
    Ok(facets)
}
