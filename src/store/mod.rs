//! ClickHouse: the only room that knows a column name or speaks SQL.
//!
//! A query is a file in `queries/` beside its `.sql`:
//!
//! ```ignore
//! const SQL: &str = include_str!("runs.sql"); // … WHERE project = {project:String} AND seen >=
//! {from:Int64}
//!
//! pub async fn runs(store: &Store, scope: &Scope, from: i64) -> Result<Vec<Summary>, StoreError> {
//!     let rows: Vec<Row> = store.read(scope, SQL).bind("from", from).all().await?;
//!     Ok(rows.into_iter().map(Summary::from).collect())
//! }
//! ```
//!
//! `store.read` binds `{project:String}`, puts in the condition that a scope limited to some entities
//! asks for where the statement says `$run_in_scope`, `$entities_in_scope` or `$trace_in_scope`, and
//! sends `readonly = 1`, the time limit and the row limit; nothing is ever spliced into SQL. Rows are
//! structs with `#[derive(clickhouse::Row, serde::Deserialize)]` whose fields are named and typed like
//! the result's columns; a mismatch is an error, not a wrong value. Besides `all` there are `one`,
//! `optional`, `stream` (rows in bounded memory) and `bytes` (CSV, JSON lines, Parquet). A literal `?`
//! needs no escaping.
//!
//! Rows go in through `Store::insert_rows`, as `RowBinary` bytes under a deduplication token.
mod accounts;
mod alert_events;
mod case_events;
mod client;
mod derived;
mod engine;
mod entity_lines;
mod erasing;
mod error;
mod expiry;
mod facets;
mod finding_filter;
mod held;
mod hits;
mod insert;
mod key_traces;
mod limits;
mod migrate;
mod migrations;
mod password;
mod placeholders;
pub mod queries;
mod read;
mod records;
pub mod rows;
mod run_filter;
mod settings;
mod stretch;
mod texts;
mod traces;
mod tree;

pub use accounts::{
    ApplyError, Changed, SavedView, change_access, directory, directory_as_of, end_sessions_of, keep_key,
    keep_person, keep_project, keep_session, keep_uses, keep_view, last_uses, saved_views,
};
pub use client::{Answering, Store};
pub use derived::{
    ActionLine, CaseLine, RunLine, StandingAction, StandingCase, StandingRun, standing_actions,
    standing_cases, standing_runs, write_actions, write_cases, write_runs,
};
pub use engine::{Credentials, Engine, EngineError, EngineSettings};
pub use entity_lines::EntityFilter;
pub use erasing::Left;
pub use error::{Answer, StoreError};
pub use expiry::Expired;
pub use finding_filter::FindingFilter;
pub use key_traces::{KEY_TRACES_MAX, key_traces};
pub use migrate::MigrateError;
pub use migrations::{MIGRATIONS, Migration};
pub use password::Password;
pub use read::{Pieces, Read, Rows};
pub use run_filter::{Bound, Choice, RunField, RunFilter, RunMeasure};
pub use settings::{ClusterSettings, Place, ServerSettings, StoreSettings};
pub use stretch::Stretch;
pub use texts::{AttributeTest, Needle, TextFilter, TextPlace};
pub use traces::{RUN_TRACES_MAX, traces_of};
pub use tree::{TreeNode, write_tree};
