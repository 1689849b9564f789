//! What the drain needs of the store and of projection, as one thing that a test can stand in for.
use std::ops::Range;

use bytes::Bytes;

use crate::log::Sealed;

/// Where drained rows go.
pub trait Sink: Send + Sync + 'static {
    /// What has to be projected after a segment's rows are stored.
    type Touched: Send + 'static;

    /// All rows of a segment, one insert a table, in the order in which tables are filled. The same segment
    /// always gives the same bytes. An error says why nobody will ever read this segment.
    fn gather(&self, sealed: &Sealed) -> Result<Batch<Self::Touched>, String>;

    /// Stores rows. `Ok` means stored, or stored before under this token.
    fn insert(
        &self,
        insert: &TableInsert,
        rows: Bytes,
        token: &str,
    ) -> impl Future<Output = Result<(), Setback>> + Send;

    /// These rows are stored now.
    fn confirmed(&self, insert: &TableInsert, rows: &[u8]);

    /// Resolves when everything that follows from the stored rows is written too.
    fn project(&self, touched: Self::Touched) -> impl Future<Output = ()> + Send;

    /// The rows as a payload that [`Sink::gather`] reads, for the file of rejected rows.
    fn payload(&self, insert: &TableInsert, rows: &[u8], row_count: usize) -> Bytes;

    /// Makes it visible that these rows were refused. `token` is the same whenever the segment is drained
    /// again.
    fn report(
        &self,
        insert: &TableInsert,
        rejected: &[Rejected],
        token: &str,
    ) -> impl Future<Output = Result<(), Setback>> + Send;
}

/// What a segment holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<T> {
    /// One insert a table, in order.
    pub inserts: Vec<TableInsert>,
    /// What to project afterwards.
    pub touched: T,
}

/// All rows of one table in one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInsert {
    /// The table's name.
    pub table: String,
    /// The columns that the rows have.
    pub columns: Vec<String>,
    /// The rows.
    pub bytes: Bytes,
    /// Where each row ends; where that is not known, where each group of rows ends that cannot be taken
    /// apart.
    pub ends: Vec<usize>,
    /// Whether a row is a record as the ledger counts them.
    pub is_records: bool,
}

impl TableInsert {
    /// The bytes of these rows.
    pub fn rows(&self, rows: &Range<usize>) -> Bytes {
        let at = |row: usize| match row.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(self.bytes.len()),
            None => 0,
        };
        self.bytes.slice(at(rows.start)..at(rows.end).max(at(rows.start)))
    }
}

/// Rows that the store refuses.
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
