//! How far back the records of a project go.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("oldest_run.sql");

/// When the first record of the oldest run was received, nanoseconds since 1970; `None` without any run.
///
/// # Errors
/// As for any read.
pub async fn oldest_run(store: &Store, scope: &Scope) -> Result<Option<u64>, StoreError> {
    store.read(scope, SQL).optional().await
}
