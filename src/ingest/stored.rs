//! The drain's way into the real store: rows by the inserts of one segment, then whatever follows from
//! them.
use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::domain::ids::{Project, TraceId};
use crate::ingest::sink::{RefusedRows, Setback, Sink, bytes_of};
use crate::otlp::Refused;
use crate::store::Store;
use crate::store::queries::erased;
use crate::store::rows::{Encoder, Insert, Table, sifted};

/// What other servers erase is heard of after so long.
pub(crate) const ERASED_KNOWN_FOR: Duration = Duration::from_secs(2);
/// A row of `rejects` names so many refused pieces of one insert at most.
const REPORTED_MAX: usize = 100;

/// The store, and `follow`, which resolves when what follows from the rows of these traces is written.
pub struct Stored<F> {
    store: Store,
    encoder: Arc<Encoder>,
    follow: F,
}

impl<F> Stored<F> {
    /// Stores here; the encoder hears which bodies need not be sent again.
    pub fn new(store: Store, encoder: Arc<Encoder>, follow: F) -> Self {
        Self { store, encoder, follow }
    }
}

impl<F, D> Sink for Stored<F>
where
    F: Fn(Vec<(Project, TraceId)>) -> D + Send + Sync + 'static,
    D: Future<Output = ()> + Send,
{
    async fn insert(&self, insert: &Insert, rows: Bytes, token: &str) -> Result<(), Setback> {
        let tombs = self.encoder.tombs();
        let inserting = tombs.inserting().await;
        // Other servers over the same store erase too.
        let within = self.store.engine().is_none().then_some(ERASED_KNOWN_FOR);
        if !tombs.is_fresh(within) {
            let known = erased(&self.store, None).await.map_err(|error| Setback::of(&error))?;
            tombs.know_all(&known);
        }
        let rows = match rows_of(insert, &rows) {
            Some(some) => sifted(tombs, insert, some),
            None => rows,
        };
        if rows.is_empty() {
            return Ok(());
        }
        let done = self.store.insert_rows(insert.table.name(), &insert.columns, rows, token).await;
        drop(inserting);
        done.map_err(|error| Setback::of(&error))
    }

    fn confirmed(&self, insert: &Insert, rows: &[u8]) {
        // Rows of an older form are not looked at: their bodies are sent once more.
        let known = insert.table == Table::Contents && insert.columns == Table::Contents.columns();
        if known && let Err(error) = self.encoder.confirmed(rows) {
            tracing::warn!(%error, "stored bodies cannot be remembered");
        }
    }

    async fn project(&self, touched: Vec<(Project, TraceId)>) {
        (self.follow)(touched).await;
    }

    async fn report(&self, project: &Project, refused: &RefusedRows<'_>, token: &str) -> Result<(), Setback> {
        let RefusedRows { insert, rejected } = refused;
        let reported = rejected.iter().take(REPORTED_MAX).map(|one| {
            let bytes = bytes_of(insert, &one.rows);
            Refused {
                reason: format!(
                    "the store refuses rows of `{}`: {}; they are in a .rejected file of the log",
                    insert.table.name(),
                    one.reason
                ),
                class: "store",
                items: u64::try_from(one.rows.len()).unwrap_or(u64::MAX),
                service: None,
                bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
                sha256: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            }
        });
        let reported: Vec<Refused> = reported.collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let Some(rows) = self.encoder.refusals(project, now_ns, "drain", &reported) else { return Ok(()) };
        let columns = rows.table.columns();
        let done = self.store.insert_rows(rows.table.name(), &columns, rows.bytes.into(), token).await;
        done.map_err(|error| Setback::of(&error))
    }
}

/// Which rows of the insert these bytes are, of which they are a part.
fn rows_of(insert: &Insert, rows: &Bytes) -> Option<Range<usize>> {
    let from = rows.as_ptr().addr().checked_sub(insert.bytes.as_ptr().addr())?;
    let to = from.checked_add(rows.len()).filter(|to| *to <= insert.bytes.len())?;
    let row_at = |at: usize| insert.ends.partition_point(|end| *end <= at);
    Some(row_at(from)..row_at(to))
}
