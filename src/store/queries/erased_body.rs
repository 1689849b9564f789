//! Which erasure took a body.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::Taken;
use crate::domain::ids::{Digest, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("erased_body.sql");

#[derive(Row, Deserialize)]
struct Line {
    erasure_id: String,
    at_ns: u64,
}

/// The erasure that took this body, if one did. A scope that is limited is told of none: whose the trace
/// is can't be seen from it.
///
/// # Errors
/// As for any read.
pub async fn erased_body(
    store: &Store,
    scope: &Scope,
    trace: TraceId,
    digest: Digest,
) -> Result<Option<Taken>, StoreError> {
    if scope.is_limited() {
        return Ok(None);
    }
    let read = store.read_all_projects(SQL).bind("project", &scope.project.0);
    let read = read.bind("trace_id", trace.to_string()).bind("digest", digest.to_string());
    let line: Option<Line> = read.optional().await?;
    Ok(line.map(|line| Taken { erasure_id: line.erasure_id, at_ns: line.at_ns, records: 0 }))
}
