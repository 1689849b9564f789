//! One case by the id that it had before the key of its act arrived.
use crate::domain::case::Case;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::cases::{SHOWN, blank};

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
    let read = store.read(scope, &select(SQL, SHOWN)).bind("case_id", earlier_id);
    let mut found = rows(read, SHOWN, blank).await?.pop();
    found.iter_mut().for_each(|case| case.pass(now_ns));
    Ok(found)
}
