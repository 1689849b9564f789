//! Legal holds, as kept: rows are only ever added, the latest of each counts.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::hold::{HeldKind, Hold};
use crate::domain::ids::Project;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Writer;
use crate::store::rows::cell::Cell;

const SQL: &str = include_str!("holds.sql");
const COLUMNS: [&str; 11] = [
    "hold_id",
    "at_ns",
    "project",
    "kind",
    "names",
    "reason",
    "placed_ns",
    "placed_by",
    "lifted",
    "lifted_reason",
    "changed_by",
];

#[derive(Row, Deserialize)]
struct HoldRow {
    hold_id: String,
    at_ns: u64,
    project: String,
    kind: String,
    names: Vec<String>,
    reason: String,
    placed_ns: u64,
    placed_by: String,
    lifted: bool,
    lifted_reason: String,
    changed_by: String,
}

/// The holds of a project, or of all; the latest placed first, those that were lifted among them.
///
/// # Errors
/// As for any read; [`StoreError::Unreadable`] for a row of a later version: what it holds is not known, so
/// nothing may go.
pub async fn holds(store: &Store, project: Option<&Project>) -> Result<Vec<Hold>, StoreError> {
    let name = project.map(|project| project.0.as_str()).unwrap_or_default();
    let rows: Vec<HoldRow> = store.read_all_projects(SQL).bind("project", name).all().await?;
    let mut holds = rows.into_iter().map(read).collect::<Result<Vec<Hold>, StoreError>>()?;
    holds.sort_by(|one, other| other.placed_ns.cmp(&one.placed_ns).then_with(|| one.id.cmp(&other.id)));
    Ok(holds)
}

fn read(row: HoldRow) -> Result<Hold, StoreError> {
    let later = || StoreError::Unreadable {
        reason: format!("hold {} is on something that this version does not know", row.hold_id),
    };
    Ok(Hold {
        kind: HeldKind::from_word(&row.kind).ok_or_else(later)?,
        id: row.hold_id,
        at_ns: row.at_ns,
        project: Project(row.project),
        names: row.names,
        reason: row.reason,
        placed_ns: row.placed_ns,
        placed_by: row.placed_by,
        lifted: row.lifted.then_some(row.lifted_reason),
        changed_by: row.changed_by,
    })
}

/// Keeps a hold as it is now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_hold(store: &Store, hold: &Hold) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.text(&hold.id);
    out.u64(hold.at_ns);
    hold.project.write(&mut out);
    out.text(hold.kind.word());
    hold.names.write(&mut out);
    out.text(&hold.reason);
    out.u64(hold.placed_ns);
    out.text(&hold.placed_by);
    hold.lifted.is_some().write(&mut out);
    out.text(hold.lifted.as_deref().unwrap_or_default());
    out.text(&hold.changed_by);
    let token = format!("holds {} {}", hold.id, hold.at_ns);
    store.insert_rows("holds", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}
