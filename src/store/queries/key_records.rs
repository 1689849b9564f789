//! Everything about one idempotency key, over all runs.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::record::Record;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::key_traces::key_traces;
use crate::store::records::trace_records;
use crate::store::traces::traces_of;

const SQL: &str = include_str!("key_records.sql");

/// How often a key was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Row, Deserialize)]
pub struct KeyUse {
    /// In how many traces.
    pub traces: u64,
    /// In how many records.
    pub records: u64,
}

/// The records of every trace in which this key was used, of all traces that links join to them, and how
/// often it was used in all. Attempts alone would not do: the evidence for an attempt stands around it. Of
/// a key used in more than [`KEY_TRACES_MAX`](crate::store::KEY_TRACES_MAX) traces, only the latest are
/// read.
///
/// # Errors
/// As for any read.
pub async fn key_records(
    store: &Store,
    scope: &Scope,
    key: &str,
) -> Result<(Vec<Record>, KeyUse), StoreError> {
    let used = store.read(scope, SQL).bind("key", key).one::<KeyUse>().await?;
    let traces = key_traces(store, scope, &[key]).await?;
    let traces = traces_of(store, scope, &[], &traces).await?;
    Ok((trace_records(store, scope, &traces).await?, used))
}
