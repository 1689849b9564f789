//! The one way to read: a statement that cannot write, its parameters bound by type, its time and size
//! limited.
use std::time::Duration;

use bytes::Bytes;
use clickhouse::query::{BytesCursor, Query, RowCursor};
use clickhouse::{RowOwned, RowRead};
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::limits;

/// What the client waits on top of the limit that the store was told, so that the store's own answer wins.
const GRACE: Duration = Duration::from_secs(5);

impl Store {
    /// A read of one project's records. The SQL names the project as `{project:String}`, which is bound here,
    /// and how entities limit it by one of the conditions of `limits.rs`.
    pub fn read(&self, scope: &Scope, sql: &str) -> Read {
        let read = self.read_all_projects(&limits::spelt(scope, sql));
        let (project, limits) = limits::bound(scope, sql);
        let read = read.bind("project", project);
        if scope.is_limited() { read.bind("limits", limits) } else { read }
    }

    /// A read across projects, for what keeps house: projecting, expiring, counting. Nothing of it may reach
    /// a viewer.
    pub fn read_all_projects(&self, sql: &str) -> Read {
        let query = self
            .client
            .query_raw(sql)
            .with_setting("readonly", "1")
            .with_setting("cancel_http_readonly_queries_on_client_close", "1")
            .with_setting("max_result_rows", self.result_rows_max().to_string())
            .with_setting("max_query_size", "16777216")
            .with_setting("result_overflow_mode", "throw")
            .with_setting("timeout_overflow_mode", "throw");
        Read { query, limit: self.read_timeout() }
    }
}

/// A read being put together.
#[must_use]
pub struct Read {
    query: Query,
    limit: Duration,
}

impl Read {
    /// Binds the parameter that the SQL writes as `{name:Type}`.
    ///
    /// Numbers, booleans, strings, options, vectors, slices and tuples of these can be bound (an array `[T;
    /// N]` is a tuple to serde: bind a slice of it). Ids and digests are bound as hex text and read with
    /// `unhex({trace_id:String})`; times as integers (`fromUnixTimestamp64Nano({from:Int64})`).
    pub fn bind(mut self, name: &str, value: impl Serialize) -> Self {
        self.query = self.query.param(name, value);
        self
    }

    /// Sets a ClickHouse setting for this statement, such as `use_query_condition_cache`.
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.query = self.query.with_setting(name, value);
        self
    }

    /// A statement that finds a few rows by their order: one thread is quicker than sharing them out.
    pub fn alone(self) -> Self {
        self.setting("max_threads", "1")
    }

    /// Gives this statement another time limit than the store's default.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Every row.
    ///
    /// # Errors
    /// [`StoreError::TooSlow`] past the time limit, [`StoreError::Refused`] past the row limit or for wrong
    /// SQL.
    pub async fn all<T: RowOwned + RowRead>(self) -> Result<Vec<T>, StoreError> {
        let (query, limit) = self.limited();
        finish(limit, query.fetch_all()).await
    }

    /// The only row.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none; else as for [`Read::all`].
    pub async fn one<T: RowOwned + RowRead>(self) -> Result<T, StoreError> {
        let (query, limit) = self.limited();
        finish(limit, query.fetch_one()).await
    }

    /// The first row, if there is one.
    ///
    /// # Errors
    /// As for [`Read::all`].
    pub async fn optional<T: RowOwned + RowRead>(self) -> Result<Option<T>, StoreError> {
        let (query, limit) = self.limited();
        finish(limit, query.fetch_optional()).await
    }

    /// The rows one after the other, in bounded memory, without a limit on their number.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if a parameter can't be bound; all else comes from [`Rows::next`].
    pub fn stream<T: RowOwned + RowRead>(self) -> Result<Rows<T>, StoreError> {
        let (query, limit) = self.limited();
        let cursor = unlimited(query).fetch().map_err(|error| StoreError::of_read(error, limit))?;
        Ok(Rows { cursor, limit })
    }

    /// The result as text or bytes in one of ClickHouse's formats (`CSVWithNames`, `JSONEachRow`, `Parquet`),
    /// piece by piece, without a limit on the number of rows.
    ///
    /// # Errors
    /// As for [`Read::stream`].
    pub fn bytes(self, format: &str) -> Result<Pieces, StoreError> {
        let (query, limit) = self.limited();
        let cursor =
            unlimited(query).fetch_bytes(format).map_err(|error| StoreError::of_read(error, limit))?;
        Ok(Pieces { cursor, limit })
    }

    fn limited(self) -> (Query, Duration) {
        (self.query.with_setting("max_execution_time", self.limit.as_secs_f64().to_string()), self.limit)
    }
}

/// The rows of a read, one after the other. Dropping it stops the read.
pub struct Rows<T> {
    cursor: RowCursor<T>,
    limit: Duration,
}

impl<T: RowOwned + RowRead> Rows<T> {
    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// As for [`Read::all`]; nothing can be read after one.
    pub async fn next(&mut self) -> Result<Option<T>, StoreError> {
        finish(self.limit, self.cursor.next()).await
    }
}

/// The bytes of a read, piece by piece. Dropping it stops the read.
pub struct Pieces {
    cursor: BytesCursor,
    limit: Duration,
}

impl Pieces {
    /// The next piece; `None` after the last. An error means that what came before is not the whole result.
    ///
    /// # Errors
    /// As for [`Read::all`]; nothing can be read after one.
    pub async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        finish(self.limit, self.cursor.next()).await
    }
}

fn unlimited(query: Query) -> Query {
    // Pieces of thousands of rows, not of tens of thousands, keep the memory of a stream small.
    query.with_setting("max_result_rows", "0").with_setting("max_block_size", "8192")
}

async fn finish<T>(
    limit: Duration,
    answer: impl Future<Output = clickhouse::error::Result<T>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(limit.saturating_add(GRACE), answer).await {
        Ok(answer) => answer.map_err(|error| StoreError::of_read(error, limit)),
        Err(_) => Err(StoreError::TooSlow { limit }),
    }
}
