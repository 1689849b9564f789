//! What happened to the system itself. It belongs to no project, so it takes no scope; whoever shows it
//! asks who looks.
use bytes::Bytes;

use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Table;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::cell::Day;
use crate::store::rows::lifecycle::{COLUMNS, blank, write_lifecycle};
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("lifecycle.sql");

/// Adds an event, kept as long as activity is.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn record_lifecycle(store: &Store, event: &LifecycleEvent) -> Result<(), StoreError> {
    let mut out = Writer::default();
    write_lifecycle(&mut out, event, Day::after(event.at_ns, store.activity_days()));
    let token = format!("lifecycle {} {}", event.at_ns, event.event_id);
    let rows = Bytes::from(out.into_bytes());
    store.insert_rows(Table::Lifecycle.name(), &Table::Lifecycle.columns(), rows, &token).await
}

/// Events, newest first: all, or of one kind. The fingerprint of the key file in use is a detail of the
/// latest [`LifecycleKind::KeysMade`].
///
/// # Errors
/// As for any read.
pub async fn lifecycle(
    store: &Store,
    kind: Option<LifecycleKind>,
    rows_max: u16,
) -> Result<Vec<LifecycleEvent>, StoreError> {
    let read = store
        .read_all_projects(&select(SQL, COLUMNS))
        .bind("kind", kind.map(LifecycleKind::word).unwrap_or_default())
        .bind("rows_max", rows_max);
    rows(read, COLUMNS, blank).await
}
