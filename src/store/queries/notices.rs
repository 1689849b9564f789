//! Which webhooks were told what.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("notices.sql");
const COLUMNS: [&str; 9] =
    ["project", "endpoint", "case_id", "episode", "kind", "at_ns", "delivered", "attempts", "expires"];

/// Something that a webhook was told, or that it did not take.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct KeptNotice {
    /// A digest of its URL.
    pub endpoint: String,
    /// The case.
    pub case_id: String,
    /// The how-manieth time that the act was unknown.
    pub episode: u32,
    /// What.
    pub kind: String,
    /// When, nanoseconds since 1970.
    pub at_ns: u64,
    /// False where it was given up.
    pub delivered: bool,
    /// After how many attempts.
    pub attempts: u32,
}

/// Remembers what was told, for so many days.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn record_notices(
    store: &Store,
    scope: &Scope,
    notices: &[KeptNotice],
    kept_days: u16,
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    let mut token = "notices".to_owned();
    for notice in notices {
        scope.project.write(&mut out);
        out.text(&notice.endpoint);
        out.text(&notice.case_id);
        out.u32(notice.episode);
        out.text(&notice.kind);
        out.u64(notice.at_ns);
        notice.delivered.write(&mut out);
        out.u32(notice.attempts);
        Day::after(notice.at_ns, kept_days).write(&mut out);
        let KeptNotice { endpoint, case_id, episode, kind, at_ns, .. } = notice;
        token.push_str(&format!(" {endpoint}/{case_id}/{episode}/{kind}/{at_ns}"));
    }
    store.insert_rows("notices", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}

/// What a webhook was told.
///
/// # Errors
/// As for any read.
pub async fn notices(store: &Store, scope: &Scope, endpoint: &str) -> Result<Vec<KeptNotice>, StoreError> {
    store.read(scope, SQL).bind("endpoint", endpoint).all().await
}
