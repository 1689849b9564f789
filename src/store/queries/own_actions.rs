//! Acts without a key, by the names that lists of actions give them.
use crate::domain::action::Action;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::actions::{SHOWN, blank};
use crate::store::rows::answer::{rows, select};

const SQL: &str = include_str!("own_actions.sql");
/// Colons in `run:step:tool:target`.
const COLONS_MIN: usize = 3;

/// The acts of these names, as of now. What can't be such a name is not asked for.
///
/// # Errors
/// As for any read.
pub async fn own_actions(
    store: &Store,
    scope: &Scope,
    names: &[&str],
    now_ns: u64,
) -> Result<Vec<Action>, StoreError> {
    let names: Vec<&str> =
        names.iter().copied().filter(|name| name.matches(':').count() >= COLONS_MIN).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let read = store.read(scope, &select(SQL, SHOWN)).bind("keys", names.as_slice());
    let mut actions = rows(read, SHOWN, blank).await?;
    actions.iter_mut().for_each(|action| action.pass(now_ns));
    Ok(actions)
}
