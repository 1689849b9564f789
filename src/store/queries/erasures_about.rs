//! What was erased of what agents did on an entity.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::Taken;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("erasures_about.sql");

#[derive(Row, Deserialize)]
struct Line {
    erasure_id: String,
    at_ns: u64,
    records: u64,
}

/// The erasures that took contents of the traces that name an entity, the earliest first. Whoever asks
/// must be allowed to ask about these names.
///
/// # Errors
/// As for any read.
pub async fn erasures_about(
    store: &Store,
    scope: &Scope,
    names: &[String],
) -> Result<Vec<Taken>, StoreError> {
    let read = store.read_all_projects(SQL).bind("project", &scope.project.0).bind("names", names);
    let lines: Vec<Line> = read.all().await?;
    let taken = |line: Line| Taken { erasure_id: line.erasure_id, at_ns: line.at_ns, records: line.records };
    Ok(lines.into_iter().map(taken).collect())
}
