//! The line of one run, without reading its records.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::RunRow;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::runs::{SHOWN, read_runs};

const SQL: &str = include_str!("run_line.sql");

/// The line of one run as of now; `None` where it has none (yet).
///
/// # Errors
/// As for any read.
pub async fn run_line(
    store: &Store,
    scope: &Scope,
    run_id: &str,
    now_ns: u64,
) -> Result<Option<RunRow>, StoreError> {
    let read = store.read(scope, &select(SQL, SHOWN)).bind("run_id", run_id);
    let mut run = read_runs(&whole(read).await?)?.pop();
    run.iter_mut().for_each(|run| run.pass(now_ns));
    Ok(run)
}
