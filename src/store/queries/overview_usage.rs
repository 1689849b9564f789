//! What model calls used over time, to be priced by whoever reads it.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::cost::Usage;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;
use crate::store::stretch::Stretch;

const SQL: &str = include_str!("overview_usage.sql");

#[derive(Row, Deserialize)]
struct Found {
    bin: u64,
    model: String,
    day: u32,
    #[expect(dead_code, reason = "tells rows apart")]
    has_reads: u8,
    #[expect(dead_code, reason = "tells rows apart")]
    has_writes: u8,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

/// What the model calls of a filter's runs used, with the bin of their run; calls whose cost is given are not
/// in it. Where the filter names models, of these only.
///
/// # Errors
/// As for any read.
pub async fn overview_usage(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    stretch: Stretch,
    now_ns: u64,
) -> Result<Vec<(usize, Usage)>, StoreError> {
    let read = stretch.bind(filter.bind(store.read(scope, &filter.sql(SQL)), now_ns));
    let usage = |found: Found| {
        let Found { model, day, input, output, cache_read, cache_write, .. } = found;
        let bin = usize::try_from(found.bin).unwrap_or(usize::MAX);
        (bin, Usage { model, day, input, output, cache_read, cache_write })
    };
    Ok(read.all::<Found>().await?.into_iter().map(usage).collect())
}
