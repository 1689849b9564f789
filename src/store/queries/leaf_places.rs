//! From traces to their leaves in the signed log.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::{RecordId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("leaf_places.sql");

/// A leaf and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafPlace {
    /// The trace.
    pub trace_id: TraceId,
    /// The record that it is of.
    pub record_id: RecordId,
    /// The log.
    pub log_id: [u8; 16],
    /// Its hash, as it was written when the record arrived.
    pub leaf_hash: [u8; 32],
    /// Its place in the signed log; `None` while it waits for one.
    pub place: Option<u64>,
}

#[derive(Row, Deserialize)]
struct Line {
    trace_id: [u8; 16],
    record_id: [u8; 16],
    log_id: [u8; 16],
    leaf_hash: [u8; 32],
    place: u64,
}

/// The leaves of these traces. A record that was received twice has two.
///
/// # Errors
/// As for any read.
pub async fn leaf_places(
    store: &Store,
    scope: &Scope,
    traces: &[TraceId],
) -> Result<Vec<LeafPlace>, StoreError> {
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let lines: Vec<Line> = store.read(scope, SQL).bind("traces", traces).all().await?;
    let places = lines.into_iter().map(|line| LeafPlace {
        trace_id: TraceId(line.trace_id),
        record_id: RecordId(line.record_id),
        log_id: line.log_id,
        leaf_hash: line.leaf_hash,
        place: Some(line.place).filter(|place| *place != u64::MAX),
    });
    Ok(places.collect())
}
