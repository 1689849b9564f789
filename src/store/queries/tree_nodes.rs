//! Stored nodes of the signed log, by tiles of 256.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("tree_nodes.sql");

#[derive(Row, Deserialize)]
struct Line {
    place: u64,
    hash: [u8; 32],
}

/// The nodes of one stored level in these tiles, by their places.
///
/// # Errors
/// As for any read.
pub async fn tree_nodes(
    store: &Store,
    log_id: [u8; 16],
    level: u8,
    tiles: &[u64],
) -> Result<BTreeMap<u64, [u8; 32]>, StoreError> {
    let read = store
        .read_all_projects(SQL)
        .bind("log_id", data_encoding::HEXLOWER.encode(&log_id))
        .bind("level", level)
        .bind("tiles", tiles);
    let lines: Vec<Line> = read.setting("max_result_rows", "0").all().await?;
    Ok(lines.into_iter().map(|line| (line.place, line.hash)).collect())
}
