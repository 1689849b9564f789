//! How many records a legal hold keeps now.
use crate::domain::hold::Hold;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("held_records.sql");

/// The records in scope that are held; 0 when nothing is kept yet of what the hold is on.
///
/// # Errors
/// As for any read.
pub async fn held_records(store: &Store, scope: &Scope, hold: &Hold) -> Result<u64, StoreError> {
    let read = store.read(scope, SQL).bind("kind", hold.kind.word()).bind("names", &hold.names);
    read.one().await
}
