//! Every record of some traces, for the fold: no bodies, no attributes.
use crate::domain::ids::TraceId;
use crate::domain::record::Record;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{records, select};
use crate::store::rows::steps::FOLDED;
use crate::store::traces::traces_of;

const SQL: &str = include_str!("records.sql");

/// The most records that are read at once.
pub const RECORDS_MAX: usize = 200_000;

/// The records of every trace of the run with this id, given or a trace's, and of all that links join to
/// them: other runs of these traces are among them, since who belongs to whom is for the fold to say. As
/// first received, in the order of their ids.
///
/// # Errors
/// As for [`trace_records`].
pub async fn run_records(store: &Store, scope: &Scope, run_id: &str) -> Result<Vec<Record>, StoreError> {
    let own: Vec<TraceId> = TraceId::parse(run_id).into_iter().collect();
    let traces = traces_of(store, scope, &[run_id.to_owned()], &own).await?;
    trace_records(store, scope, &traces).await
}

/// The records of these traces only, as first received, in the order of their ids.
///
/// # Errors
/// [`StoreError::Unreadable`] past [`RECORDS_MAX`]; else as for any read.
pub async fn trace_records(
    store: &Store,
    scope: &Scope,
    traces: &[TraceId],
) -> Result<Vec<Record>, StoreError> {
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let read =
        store.read(scope, &select(SQL, FOLDED)).bind("traces", traces).bind("records_max", RECORDS_MAX + 1);
    let records = records(read).await?;
    if records.len() > RECORDS_MAX {
        return Err(StoreError::Unreadable { reason: format!("more than {RECORDS_MAX} records") });
    }
    Ok(records)
}
