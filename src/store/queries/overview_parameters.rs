//! The parameters that models were called with.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;
use crate::store::stretch::Stretch;

const SQL: &str = include_str!("overview_parameters.sql");

/// Most sets of parameters in one answer.
const SETS_MAX: u16 = 200;

/// A model with one set of parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct ParameterSet {
    /// The model.
    pub model: String,
    /// Each `name=value`, in the order of their names.
    pub parameters: Vec<String>,
    /// Model calls, attempts counted one by one.
    pub attempts: u64,
    /// Runs.
    pub runs: u64,
    /// When the first of these runs is listed, nanoseconds since 1970.
    pub first_ns: u64,
    /// When the last is.
    pub last_ns: u64,
}

/// The sets of a filter's runs, the most used first.
///
/// # Errors
/// As for any read.
pub async fn overview_parameters(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    stretch: Stretch,
    now_ns: u64,
) -> Result<Vec<ParameterSet>, StoreError> {
    let read = stretch.bind(filter.bind(store.read(scope, &filter.sql(SQL)), now_ns));
    read.bind("sets_max", SETS_MAX).all().await
}
