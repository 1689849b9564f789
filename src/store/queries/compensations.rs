//! What undid an action.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("compensations.sql");

/// The keys of actions that say they undo the one of these keys, which are spellings of one.
///
/// # Errors
/// As for any read.
pub async fn compensations(store: &Store, scope: &Scope, keys: &[&str]) -> Result<Vec<String>, StoreError> {
    store.read(scope, SQL).bind("keys", keys).alone().all().await
}
