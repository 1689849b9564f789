//! Every record of the traces in which keys were used, over all runs, for the fold.
use crate::domain::record::Record;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{records, select};
use crate::store::rows::steps::FOLDED;

const SQL: &str = include_str!("key_records.sql");

/// The records of every trace in which one of these keys was used. Attempts alone would not do: the
/// evidence for an attempt stands around it.
///
/// # Errors
/// As for any read.
pub async fn key_records(store: &Store, scope: &Scope, keys: &[String]) -> Result<Vec<Record>, StoreError> {
    records(store.read(scope, &select(SQL, FOLDED)).bind("keys", keys)).await
}
