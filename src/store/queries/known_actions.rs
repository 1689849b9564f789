//! Which of some actions have a line in the table of actions.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("known_actions.sql");

/// Key and tool of the lines under these keys.
///
/// # Errors
/// As for any read.
pub async fn known_actions(
    store: &Store,
    scope: &Scope,
    keys: &[String],
) -> Result<Vec<(String, String)>, StoreError> {
    store.read(scope, SQL).bind("keys", keys).all().await
}
