//! Which of several servers tells a webhook what.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("notice_claims.sql");
const COLUMNS: [&str; 9] =
    ["project", "endpoint", "case_id", "episode", "kind", "turn", "server", "at_ns", "expires"];
/// What was claimed longer ago is forgotten.
const REMEMBERED_NS: u64 = 7 * 86_400_000_000_000;

/// That a server tells something.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct NoticeClaim {
    /// The case.
    pub case_id: String,
    /// The how-manieth time that the act was unknown.
    pub episode: u32,
    /// What.
    pub kind: String,
    /// The how-manieth claim, from 0.
    pub turn: u32,
    /// Whose it is.
    pub server: String,
    /// Since when, nanoseconds since 1970.
    pub at_ns: u64,
}

/// Claims to tell a webhook something; `false` where another server did first.
///
/// The token of the insert names the message and the turn, so of two claims the store keeps the first and
/// drops the other without a word; reading back tells whose it was.
///
/// # Errors
/// As for any insert and read.
pub async fn claim_notice(
    store: &Store,
    scope: &Scope,
    endpoint: &str,
    claim: &NoticeClaim,
) -> Result<bool, StoreError> {
    let NoticeClaim { case_id, episode, kind, turn, server, at_ns } = claim;
    let mut out = Writer::default();
    scope.project.write(&mut out);
    out.text(endpoint);
    out.text(case_id);
    out.u32(*episode);
    out.text(kind);
    out.u32(*turn);
    out.text(server);
    out.u64(*at_ns);
    Day::after(*at_ns, 30).write(&mut out);
    let token = format!("claim {} {endpoint}/{case_id}/{episode}/{kind}/{turn}", scope.project.0);
    store.insert_rows("notice_claims", &COLUMNS, Bytes::from(out.into_bytes()), &token).await?;
    let found = read(store, scope, endpoint, case_id, *at_ns).await?;
    Ok(found.iter().any(|kept| kept == claim))
}

/// The last claims of messages to a webhook.
///
/// # Errors
/// As for any read.
pub async fn notice_claims(
    store: &Store,
    scope: &Scope,
    endpoint: &str,
    now_ns: u64,
) -> Result<Vec<NoticeClaim>, StoreError> {
    read(store, scope, endpoint, "", now_ns).await
}

async fn read(
    store: &Store,
    scope: &Scope,
    endpoint: &str,
    case_id: &str,
    now_ns: u64,
) -> Result<Vec<NoticeClaim>, StoreError> {
    let read = store.read(scope, SQL).bind("endpoint", endpoint).bind("case_id", case_id);
    read.bind("from_ns", now_ns.saturating_sub(REMEMBERED_NS)).all().await
}
