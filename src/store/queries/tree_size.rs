//! How far the signed log of each log of rows is.
use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("tree_size.sql");

/// How far one log is.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct TreeSize {
    /// The log.
    pub log_id: [u8; 16],
    /// Leaves with a place: one more than the last place.
    pub size: u64,
    /// The frame of the latest of them.
    pub last_frame: u64,
    /// Places that are filled: fewer than `size` when some were deleted.
    pub placed: u64,
}

/// Every log, or one. For the sequencer and for proofs: it belongs to no project.
///
/// # Errors
/// As for any read.
pub async fn tree_size(store: &Store, log_id: Option<[u8; 16]>) -> Result<Vec<TreeSize>, StoreError> {
    let log_id = log_id.map(|log_id| data_encoding::HEXLOWER.encode(&log_id)).unwrap_or_default();
    store.read_all_projects(SQL).bind("log_id", log_id).limit(std::time::Duration::from_secs(120)).all().await
}
