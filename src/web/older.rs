//! What of a run has expired: it is never shown as if that had not been.
use crate::domain::run::Run;
use crate::domain::scope::Scope;
use crate::store::queries::run_line;
use crate::store::{Store, StoreError};
use crate::web::format;

/// How many records fewer a run has now than its line was folded of.
pub(in crate::web) async fn expired(
    store: &Store,
    scope: &Scope,
    run: &Run,
    now_ns: u64,
) -> Result<u64, StoreError> {
    let line = run_line(store, scope, &run.run_id, now_ns).await?;
    Ok(line.map_or(0, |line| line.summary.version.saturating_sub(run.version)))
}

/// The same as a sentence; none where nothing has.
pub(in crate::web) fn said(expired: u64) -> Option<String> {
    let records = format::counted(expired, "older record", "older records");
    let verb = if expired == 1 { "has" } else { "have" };
    (expired > 0).then(|| format!("{records} of this run {verb} expired: what is shown is the rest of it."))
}
