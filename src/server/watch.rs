//! Watches the store: whether it answers, since when it does not, and brings its tables up to date when it
//! comes back after a start without it.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::server::prepare::{migrate, now_ns};
use crate::store::Store;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long a look may take.
const LOOK_WITHIN: Duration = Duration::from_secs(5);

/// What is known of the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::server) struct Seen {
    /// `embedded in <directory>` or `server at <host:port>`.
    pub(in crate::server) place: String,
    /// The version of ClickHouse; empty until it has answered.
    pub(in crate::server) version: String,
    /// Since when it does not answer, nanoseconds since 1970.
    pub(in crate::server) unreachable_since_ns: Option<u64>,
    /// Why its tables can't be used, when they can't.
    pub(in crate::server) unusable: Option<String>,
}

/// The watch. Clones see the same.
#[derive(Clone)]
pub(in crate::server) struct Watch(Arc<Mutex<Seen>>);

impl Watch {
    /// Looks once, then goes on looking until `stop`. `migrated`: whether the tables are up to date already.
    pub(in crate::server) async fn start(store: Store, migrated: bool, stop: CancellationToken) -> Self {
        let watch = Self(Arc::default());
        watch.look(&store).await;
        let this = watch.clone();
        tokio::spawn(async move {
            let mut migrated = migrated;
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
                this.look(&store).await;
                if !migrated && this.seen().unreachable_since_ns.is_none() {
                    match migrate(&store).await {
                        Ok(done) => migrated = done,
                        Err(error) => {
                            tracing::error!(%error, "the store's tables can't be brought to this version");
                            this.set(|seen| seen.unusable = Some(error.to_string()));
                        }
                    }
                }
            }
        });
        watch
    }

    /// What was seen last.
    pub(in crate::server) fn seen(&self) -> Seen {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn look(&self, store: &Store) {
        let answer = tokio::time::timeout(LOOK_WITHIN, store.check()).await;
        self.set(|seen| match answer {
            Ok(Ok(answering)) => {
                (seen.place, seen.version) = (answering.place, answering.version);
                if seen.unreachable_since_ns.take().is_some() {
                    tracing::info!("the store answers again");
                }
            }
            Ok(Err(_)) | Err(_) => {
                if seen.unreachable_since_ns.is_none() {
                    tracing::warn!("the store does not answer");
                    seen.unreachable_since_ns = Some(now_ns());
                }
            }
        });
    }

    fn set(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
