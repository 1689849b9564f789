//! From touched traces to written lines: reads what has a say, folds it, writes.
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::domain::ids::{Project, TraceId};
use crate::domain::scope::Scope;
use crate::projection::closure::closure;
use crate::projection::error::ProjectionError;
use crate::projection::fold::Folded;
use crate::store::queries::{key_traces, known_actions, known_runs};
use crate::store::rows::Retention;
use crate::store::{Store, write_actions, write_runs};

/// How many lines were written, of how many records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) runs: u64,
    pub(super) actions: u64,
    pub(super) records: u64,
}

/// Folds the runs of these traces and the actions under their keys, and writes their lines. `name` tells this
/// writing from every other: lines written twice under one name are written once.
pub(super) async fn write_lines(
    store: &Store,
    project: &Project,
    traces: &[TraceId],
    name: &str,
) -> Result<Written, ProjectionError> {
    let scope = Scope { project: project.clone() };
    let mut records = closure(store, &scope, traces, &BTreeSet::new()).await?;
    let count = records.len() as u64;
    let mut folded = fold(records.clone()).await?;
    let keys = folded.keys();
    // Keys reach over runs: what other runs did under them is part of the action.
    let keys_asked: Vec<String> = keys.iter().cloned().collect();
    let used = if keys.is_empty() { Vec::new() } else { key_traces(store, &scope, &keys_asked).await? };
    let elsewhere: Vec<TraceId> =
        used.into_iter().map(|(_, trace)| trace).filter(|trace| !folded.traces.contains(trace)).collect();
    if !elsewhere.is_empty() {
        records.extend(closure(store, &scope, &elsewhere, &folded.traces).await?);
        folded = fold(records).await?;
    } else {
        drop(records);
    }
    let doubtful = folded.doubtful_run_ids();
    let standing =
        if doubtful.is_empty() { Vec::new() } else { known_runs(store, &scope, &doubtful).await? };
    let runs = folded.run_lines(project, &standing);
    let former = folded.former_action_keys();
    let asked: Vec<String> = former.keys().cloned().collect();
    let known = if asked.is_empty() { Vec::new() } else { known_actions(store, &scope, &asked).await? };
    let gone: Vec<_> = known
        .into_iter()
        .filter_map(|(key, tool)| former.get(&key).map(|trace| (key.clone(), tool, *trace)))
        .collect();
    let actions = folded.action_lines(project, &keys, &gone);
    let kept_days = Retention::default().longest_days();
    write_runs(store, &runs, kept_days, &format!("{name} runs")).await?;
    write_actions(store, &actions, kept_days, &format!("{name} actions")).await?;
    Ok(Written { runs: runs.len() as u64, actions: actions.len() as u64, records: count })
}

/// Folds on a thread of its own: ten thousand records take a while.
async fn fold(records: Vec<crate::domain::record::Record>) -> Result<Folded, ProjectionError> {
    let now_ns = now_ns();
    tokio::task::spawn_blocking(move || Folded::of(records, now_ns)).await.map_err(|error| {
        tracing::error!(panicked = error.is_panic(), "the fold of touched runs was broken off");
        ProjectionError::Broken
    })
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
