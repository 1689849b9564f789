//! Each record and body that was erased: read to keep it out, and to list what a receipt is about.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::{Erasure, Stone};
use crate::domain::ids::{Digest, RecordId, TraceId};
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Writer;
use crate::store::rows::cell::Cell;

const SQL: &str = include_str!("erased.sql");
const COLUMNS: [&str; 7] = ["project", "trace_id", "what", "id", "leaf_hash", "erasure_id", "at_ns"];
/// Rows of one insert.
const STONES_AT_ONCE: usize = 50_000;

#[derive(Row, Deserialize)]
struct Line {
    trace_id: [u8; 16],
    what: String,
    id: [u8; 16],
    leaf_hash: [u8; 32],
}

/// What was erased in all projects, or by one erasure, in a fixed order. It shows nothing of what it was.
///
/// # Errors
/// As for any read.
pub async fn erased(store: &Store, erasure_id: Option<&str>) -> Result<Vec<Stone>, StoreError> {
    let read = store.read_all_projects(SQL).bind("erasure_id", erasure_id.unwrap_or_default());
    let mut lines = read.stream::<Line>()?;
    let mut stones = Vec::new();
    while let Some(line) = lines.next().await? {
        let trace = TraceId(line.trace_id);
        stones.push(match line.what.as_str() {
            "body" => Stone::Body(trace, Digest(line.id)),
            _ => Stone::Record(trace, RecordId(line.id), line.leaf_hash),
        });
    }
    Ok(stones)
}

/// Keeps what an erasure takes, before it is taken.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_erased(store: &Store, erasure: &Erasure, stones: &[Stone]) -> Result<(), StoreError> {
    for (number, some) in stones.chunks(STONES_AT_ONCE).enumerate() {
        let mut out = Writer::default();
        for stone in some {
            let (trace, what, id, leaf_hash) = match stone {
                Stone::Record(trace, id, leaf_hash) => (trace, "record", id.0, *leaf_hash),
                Stone::Body(trace, digest) => (trace, "body", digest.0, [0; 32]),
            };
            erasure.project.write(&mut out);
            trace.write(&mut out);
            out.text(what);
            out.raw(&id);
            out.raw(&leaf_hash);
            out.text(&erasure.id);
            out.u64(erasure.asked_ns);
        }
        let token = format!("erased {} {number}", erasure.id);
        store.insert_rows("erased", &COLUMNS, Bytes::from(out.into_bytes()), &token).await?;
    }
    Ok(())
}
