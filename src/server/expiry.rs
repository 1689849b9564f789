//! The job that drops what is over, week by week, and records what it dropped.
use std::collections::BTreeMap;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::domain::lifecycle::LifecycleKind;
use crate::server::prepare::{now_ns, record};
use crate::store::{Expired, Store, StoreError};

/// Between two looks. Rows are dropped by the week, so nothing is gained by looking more often.
const LOOK_EVERY: Duration = Duration::from_secs(6 * 3600);
/// After a look that failed, and after the start.
const LOOK_AGAIN: Duration = Duration::from_secs(300);

/// Looks for weeks that are over until `stop`.
pub(in crate::server) fn watch(store: Store, stop: CancellationToken) {
    tokio::spawn(async move {
        let mut wait = LOOK_AGAIN;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
            wait = match expire(&store, now_ns()).await {
                Ok(_) => LOOK_EVERY,
                Err(error) => {
                    tracing::warn!(%error, "what has expired could not be dropped; it is tried again");
                    LOOK_AGAIN
                }
            };
        }
    });
}

/// Drops what is over at this time, and records it: one event a week.
///
/// # Errors
/// As for any statement.
pub async fn expire(store: &Store, now_ns: u64) -> Result<Vec<Expired>, StoreError> {
    let expired = store.expire(now_ns).await?;
    let mut weeks: BTreeMap<&str, Vec<&Expired>> = BTreeMap::new();
    for one in &expired {
        weeks.entry(&one.week).or_default().push(one);
    }
    for (week, tables) in weeks {
        let rows: u64 = tables.iter().map(|one| one.rows).sum();
        tracing::info!(week, rows, "records whose time was over were dropped");
        let mut detail = vec![("week".to_owned(), week.to_owned())];
        detail.extend(
            tables
                .iter()
                .map(|one| (one.table.clone(), format!("{} rows, {} moved on", one.rows, one.moved))),
        );
        record(store, LifecycleKind::Expired, detail).await?;
    }
    Ok(expired)
}
