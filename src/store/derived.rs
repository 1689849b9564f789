//! Writing derived lines: one a run, one a key. Made of records, so they can be made again.
use bytes::Bytes;

use crate::domain::action::Action;
use crate::domain::ids::Project;
use crate::domain::summary::RunSummary;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Table;
use crate::store::rows::actions::{KeptAction, write_action};
use crate::store::rows::cell::Day;
use crate::store::rows::runs::{KeptRun, write_run};
use crate::store::rows::writer::Writer;

/// A line to write, or to take back.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived<T> {
    /// Whose it is.
    pub project: Project,
    /// The line.
    pub line: T,
    /// When the last record it was made of was received, nanoseconds since 1970: it lives as long as that.
    pub received_ns: u64,
    /// Whether the line that stands under the same key is wrong now.
    pub is_deleted: bool,
}

/// Writes lines of runs, kept for so many days. Of lines for one run the highest version wins.
///
/// # Errors
/// As for any insert; the token names these lines.
pub async fn write_runs(
    store: &Store,
    lines: &[Derived<RunSummary>],
    kept_days: u16,
    token: &str,
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for Derived { project, line, received_ns, is_deleted } in lines {
        let expires = Day::after(*received_ns, kept_days);
        write_run(&mut out, &KeptRun { project, summary: line, expires, is_deleted: *is_deleted });
    }
    write(store, Table::Runs, out, token).await
}

/// Writes lines of actions, kept for so many days. Of lines for one key and tool the highest version wins.
///
/// # Errors
/// As for any insert; the token names these lines.
pub async fn write_actions(
    store: &Store,
    lines: &[Derived<Action>],
    kept_days: u16,
    token: &str,
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for Derived { project, line, received_ns, is_deleted } in lines {
        let expires = Day::after(*received_ns, kept_days);
        write_action(&mut out, &KeptAction { project, action: line, expires, is_deleted: *is_deleted });
    }
    write(store, Table::Actions, out, token).await
}

async fn write(store: &Store, table: Table, out: Writer, token: &str) -> Result<(), StoreError> {
    if out.is_empty() {
        return Ok(());
    }
    store.insert_rows(table.name(), &table.columns(), Bytes::from(out.into_bytes()), token).await
}

/// Empties both derived tables, so that they can be made again from nothing.
///
/// # Errors
/// As for any statement; doing it again is right.
pub async fn clear_derived(store: &Store) -> Result<(), StoreError> {
    for table in [Table::Runs, Table::Actions] {
        let table = table.name();
        let statement = match store.cluster() {
            None => format!("TRUNCATE TABLE {table}"),
            Some(cluster) if cluster.on_cluster => {
                format!("TRUNCATE TABLE {table}_local ON CLUSTER '{}'", cluster.name)
            }
            Some(_) => format!("TRUNCATE TABLE {table}_local"),
        };
        store.within(store.insert_timeout(), store.client.query_raw(&statement).execute()).await?;
    }
    Ok(())
}
