//! What the drain needs of the store and of projection, as one thing that a test can stand in for.
use std::ops::Range;

use bytes::Bytes;

use crate::domain::ids::{Project, TraceId};
use crate::store::rows::Insert;

/// Where drained rows go.
pub trait Sink: Send + Sync + 'static {
    /// Stores some of the insert's rows. `Ok` means stored, or stored before under this token.
    fn insert(
        &self,
        insert: &Insert,
        rows: Bytes,
        token: &str,
    ) -> impl Future<Output = Result<(), Setback>> + Send;

    /// These rows are stored now.
    fn confirmed(&self, insert: &Insert, rows: &[u8]);

    /// Resolves when everything that follows from the stored rows is written too.
    fn project(&self, touched: Vec<(Project, TraceId)>) -> impl Future<Output = ()> + Send;

    /// Makes it visible to this project that rows were refused. The token is the same whenever the segment is
    /// drained again.
    fn report(
        &self,
        project: &Project,
        refused: &RefusedRows<'_>,
        token: &str,
    ) -> impl Future<Output = Result<(), Setback>> + Send;
}

/// Rows of one table that the store refuses.
#[derive(Debug)]
pub struct RefusedRows<'a> {
    /// The insert they were part of.
    pub insert: &'a Insert,
    /// Which of its rows.
    pub rejected: &'a [Rejected],
}

/// Rows that the store refuses, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Which of the insert's rows.
    pub rows: Range<usize>,
    /// Why, without their content.
    pub reason: String,
}

/// Why an insert did not succeed, by what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setback {
    /// Not stored, or not known to be: the same bytes go again under the same token. The word is its class,
    /// such as `unreachable`.
    Again(&'static str),
    /// Certainly not stored, and perhaps too much at once: again, and in the end in smaller pieces.
    Crowded(&'static str),
    /// Some of these rows will never be taken.
    Refused(String),
}

/// The bytes of some of the insert's rows.
pub(crate) fn bytes_of(insert: &Insert, rows: &Range<usize>) -> Bytes {
    let end_of = |row: usize| row.checked_sub(1).and_then(|row| insert.ends.get(row)).copied().unwrap_or(0);
    let (from, to) = (end_of(rows.start), end_of(rows.end).min(insert.bytes.len()));
    insert.bytes.slice(from.min(to)..to)
}
