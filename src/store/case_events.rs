//! Events of cases: appended one after the other, of two at once only one.
use bytes::Bytes;

use crate::domain::case::CaseEvent;
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Table;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::case_events::{KeptCaseEvent, Reading, SHOWN, write_case_event};
use crate::store::rows::cell::Day;
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("case_events.sql");
const ABOUT_SQL: &str = include_str!("events_about.sql");

/// Whether an event was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It is kept, after these and before nothing: the case's events with it.
    Yes(Vec<CaseEvent>),
    /// Somebody was faster: the case's events, without it.
    No(Vec<CaseEvent>),
}

/// Appends an event after the one that its author saw last, kept for so many days, and reads back.
///
/// The token of the insert names the case and the event before, so of two inserts after the same event the
/// store keeps the first and drops the other without a word; reading back tells who it was.
///
/// # Errors
/// [`StoreError::Unknown`] if it may have been kept: repeat with the same event. Else as for any insert and
/// read.
pub async fn append_case_event(
    store: &Store,
    scope: &Scope,
    event: &CaseEvent,
    kept_days: u16,
) -> Result<Appended, StoreError> {
    let mut out = Writer::default();
    let expires = Day::after(event.at_ns, kept_days);
    write_case_event(&mut out, &KeptCaseEvent { project: &scope.project, event, expires });
    let after = event.saw.as_deref().unwrap_or("none");
    let token = format!("case {} {} after {after}", scope.project.0, event.case_id);
    let rows = Bytes::from(out.into_bytes());
    let table = Table::CaseEvents;
    store.insert_rows(table.name(), &table.columns(), rows, &token).await?;
    let events = case_events(store, scope, std::slice::from_ref(&event.case_id)).await?;
    let is_there = events.iter().any(|kept| kept.event_id == event.event_id);
    Ok(if is_there { Appended::Yes(events) } else { Appended::No(events) })
}

/// The events of these cases, by case and then in order.
///
/// # Errors
/// As for any read.
pub async fn case_events(
    store: &Store,
    scope: &Scope,
    case_ids: &[String],
) -> Result<Vec<CaseEvent>, StoreError> {
    if case_ids.is_empty() {
        return Ok(Vec::new());
    }
    let read = store.read(scope, &select(SQL, SHOWN)).bind("case_ids", case_ids).alone();
    let found = rows(read, SHOWN, Reading::default).await?;
    found.into_iter().map(|reading| Ok(reading.event()?)).collect()
}

/// The events of the cases under these keys, and of those without a key in these traces, in order.
///
/// # Errors
/// As for any read.
pub async fn events_about(
    store: &Store,
    scope: &Scope,
    keys: &[&str],
    traces: &[TraceId],
) -> Result<Vec<CaseEvent>, StoreError> {
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let read = store.read(scope, &select(ABOUT_SQL, SHOWN)).bind("keys", keys).bind("traces", traces);
    let found = rows(read, SHOWN, Reading::default).await?;
    found.into_iter().map(|reading| Ok(reading.event()?)).collect()
}
