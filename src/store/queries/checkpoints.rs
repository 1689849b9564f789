//! Signed states of the log.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::{Table, Writer};

const SQL: &str = include_str!("checkpoints.sql");

/// A signed state.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct KeptCheckpoint {
    /// The log.
    pub log_id: [u8; 16],
    /// How many leaves it covers.
    pub size: u64,
    /// When, nanoseconds since 1970.
    pub at_ns: u64,
    /// The signed note.
    pub note: String,
}

/// The newest states, of all logs or of one. It belongs to no project: hashes say nothing of records.
///
/// # Errors
/// As for any read.
pub async fn checkpoints(
    store: &Store,
    log_id: Option<[u8; 16]>,
    size_max: Option<u64>,
    rows_max: u16,
) -> Result<Vec<KeptCheckpoint>, StoreError> {
    let log_id = log_id.map(|log_id| data_encoding::HEXLOWER.encode(&log_id)).unwrap_or_default();
    let read = store.read_all_projects(SQL).bind("log_id", log_id);
    read.bind("size_max", size_max.unwrap_or_default()).bind("rows_max", rows_max).all().await
}

/// Adds one.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn record_checkpoint(store: &Store, checkpoint: &KeptCheckpoint) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.raw(&checkpoint.log_id);
    out.u64(checkpoint.size);
    out.u64(checkpoint.at_ns);
    out.text(&checkpoint.note);
    let log_id = data_encoding::HEXLOWER.encode(&checkpoint.log_id);
    let token = format!("checkpoint {log_id} {} {}", checkpoint.size, checkpoint.at_ns);
    let rows = Bytes::from(out.into_bytes());
    store.insert_rows(Table::Checkpoints.name(), &Table::Checkpoints.columns(), rows, &token).await
}
