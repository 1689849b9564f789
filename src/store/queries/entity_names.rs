//! The pseudonyms under which an entity is kept.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("entity_names.sql");

/// The names of this type, `type:id`, that end in one of these ways.
///
/// # Errors
/// As for any read.
pub async fn entity_names(
    store: &Store,
    scope: &Scope,
    kind: &str,
    endings: &[String],
) -> Result<Vec<String>, StoreError> {
    if endings.is_empty() {
        return Ok(Vec::new());
    }
    store.read(scope, SQL).bind("beginning", format!("{kind}:")).bind("endings", endings).all().await
}
