//! One case by the id that it had before the key of its act arrived.
use crate::domain::case::Case;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::queries::case::one;

const SQL: &str = include_str!("case_known_as.sql");

/// The case that was known under this id before the key of its act arrived; `None` where there is none.
///
/// # Errors
/// As for any read.
pub async fn case_known_as(
    store: &Store,
    scope: &Scope,
    earlier_id: &str,
    now_ns: u64,
) -> Result<Option<Case>, StoreError> {
    one(store, scope, (SQL, earlier_id), now_ns).await
}
