//! Everything kept of some records.
use crate::domain::ids::{RecordId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::StepRow;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::reader::Reader;
use crate::store::rows::steps::{FOLDED, SPELT, read_step};

const SQL: &str = include_str!("step_rows.sql");

/// The rows of these records of these traces, as first received, in the order of their ids.
///
/// # Errors
/// As for any read; ask for some hundreds at once.
pub async fn step_rows(
    store: &Store,
    scope: &Scope,
    traces: &[TraceId],
    records: &[RecordId],
) -> Result<Vec<StepRow>, StoreError> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let records: Vec<String> = records.iter().map(ToString::to_string).collect();
    let read = store.read(scope, &select(SQL, FOLDED.iter().chain(SPELT)));
    let bytes = whole(read.bind("traces", traces).bind("records", records)).await?;
    let mut from = Reader::new(&bytes);
    let mut rows = Vec::new();
    while from.left() > 0 {
        rows.push(read_step(&mut from)?);
    }
    Ok(rows)
}
