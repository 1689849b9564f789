//! Leaves that wait for a place in the signed log.
use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("unplaced_leaves.sql");

/// A leaf that waits.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct Unplaced {
    /// Its frame in the log of rows.
    pub frame: u64,
    /// Its place in the frame.
    pub position: u32,
    /// Its hash.
    pub leaf_hash: [u8; 32],
}

/// Leaves of one log without a place, from a frame on, in order. For the sequencer: it belongs to no project.
///
/// # Errors
/// As for any read.
pub async fn unplaced_leaves(
    store: &Store,
    log_id: [u8; 16],
    frame_from: u64,
    rows_max: u32,
) -> Result<Vec<Unplaced>, StoreError> {
    let read = store.read_all_projects(SQL).bind("log_id", data_encoding::HEXLOWER.encode(&log_id));
    read.bind("frame_from", frame_from).bind("rows_max", rows_max).all().await
}
