//! What the drain needs of the store and of projection, as one thing that a test can stand in for.
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

    /// Where each of the rows ends. Where that cannot be told any more, where each group of them ends that
    /// stays together.
    fn row_ends(&self, insert: &TableInsert) -> Vec<usize>;

    /// The rows as a payload that [`Sink::gather`] reads, for the file of rejected rows.
    fn payload(&self, insert: &TableInsert, rejected: &Rejected) -> Bytes;

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
    /// Whether a row is a record as the ledger counts them.
    pub is_records: bool,
}

/// Rows that the store refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The rows.
    pub bytes: Bytes,
    /// How many.
    pub rows: usize,
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
