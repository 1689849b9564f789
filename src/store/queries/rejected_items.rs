//! How many records were refused in a period.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("rejected_items.sql");

/// Spans and log records refused from one time until another, nanoseconds since 1970.
///
/// # Errors
/// As for any read.
pub async fn rejected_items(
    store: &Store,
    scope: &Scope,
    (from_ns, to_ns): (Option<u64>, Option<u64>),
) -> Result<u64, StoreError> {
    let read = store.read(scope, SQL).bind("from_ns", from_ns.unwrap_or_default());
    read.bind("to_ns", to_ns.unwrap_or_default()).one().await
}
