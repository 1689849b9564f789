//! Where texts stand in the bodies of some traces.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::{Digest, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::hits::hits;
use crate::store::texts::{TextFilter, folded, shown};

const SQL: &str = include_str!("text_hits.sql");
/// A body up to this length comes whole.
const WHOLE_BYTES_MAX: u64 = 4 << 10;
/// Of a longer one, so much before what was found.
const BEFORE_BYTES: i64 = 400;
/// And so much in all.
const WINDOW_BYTES: u64 = 1_600;

/// A body in which the texts stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextHit {
    /// Its trace.
    pub trace_id: TraceId,
    /// Its digest.
    pub digest: Digest,
    /// Its kind, as the store names it.
    pub kind: String,
    /// Who speaks, where it is a message.
    pub role: String,
    /// Whether it is JSON.
    pub is_json: bool,
    /// The body, or what stands around the first that was found.
    pub text: String,
    /// Whether that is a part of it.
    pub is_part: bool,
}

#[derive(Row, Deserialize)]
struct Found {
    trace: String,
    body_digest: String,
    body_kind: String,
    body_role: String,
    is_json: bool,
    said: String,
    is_part: bool,
}

/// The bodies of these traces in which the texts stand, in no order.
///
/// # Errors
/// As for any read.
pub async fn text_hits(
    store: &Store,
    scope: &Scope,
    texts: &TextFilter,
    traces: &[TraceId],
) -> Result<Vec<TextHit>, StoreError> {
    let Some(holds) = texts.of_contents().filter(|_| !traces.is_empty()) else { return Ok(Vec::new()) };
    let sql = SQL.replace("$shown", &shown("body")).replace("$folded", &folded("shown"));
    let read = hits(store, scope, texts, (&sql, &holds), traces)
        .bind("whole_max", WHOLE_BYTES_MAX)
        .bind("before", BEFORE_BYTES)
        .bind("window", WINDOW_BYTES);
    let found = read.all::<Found>().await?;
    let hit = |found: Found| {
        Some(TextHit {
            trace_id: TraceId::parse(&found.trace)?,
            digest: Digest::parse(&found.body_digest)?,
            kind: found.body_kind,
            role: found.body_role,
            is_json: found.is_json,
            text: found.said,
            is_part: found.is_part,
        })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}
