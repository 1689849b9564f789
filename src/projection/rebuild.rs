//! Makes the derived tables again from nothing.
use crate::domain::ids::TraceId;
use crate::projection::error::ProjectionError;
use crate::projection::lines::{Writing, write_lines};
use crate::projection::task::ProjectionSettings;
use crate::store::Store;
use crate::store::queries::all_traces;

/// What was made again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Lines of runs written; that of a run of several traces may have been written more than once.
    pub runs: u64,
    /// Lines of actions written.
    pub actions: u64,
    /// Records they were made of.
    pub records: u64,
}

/// Empties the derived tables and folds every trace there is. While it runs, lists are incomplete.
///
/// # Errors
/// What the store says; what was written until then stands, and doing it again is right.
pub async fn rebuild(store: &Store) -> Result<Rebuilt, ProjectionError> {
    rebuild_with(store, &ProjectionSettings::default()).await
}

/// As [`rebuild`], with settings of its own.
///
/// # Errors
/// As for [`rebuild`].
pub async fn rebuild_with(store: &Store, settings: &ProjectionSettings) -> Result<Rebuilt, ProjectionError> {
    store.clear_derived().await?;
    let begun_ns = (settings.now_ns)();
    let traces_max = u32::try_from(settings.traces_max.max(1)).unwrap_or(u32::MAX);
    let (mut total, mut after) = (Rebuilt::default(), None);
    for page_number in 0_u64.. {
        let page = all_traces(store, after.as_ref(), traces_max).await?;
        for (part, of_project) in page.chunk_by(|one, other| one.0 == other.0).enumerate() {
            let Some((project, _)) = of_project.first() else { continue };
            let traces: Vec<TraceId> = of_project.iter().map(|(_, trace)| *trace).collect();
            let name = format!("rebuild {} {begun_ns} {page_number} {part}", std::process::id());
            let writing = Writing { now_ns: (settings.now_ns)(), kept_days: settings.kept_days, name: &name };
            let written = write_lines(store, project, &traces, writing).await?;
            total.runs += written.run_ids.len() as u64;
            total.actions += written.actions;
            total.records += written.records;
        }
        after = page.into_iter().next_back();
        if after.is_none() {
            break;
        }
    }
    Ok(total)
}
