//! The runs that stand below the sessions of a list.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::RunRow;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::runs::{SHOWN, read_runs};
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("session_runs.sql");

/// The newest runs of a filter in each of these places of a list by session, as many of each.
///
/// # Errors
/// As for any read.
pub async fn session_runs(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    (places, each_max): (&[&str], u16),
    now_ns: u64,
) -> Result<Vec<RunRow>, StoreError> {
    let read = filter
        .bind(store.read(scope, &filter.sql(&select(SQL, SHOWN))), now_ns)
        .bind("places", places)
        .bind("each_max", each_max);
    let mut runs = read_runs(&whole(read).await?)?;
    runs.iter_mut().for_each(|run| run.pass(now_ns));
    Ok(runs)
}
