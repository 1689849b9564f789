//! Makes the derived tables again from nothing.
use crate::domain::ids::{Project, TraceId};
use crate::projection::error::ProjectionError;
use crate::projection::lines::write_lines;
use crate::store::queries::trace_page;
use crate::store::{Store, clear_derived};

/// Traces folded at once.
const TRACES_MAX: usize = 500;

/// What was made again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Lines of runs written.
    pub runs: u64,
    /// Lines of actions written.
    pub actions: u64,
    /// Records they were made of.
    pub records: u64,
}

/// Empties the derived tables and folds every trace there is.
///
/// # Errors
/// What the store says; what was written until then stands, and doing it again is right.
pub async fn rebuild(store: &Store) -> Result<Rebuilt, ProjectionError> {
    clear_derived(store).await?;
    let mut total = Rebuilt::default();
    let mut after = (Project(String::new()), TraceId::default());
    let mut page_number = 0_u64;
    let begun = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    loop {
        let page = trace_page(store, &after, TRACES_MAX).await?;
        let Some(last) = page.last() else { return Ok(total) };
        after = last.clone();
        for of_project in page.chunk_by(|one, other| one.0 == other.0) {
            let Some((project, _)) = of_project.first() else { continue };
            let traces: Vec<TraceId> = of_project.iter().map(|(_, trace)| *trace).collect();
            page_number += 1;
            let name = format!("rebuild {} {page_number}", begun.as_nanos());
            let written = write_lines(store, project, &traces, &name).await?;
            total.runs += written.runs;
            total.actions += written.actions;
            total.records += written.records;
        }
    }
}
