//! Every trace of every project, a page at a time, for what keeps house.
use crate::domain::ids::{Project, TraceId};
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::whole;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("trace_pages.sql");

/// The traces after this one (all zero: the first), at most so many, in order.
///
/// # Errors
/// As for any read.
pub async fn trace_page(
    store: &Store,
    after: &(Project, TraceId),
    traces_max: usize,
) -> Result<Vec<(Project, TraceId)>, StoreError> {
    let read = store
        .read_all_projects(SQL)
        .bind("after_project", after.0.0.as_str())
        .bind("after_trace", after.1.to_string())
        .bind("traces_max", traces_max);
    let bytes = whole(read).await?;
    let mut from = Reader::new(&bytes);
    let mut found = Vec::new();
    while from.left() > 0 {
        found.push((Project(String::read(&mut from)?), TraceId::read(&mut from)?));
    }
    Ok(found)
}
