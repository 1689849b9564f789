//! One case, as of now.
use crate::domain::case::Case;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::cases::{SHOWN, blank};

const SQL: &str = include_str!("case.sql");

/// The case with this id as of now, as last folded; `None` where there is none (yet).
///
/// # Errors
/// As for any read.
pub async fn case(
    store: &Store,
    scope: &Scope,
    case_id: &str,
    now_ns: u64,
) -> Result<Option<Case>, StoreError> {
    let read = store.read(scope, &select(SQL, SHOWN)).bind("case_id", case_id).alone();
    let mut found = rows(read, SHOWN, blank).await?.pop();
    found.iter_mut().for_each(|case| case.pass(now_ns));
    Ok(found)
}
