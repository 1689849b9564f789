//! In which traces keys were used, over all runs.
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::whole;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("key_traces.sql");

/// Each of these keys with each trace in which it was used.
///
/// # Errors
/// As for any read.
pub async fn key_traces(
    store: &Store,
    scope: &Scope,
    keys: &[String],
) -> Result<Vec<(String, TraceId)>, StoreError> {
    let bytes = whole(store.read(scope, SQL).bind("keys", keys)).await?;
    let mut from = Reader::new(&bytes);
    let mut found = Vec::new();
    while from.left() > 0 {
        found.push((String::read(&mut from)?, TraceId::read(&mut from)?));
    }
    Ok(found)
}
