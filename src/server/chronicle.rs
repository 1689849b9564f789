//! Writes down when the system could not do its work: ended without a stop, refused what came in, was
//! behind, lost its store. Each pause leaves a pair: when it began, when it was over.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::server::prepare::now_ns;
use crate::server::status::Figures;
use crate::store::Store;
use crate::store::queries::record_lifecycle;
use crate::web::ServerStatus;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A log that holds something older than this is behind.
const BEHIND_NS: u64 = 60 * 1_000_000_000;
/// No more is remembered while the store does not answer.
const PENDING_MAX: usize = 1_000;

/// Since when the last process on this data directory has not been seen, if it did not stop in order;
/// nanoseconds since 1970.
pub(in crate::server) fn last_alive_ns(data_dir: &Path) -> Option<u64> {
    let touched = std::fs::metadata(path(data_dir)).ok()?.modified().ok()?;
    u64::try_from(touched.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// Keeps the chronicle until `stop`.
pub(in crate::server) fn keep_chronicle(
    figures: Arc<Figures>,
    store: Store,
    data_dir: PathBuf,
    stop: CancellationToken,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let (mut pauses, mut pending) = (Pauses::default(), Vec::new());
        loop {
            touch(&data_dir);
            let stopped = tokio::select! {
                () = stop.cancelled() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            let now = now_ns();
            for (kind, detail) in pauses.look(&figures.status(), now) {
                let event_id = format!("{}-{now}-{kind}", std::process::id());
                pending.push(LifecycleEvent { at_ns: now, event_id, kind, detail });
            }
            pending.truncate(PENDING_MAX);
            while let Some(event) = pending.first() {
                let kept = record_lifecycle(&store, event).await;
                if kept.is_err() {
                    // Again at the next look, as it happened then.
                    break;
                }
                pending.remove(0);
            }
            if stopped {
                // A process that stopped in order leaves no trace of having run.
                std::fs::remove_file(path(&data_dir)).unwrap_or_default();
                return;
            }
        }
    })
}

/// Which pauses go on.
#[derive(Debug, Default)]
struct Pauses {
    refusing: bool,
    behind: bool,
    lost: bool,
}

type Noted = (LifecycleKind, Vec<(String, String)>);

impl Pauses {
    /// What began and what is over since the last look.
    fn look(&mut self, status: &ServerStatus, now_ns: u64) -> Vec<Noted> {
        let log = &status.log;
        let full = log.bytes_max > 0 && log.bytes >= log.bytes_max;
        let old = log.oldest_ns.is_some_and(|at| at + BEHIND_NS <= now_ns);
        let lost = status.store_unreachable_since_ns.is_some();
        let waiting = vec![
            ("bytes".to_owned(), log.bytes.to_string()),
            ("segments".to_owned(), log.segments.to_string()),
        ];
        let mut noted = Vec::new();
        for (was, is, begins, ends) in [
            (&mut self.lost, lost, LifecycleKind::StoreLost, LifecycleKind::StoreBack),
            (&mut self.behind, old, LifecycleKind::Behind, LifecycleKind::CaughtUp),
            (&mut self.refusing, full, LifecycleKind::Refusing, LifecycleKind::Taking),
        ] {
            if *was != is {
                noted.push((if is { begins } else { ends }, waiting.clone()));
                *was = is;
            }
        }
        noted
    }
}

fn touch(data_dir: &Path) {
    if let Err(error) = std::fs::write(path(data_dir), std::process::id().to_string()) {
        tracing::debug!(%error, "that this process lives could not be written down");
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("recount.alive")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::LogStatus;

    #[test]
    fn every_pause_leaves_a_pair() {
        let now_ns = 1_795_970_000_000_000_000;
        let well = ServerStatus::default();
        let log = LogStatus { bytes: 9, bytes_max: 9, oldest_ns: Some(1), ..LogStatus::default() };
        let bad = ServerStatus { log, store_unreachable_since_ns: Some(1), ..ServerStatus::default() };
        let mut pauses = Pauses::default();
        let mut kinds = |status: &ServerStatus| {
            pauses.look(status, now_ns).into_iter().map(|(kind, _)| kind.word()).collect::<Vec<_>>()
        };
        assert!(kinds(&well).is_empty());
        assert_eq!(kinds(&bad), ["store_lost", "behind", "refusing"]);
        assert!(kinds(&bad).is_empty(), "told once");
        assert_eq!(kinds(&well), ["store_back", "caught_up", "taking"]);
    }
}
