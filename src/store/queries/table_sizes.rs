//! How much each table holds, for those who keep house.
use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("table_sizes.sql");

/// The size of one table. Copies that have not merged yet are counted.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct TableSize {
    /// The table.
    pub table: String,
    /// Rows.
    pub rows: u64,
    /// Bytes on disk.
    pub bytes_on_disk: u64,
    /// Parts; inserts are refused when there are thousands.
    pub parts: u64,
}

/// The size of every table of ours that holds something, over all projects.
///
/// # Errors
/// As for any read.
pub async fn table_sizes(store: &Store) -> Result<Vec<TableSize>, StoreError> {
    store.read_all_projects(SQL).all().await
}
