//! Who looked at what and who changed what.
use bytes::Bytes;

use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Table;
use crate::store::rows::activity::{COLUMNS, write_activity};
use crate::store::rows::answer::{rows, select};
use crate::store::rows::cell::Day;
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("activity.sql");

/// Which entries. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActivityFilter {
    /// By this person or key, as recorded.
    pub who: String,
    /// Of this kind.
    pub kind: Option<ActivityKind>,
    /// About one of these entities, `type:id`; any when empty.
    pub entities: Vec<String>,
    /// About this run.
    pub run_id: String,
    /// At this time or later, nanoseconds since 1970.
    pub from_ns: Option<u64>,
    /// Before this time.
    pub to_ns: Option<u64>,
}

/// A place in the list: that of the last entry seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActivityPlace {
    /// When it was.
    pub at_ns: u64,
    /// Its id.
    pub id: String,
}

/// Entries, newest first, after a place. A limited auditor sees those about entities in scope.
///
/// # Errors
/// As for any read.
pub async fn activity(
    store: &Store,
    scope: &Scope,
    filter: &ActivityFilter,
    (after, rows_max): (&ActivityPlace, u16),
) -> Result<Vec<Activity>, StoreError> {
    let read = store
        .read(scope, &select(SQL, COLUMNS))
        .bind("who", &filter.who)
        .bind("kind", filter.kind.map(ActivityKind::word).unwrap_or_default())
        .bind("entities", &filter.entities)
        .bind("run_id", &filter.run_id)
        .bind("from_ns", filter.from_ns.unwrap_or_default())
        .bind("to_ns", filter.to_ns.unwrap_or_default())
        .bind("after_ns", after.at_ns)
        .bind("after_id", &after.id)
        .bind("rows_max", rows_max);
    rows(read, COLUMNS, Activity::default).await
}

/// Keeps an entry in the store at once: for when the log has no room.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_activity(store: &Store, entry: &Activity) -> Result<(), StoreError> {
    let mut out = Writer::default();
    write_activity(&mut out, entry, Day::after(entry.at_ns, store.activity_days()));
    let token = format!("activity {} {}", entry.at_ns, entry.id);
    let rows = Bytes::from(out.into_bytes());
    store.insert_rows(Table::Activity.name(), &Table::Activity.columns(), rows, &token).await
}
