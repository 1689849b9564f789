//! What was refused and why.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Reject;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::rejects::SHOWN;

const SQL: &str = include_str!("rejects.sql");

/// Refusals, newest first, after the place `(at_ns, position)` of the last one seen.
///
/// # Errors
/// As for any read.
pub async fn rejects(
    store: &Store,
    scope: &Scope,
    after: Option<(u64, u32)>,
    rows_max: u16,
) -> Result<Vec<Reject>, StoreError> {
    let (at_ns, position) = after.unwrap_or_default();
    let read = store
        .read(scope, &select(SQL, SHOWN))
        .bind("at_ns", at_ns)
        .bind("position", position)
        .bind("rows_max", rows_max);
    rows(read, SHOWN, Reject::default).await
}
