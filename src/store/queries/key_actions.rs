//! The actions under some keys, straight by the order of the table: what gates and reconcilers ask for.
use crate::domain::action::Action;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::actions::{SHOWN, blank};
use crate::store::rows::answer::{rows, select};

const SQL: &str = include_str!("key_actions.sql");

/// The actions under these given keys as of now: one a key and tool.
///
/// # Errors
/// As for any read.
pub async fn key_actions(
    store: &Store,
    scope: &Scope,
    keys: &[&str],
    now_ns: u64,
) -> Result<Vec<Action>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    // The order of the table leads there; its index of keys would only be read beside it.
    let read =
        store.read(scope, &select(SQL, SHOWN)).bind("keys", keys).setting("use_skip_indexes", "0").alone();
    let mut actions = rows(read, SHOWN, blank).await?;
    actions.iter_mut().for_each(|action| action.pass(now_ns));
    Ok(actions)
}
