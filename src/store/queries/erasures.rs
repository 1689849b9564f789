//! Erasures, as kept: rows are only ever added, the latest of each counts.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::Erasure;
use crate::domain::ids::Project;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Writer;
use crate::store::rows::cell::Cell;

const SQL: &str = include_str!("erasures.sql");
const COLUMNS: [&str; 13] = [
    "erasure_id",
    "at_ns",
    "project",
    "about",
    "reason",
    "asked_ns",
    "asked_by",
    "runs",
    "records",
    "bodies",
    "is_done",
    "receipt",
    "rewritten_s",
];

#[derive(Row, Deserialize)]
struct ErasureRow {
    erasure_id: String,
    at_ns: u64,
    project: String,
    about: String,
    reason: String,
    asked_ns: u64,
    asked_by: String,
    runs: u64,
    records: u64,
    bodies: u64,
    is_done: bool,
    receipt: String,
    rewritten_s: u64,
}

/// The erasures of a project, or of all; the latest asked for first.
///
/// # Errors
/// As for any read.
pub async fn erasures(store: &Store, project: Option<&Project>) -> Result<Vec<Erasure>, StoreError> {
    let name = project.map(|project| project.0.as_str()).unwrap_or_default();
    let rows: Vec<ErasureRow> = store.read_all_projects(SQL).bind("project", name).all().await?;
    let mut erasures: Vec<Erasure> = rows.into_iter().map(read).collect();
    erasures.sort_by(|one, other| other.asked_ns.cmp(&one.asked_ns).then_with(|| one.id.cmp(&other.id)));
    Ok(erasures)
}

fn read(row: ErasureRow) -> Erasure {
    Erasure {
        id: row.erasure_id,
        at_ns: row.at_ns,
        project: Project(row.project),
        about: row.about,
        reason: row.reason,
        asked_ns: row.asked_ns,
        asked_by: row.asked_by,
        runs: row.runs,
        records: row.records,
        bodies: row.bodies,
        rewritten_s: Some(row.rewritten_s).filter(|at| *at > 0),
        receipt: row.is_done.then_some(row.receipt),
    }
}

/// Keeps an erasure as it is now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_erasure(store: &Store, erasure: &Erasure) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.text(&erasure.id);
    out.u64(erasure.at_ns);
    erasure.project.write(&mut out);
    out.text(&erasure.about);
    out.text(&erasure.reason);
    out.u64(erasure.asked_ns);
    out.text(&erasure.asked_by);
    out.u64(erasure.runs);
    out.u64(erasure.records);
    out.u64(erasure.bodies);
    erasure.receipt.is_some().write(&mut out);
    out.text(erasure.receipt.as_deref().unwrap_or_default());
    out.u64(erasure.rewritten_s.unwrap_or_default());
    let token = format!("erasures {} {}", erasure.id, erasure.at_ns);
    store.insert_rows("erasures", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}
