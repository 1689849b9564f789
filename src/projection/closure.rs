//! All records that have a say in what the runs of some traces are: those of the traces, of every trace of
//! their runs, and of all that links join to them.
use std::collections::BTreeSet;

use crate::domain::ids::TraceId;
use crate::domain::record::Record;
use crate::domain::scope::Scope;
use crate::store::queries::trace_records;
use crate::store::{Store, StoreError, traces_of};

/// Rounds of looking for further traces: each finds the traces of runs that the round before has found.
const ROUNDS_MAX: usize = 8;

/// Reads them. Traces already in `known` are not read again.
pub(super) async fn closure(
    store: &Store,
    scope: &Scope,
    traces: &[TraceId],
    known: &BTreeSet<TraceId>,
) -> Result<Vec<Record>, StoreError> {
    let mut seen = known.clone();
    let mut runs: BTreeSet<String> = BTreeSet::new();
    let mut records = Vec::new();
    let (mut new_traces, mut new_runs) = (traces.to_vec(), Vec::new());
    for _ in 0..ROUNDS_MAX {
        let wanted = traces_of(store, scope, &new_runs, &new_traces).await?;
        let unread: Vec<TraceId> = wanted.into_iter().filter(|trace| seen.insert(*trace)).collect();
        if unread.is_empty() {
            break;
        }
        let read = trace_records(store, scope, &unread).await?;
        let given = read.iter().filter_map(|record| record.facts.run_id.clone());
        new_runs = given.filter(|run_id| runs.insert(run_id.clone())).collect();
        new_traces = Vec::new();
        records.extend(read);
        if new_runs.is_empty() {
            break;
        }
    }
    Ok(records)
}
