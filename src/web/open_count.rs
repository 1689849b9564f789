//! How many unknowns are open: shown on every page, so remembered for a moment instead of counted each time.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::ids::Project;
use crate::domain::scope::Scope;
use crate::store::Store;
use crate::store::queries::case_counts;
use crate::web::format::now_ns;

/// A count younger than this is shown as it is.
const FRESH: Duration = Duration::from_secs(3);
/// How long a page waits for the first count.
const PATIENCE: Duration = Duration::from_millis(500);

/// The counts by project. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct OpenCount(Arc<Mutex<HashMap<Project, Known>>>);

#[derive(Debug, Clone, Copy)]
struct Known {
    count: Option<u64>,
    at: Instant,
}

impl OpenCount {
    /// The last count, where there is one.
    pub(in crate::web) fn known(&self, project: &Project) -> Option<u64> {
        self.lock().get(project).and_then(|known| known.count)
    }

    /// Counts again when the last count is old. A page waits only where there is none at all, and not long.
    pub(in crate::web) async fn look(&self, store: &Store, scope: &Scope) {
        let known = self.lock().get(&scope.project).copied();
        if known.is_some_and(|known| known.at.elapsed() < FRESH) {
            return;
        }
        // Others that come meanwhile see the old one.
        self.keep(&scope.project, known.and_then(|known| known.count));
        let (this, store, scope) = (self.clone(), store.clone(), scope.clone());
        let counting = tokio::spawn(async move {
            if let Ok(counts) = case_counts(&store, &scope, "", u64::MAX, now_ns()).await {
                this.keep(&scope.project, Some(counts.open));
            }
        });
        if known.is_none_or(|known| known.count.is_none()) {
            // Too slow: this page shows none, and the next one may.
            if tokio::time::timeout(PATIENCE, counting).await.is_err() {
                tracing::debug!("the open unknowns are not counted yet");
            }
        }
    }

    /// Forgets a count that something just changed: the next page counts.
    pub(in crate::web) fn forget(&self, project: &Project) {
        self.lock().remove(project);
    }

    fn keep(&self, project: &Project, count: Option<u64>) {
        self.lock().insert(project.clone(), Known { count, at: Instant::now() });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Project, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
