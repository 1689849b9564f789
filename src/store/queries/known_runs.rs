//! Which of some runs have a line in the table of runs, and where it stands.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("known_runs.sql");

/// Those of these run ids that have a line, with the first receipt (nanoseconds since 1970) under which it
/// stands: a line whose first receipt has changed stands elsewhere, and the old one has to be taken back.
///
/// # Errors
/// As for any read.
pub async fn known_runs(
    store: &Store,
    scope: &Scope,
    run_ids: &[String],
) -> Result<Vec<(String, u64)>, StoreError> {
    store.read(scope, SQL).bind("run_ids", run_ids).all().await
}
