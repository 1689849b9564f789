//! Runs over time.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("run_histogram.sql");

/// A stretch of time cut into bins of equal width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bins {
    /// From here, nanoseconds since 1970.
    pub start_ns: u64,
    /// To here, excluded.
    pub end_ns: u64,
    /// How many bins, at least 1.
    pub count: u16,
}

#[derive(Row, Deserialize)]
struct Counted {
    bin: u64,
    outcome_now: String,
    runs: u64,
}

/// How many runs of a filter each bin has, by outcome as of now. One map a bin, empty where nothing ran.
///
/// # Errors
/// As for any read.
pub async fn run_histogram(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    bins: Bins,
    now_ns: u64,
) -> Result<Vec<BTreeMap<String, u64>>, StoreError> {
    let count = bins.count.max(1);
    let width_ns = (bins.end_ns.saturating_sub(bins.start_ns) / u64::from(count)).max(1);
    let read = filter
        .bind(store.read(scope, &filter.sql(SQL)), now_ns)
        .bind("start_ns", bins.start_ns)
        .bind("end_ns", bins.end_ns)
        .bind("width_ns", width_ns)
        .bind("bins", count);
    let mut histogram = vec![BTreeMap::new(); usize::from(count)];
    for Counted { bin, outcome_now, runs } in read.all::<Counted>().await? {
        let bin = usize::try_from(bin).ok().and_then(|bin| histogram.get_mut(bin));
        bin.map(|bin| bin.insert(outcome_now, runs));
    }
    Ok(histogram)
}
