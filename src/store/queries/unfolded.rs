//! What was appended to cases and not folded into their lines.
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("unfolded.sql");

/// The traces of cases whose last event, appended at this time or later, is not in their line.
///
/// # Errors
/// As for any read.
pub async fn unfolded(store: &Store, scope: &Scope, from_ns: u64) -> Result<Vec<TraceId>, StoreError> {
    let found: Vec<String> = store.read(scope, SQL).bind("from_ns", from_ns).all().await?;
    Ok(found.iter().filter_map(|id| TraceId::parse(id)).collect())
}
