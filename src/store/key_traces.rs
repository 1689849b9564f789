//! From idempotency keys to the traces in which they were used.
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::whole;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("key_traces.sql");

/// No key is followed over more traces than this, the latest.
pub const KEY_TRACES_MAX: usize = 500;

/// The traces in which one of these keys was used, each once; of a key used in more than
/// [`KEY_TRACES_MAX`], the latest.
///
/// # Errors
/// As for any read.
pub async fn key_traces(store: &Store, scope: &Scope, keys: &[&str]) -> Result<Vec<TraceId>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = whole(store.read(scope, SQL).bind("keys", keys).bind("traces_max", KEY_TRACES_MAX)).await?;
    let mut from = Reader::new(&bytes);
    let mut traces = Vec::new();
    while from.left() > 0 {
        traces.push(TraceId::read(&mut from)?);
    }
    Ok(traces)
}
