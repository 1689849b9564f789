//! What alerts began and ended.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::alert::AlertEvent;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("alert_events.sql");
const STANDING_SQL: &str = include_str!("standing_alerts.sql");
const COLUMNS: [&str; 9] =
    ["project", "rule", "episode", "fired", "at_ns", "count", "said", "paths", "expires"];

#[derive(Row, Deserialize)]
struct Line {
    rule: String,
    episode: u32,
    fired: bool,
    at_ns: u64,
    count: u64,
    said: String,
    paths: Vec<String>,
}

impl From<Line> for AlertEvent {
    fn from(line: Line) -> Self {
        let Line { rule, episode, fired, at_ns, count, said, paths } = line;
        Self { rule, episode, fired, at_ns, count, said, paths }
    }
}

/// Remembers that alerts began or ended, for so many days. Of two servers that see it the store keeps one.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn record_alerts(
    store: &Store,
    scope: &Scope,
    events: &[AlertEvent],
    kept_days: u16,
) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    let mut out = Writer::default();
    let mut token = format!("alerts {}", scope.project.0);
    for event in events {
        scope.project.write(&mut out);
        out.text(&event.rule);
        out.u32(event.episode);
        event.fired.write(&mut out);
        out.u64(event.at_ns);
        out.u64(event.count);
        out.text(&event.said);
        event.paths.write(&mut out);
        Day::after(event.at_ns, kept_days).write(&mut out);
        token.push_str(&format!(" {}/{}/{}", event.rule, event.episode, event.fired));
    }
    store.insert_rows("alerts", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}

/// Beginnings and ends since a time, newest first.
///
/// # Errors
/// As for any read.
pub async fn alerts(
    store: &Store,
    scope: &Scope,
    from_ns: u64,
    rows_max: u16,
) -> Result<Vec<AlertEvent>, StoreError> {
    let read = store.read(scope, SQL).bind("from_ns", from_ns).bind("rows_max", rows_max);
    Ok(read.all::<Line>().await?.into_iter().map(AlertEvent::from).collect())
}

/// The last event of every rule that ever fired.
///
/// # Errors
/// As for any read.
pub async fn standing_alerts(store: &Store, scope: &Scope) -> Result<Vec<AlertEvent>, StoreError> {
    Ok(store.read(scope, STANDING_SQL).all::<Line>().await?.into_iter().map(AlertEvent::from).collect())
}
