//! Every trace of every project, for making derived lines again. Never for a viewer.
use crate::domain::ids::{Project, TraceId};
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::whole;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("all_traces.sql");

/// Traces in order, after this one.
///
/// # Errors
/// As for any read.
pub async fn all_traces(
    store: &Store,
    after: Option<&(Project, TraceId)>,
    rows_max: u32,
) -> Result<Vec<(Project, TraceId)>, StoreError> {
    let (project, trace_id) = after.cloned().unwrap_or((Project(String::new()), TraceId::default()));
    let read = store
        .read_all_projects(SQL)
        .bind("after_project", project.0)
        .bind("after_trace_id", trace_id.to_string())
        .bind("rows_max", rows_max);
    let bytes = whole(read).await?;
    let mut from = Reader::new(&bytes);
    let mut traces = Vec::new();
    while from.left() > 0 {
        traces.push((Project::read(&mut from)?, TraceId::read(&mut from)?));
    }
    Ok(traces)
}
