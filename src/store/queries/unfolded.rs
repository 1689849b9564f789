//! What was appended to cases and not folded into their lines.
use std::collections::BTreeMap;

use crate::domain::ids::{Project, TraceId};
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("unfolded.sql");

/// Of every project the traces of cases whose last event, appended at this time or later, is not in their
/// line.
///
/// # Errors
/// As for any read.
pub async fn unfolded(store: &Store, from_ns: u64) -> Result<BTreeMap<Project, Vec<TraceId>>, StoreError> {
    let found: Vec<(String, String)> = store.read_all_projects(SQL).bind("from_ns", from_ns).all().await?;
    let mut traces: BTreeMap<Project, Vec<TraceId>> = BTreeMap::new();
    for (project, trace) in found {
        traces.entry(Project(project)).or_default().extend(TraceId::parse(&trace));
    }
    Ok(traces)
}
