//! From touched traces to written lines: reads what has a say, folds it, writes.
use crate::domain::ids::{Project, TraceId};
use crate::domain::scope::Scope;
use crate::projection::error::ProjectionError;
use crate::projection::fold::{Folded, fold};
use crate::projection::gather::gather;
use crate::store::{
    Store, StoreError, standing_actions, standing_cases, standing_runs, write_actions, write_cases,
    write_runs,
};

/// When lines are folded, how long they live, and the name that tells this writing from every other: lines
/// written twice under one name are written once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writing<'a> {
    pub(super) now_ns: u64,
    pub(super) kept_days: u16,
    pub(super) name: &'a str,
}

/// What was written, of how many records.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Runs with new lines.
    pub(super) run_ids: Vec<String>,
    /// Lines of actions.
    pub(super) actions: u64,
    /// Records of the touched traces.
    pub(super) records: u64,
}

/// Folds the runs of these traces and the actions under their keys, and writes their lines. Repeating it
/// changes nothing.
pub(super) async fn write_lines(
    store: &Store,
    project: &Project,
    traces: &[TraceId],
    writing: Writing<'_>,
) -> Result<Written, ProjectionError> {
    let scope = Scope::whole(project.clone());
    let material = gather(store, &scope, traces).await?;
    if material.records.is_empty() {
        // Expired or erased since.
        return Ok(Written::default());
    }
    let (project, now_ns) = (project.clone(), writing.now_ns);
    // On a thread of its own: ten thousand records take a while.
    let folded = tokio::task::spawn_blocking(move || fold(&project, material, now_ns)).await;
    let mut folded = folded.map_err(|error| {
        tracing::error!(panicked = error.is_panic(), "the fold of touched runs was broken off");
        ProjectionError::Broken
    })?;
    settle(store, &scope, &mut folded).await?;
    let Writing { kept_days, name, .. } = writing;
    // Whoever finds an action unknown finds its case too.
    write_cases(store, &folded.cases, kept_days, &format!("{name} cases")).await?;
    write_actions(store, &folded.actions, kept_days, &format!("{name} actions")).await?;
    write_runs(store, &folded.runs, kept_days, &format!("{name} runs")).await?;
    let written = folded.runs.into_iter().filter(|line| !line.is_deleted);
    Ok(Written {
        run_ids: written.map(|line| line.summary.run_id).collect(),
        actions: folded.actions.iter().filter(|line| !line.is_deleted).count() as u64,
        records: folded.record_count,
    })
}

/// Looks for lines that stand and should not. What came at once never had others.
async fn settle(store: &Store, scope: &Scope, folded: &mut Folded) -> Result<(), StoreError> {
    let case_ids: Vec<&str> = folded.doubtful_case_ids.iter().map(String::as_str).collect();
    if !case_ids.is_empty() {
        let standing = standing_cases(store, scope, &case_ids).await?;
        folded.settle_cases(&standing);
    }
    let run_ids: Vec<&str> = folded.doubtful_run_ids.iter().map(String::as_str).collect();
    let keys: Vec<&str> = folded.doubtful_keys.iter().map(String::as_str).collect();
    if run_ids.is_empty() && keys.is_empty() {
        return Ok(());
    }
    let runs = standing_runs(store, scope, &run_ids, folded.received_from_ns).await?;
    let actions = standing_actions(store, scope, &keys, &run_ids).await?;
    folded.settle(&runs, &actions);
    Ok(())
}
