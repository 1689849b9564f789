//! From a trace to its runs.
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("trace_runs.sql");

/// The ids of the runs that a trace belongs to or holds, newest first, 500 at most.
///
/// # Errors
/// As for any read.
pub async fn trace_runs(store: &Store, scope: &Scope, trace_id: TraceId) -> Result<Vec<String>, StoreError> {
    store.read(scope, SQL).bind("trace_id", trace_id.to_string()).all().await
}
