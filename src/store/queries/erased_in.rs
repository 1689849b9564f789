//! What was erased of some traces.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::Taken;
use crate::domain::ids::{RecordId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("erased_in.sql");

/// The records of some traces whose contents were erased.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasedIn {
    /// Each record, with the erasure that took its contents first.
    pub records: BTreeMap<RecordId, String>,
    /// The erasures, the earliest first.
    pub taken: Vec<Taken>,
}

impl ErasedIn {
    /// The erasure that took the contents of this record.
    pub fn of(&self, id: &RecordId) -> Option<&Taken> {
        let erasure = self.records.get(id)?;
        self.taken.iter().find(|taken| taken.erasure_id == *erasure)
    }
}

#[derive(Row, Deserialize)]
struct Line {
    id: [u8; 16],
    erasure_id: String,
    at_ns: u64,
}

/// What was erased of these traces. Whoever asks must have been shown these traces: they stand in for the
/// limits of a scope.
///
/// # Errors
/// As for any read.
pub async fn erased_in(store: &Store, scope: &Scope, traces: &[TraceId]) -> Result<ErasedIn, StoreError> {
    let mut found = ErasedIn::default();
    if traces.is_empty() {
        return Ok(found);
    }
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let read = store.read_all_projects(SQL).bind("project", &scope.project.0).bind("traces", traces);
    for line in read.all::<Line>().await? {
        let id = RecordId(line.id);
        if found.records.contains_key(&id) {
            continue;
        }
        match found.taken.iter_mut().find(|taken| taken.erasure_id == line.erasure_id) {
            Some(taken) => taken.records += 1,
            None => {
                found.taken.push(Taken { erasure_id: line.erasure_id.clone(), at_ns: line.at_ns, records: 1 })
            }
        }
        found.records.insert(id, line.erasure_id);
    }
    Ok(found)
}
