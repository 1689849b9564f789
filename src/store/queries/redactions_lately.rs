//! What redaction did lately, by rule.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("redactions_lately.sql");

/// What one rule did by one method.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct RuleUse {
    /// The rule, with its version where it is an operator's.
    pub rule: String,
    /// What it did.
    pub method: String,
    /// Places.
    pub places: u64,
    /// Records with such a place.
    pub records: u64,
}

/// What each rule did to the records received since then.
///
/// # Errors
/// As for any read.
pub async fn redactions_lately(
    store: &Store,
    scope: &Scope,
    from_ns: u64,
) -> Result<Vec<RuleUse>, StoreError> {
    store.read(scope, SQL).bind("from_ns", from_ns).all().await
}
