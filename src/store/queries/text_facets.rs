//! What the runs in which texts stand have in common.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::{RunField, RunFilter};

const SQL: &str = include_str!("text_facets.sql");
/// The most values that are counted of one field.
const VALUES_MAX: u16 = 8;

/// What the runs of a search are like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextFacets {
    /// How many runs there are.
    pub runs: u64,
    /// The most frequent values of each field, with the number of runs that have them.
    pub fields: BTreeMap<RunField, Vec<(String, u64)>>,
}

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
) -> Result<TextFacets, StoreError> {
    let read = filter.bind(store.read(scope, &filter.sql(SQL)), now_ns).bind("values_max", VALUES_MAX);
    let mut facets = TextFacets::default();
    for Counted { field, value, runs } in read.all::<Counted>().await? {
        match RunField::from_word(&field) {
            Some(field) => facets.fields.entry(field).or_default().push((value, runs)),
            None => facets.runs = runs,
        }
    }
    Ok(facets)
}
