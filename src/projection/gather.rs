//! Everything that must be read to fold some traces: their runs whole, and every run that shares a key with
//! them.
use std::collections::BTreeSet;

use crate::domain::case::CaseEvent;
use crate::domain::ids::TraceId;
use crate::domain::record::Record;
use crate::domain::scope::Scope;
use crate::store::queries::{events_about, trace_records};
use crate::store::{Store, StoreError, key_traces, traces_of};

/// What there is to fold.
#[derive(Debug, Default)]
pub(super) struct Material {
    /// The touched traces and all that links join to them: runs with records there get new lines.
    pub(super) touched: BTreeSet<TraceId>,
    /// The keys whose actions get new lines.
    pub(super) keys: BTreeSet<String>,
    /// Records of all traces that were read.
    pub(super) records: Vec<Record>,
    /// What people and jobs appended to the cases of these records.
    pub(super) events: Vec<CaseEvent>,
    traces: BTreeSet<TraceId>,
}

/// Reads what folding these traces takes.
pub(super) async fn gather(store: &Store, scope: &Scope, traces: &[TraceId]) -> Result<Material, StoreError> {
    let touched = traces_of(store, scope, &[], traces).await?;
    let mut material = Material { touched: touched.iter().copied().collect(), ..Material::default() };
    material.read(store, scope, &touched).await?;
    material.read_runs(store, scope, 0).await?;
    material.keys = material.records.iter().filter_map(|record| record.facts.key.clone()).collect();
    let keys: Vec<&str> = material.keys.iter().map(String::as_str).collect();
    let elsewhere = material.unread(key_traces(store, scope, &keys).await?);
    if !elsewhere.is_empty() {
        let read = material.records.len();
        let joined = traces_of(store, scope, &[], &elsewhere).await?;
        material.read(store, scope, &joined).await?;
        material.read_runs(store, scope, read).await?;
    }
    let keys: BTreeSet<&str> =
        material.records.iter().filter_map(|record| record.facts.key.as_deref()).collect();
    let keys: Vec<&str> = keys.into_iter().collect();
    let traces: Vec<TraceId> = material.traces.iter().copied().collect();
    material.events = events_about(store, scope, &keys, &traces).await?;
    Ok(material)
}

impl Material {
    async fn read(&mut self, store: &Store, scope: &Scope, traces: &[TraceId]) -> Result<(), StoreError> {
        let unread = self.unread(traces.iter().copied());
        if !unread.is_empty() {
            self.records.append(&mut trace_records(store, scope, &unread).await?);
            self.traces.extend(unread);
        }
        Ok(())
    }

    /// Reads the other traces of the runs whose ids were given in records from a place on.
    async fn read_runs(&mut self, store: &Store, scope: &Scope, from: usize) -> Result<(), StoreError> {
        let records = self.records.iter().skip(from);
        let ids: BTreeSet<&String> = records.filter_map(|record| record.facts.run_id.as_ref()).collect();
        let ids: Vec<String> = ids.into_iter().cloned().collect();
        if ids.is_empty() {
            return Ok(());
        }
        let traces = traces_of(store, scope, &ids, &[]).await?;
        self.read(store, scope, &traces).await
    }

    fn unread(&self, traces: impl IntoIterator<Item = TraceId>) -> Vec<TraceId> {
        traces.into_iter().filter(|trace_id| !self.traces.contains(trace_id)).collect()
    }
}
