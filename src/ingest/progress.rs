//! How the drain is doing, for a page, a metric and whoever waits for the store.
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The rate is that of so long a time.
const RATE_WINDOW: Duration = Duration::from_secs(30);

/// The drain's figures at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrainStats {
    /// Set while inserts fail.
    pub failing: Option<Failing>,
    /// Class of the last error since the start.
    pub last_error: Option<&'static str>,
    /// Records stored a second, over the last half minute.
    pub records_per_second: f64,
    /// Records stored since the start; those of segments whose projection is still under way included.
    pub stored_records: u64,
    /// Segments stored since the start.
    pub stored_segments: u64,
    /// Records that the store refused one by one, set aside since the start.
    pub rejected_records: u64,
    /// Rows of every table that the store refused, set aside since the start.
    pub rejected_rows: u64,
    /// Inserts confirmed since the start.
    pub inserts: u64,
    /// Inserts repeated since the start.
    pub retries: u64,
    /// How long the last confirmed insert took.
    pub last_insert: Option<Duration>,
    /// Segments that are stored and wait for their projection.
    pub projecting: u64,
}

/// Inserts that fail, seen from the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The class of the last error: `unreachable`, `unknown`, `busy`, `denied`, `schema`.
    pub class: &'static str,
    /// Since when, by the wall clock.
    pub since: SystemTime,
    /// For how long, by a clock that only goes forward.
    pub lasted: Duration,
    /// Attempts so far.
    pub attempts: u64,
}

/// The drain's figures, being written. One for each drain.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<State>,
    stored: watch::Sender<u64>,
    ended: CancellationToken,
}

#[derive(Debug)]
struct State {
    stats: DrainStats,
    failing_from: Option<Instant>,
    started: Instant,
    recent: VecDeque<(Instant, u64)>,
}

impl Default for Progress {
    fn default() -> Self {
        let state = State {
            stats: DrainStats::default(),
            failing_from: None,
            started: Instant::now(),
            recent: VecDeque::new(),
        };
        Self { state: Mutex::new(state), stored: watch::Sender::new(0), ended: CancellationToken::new() }
    }
}

impl Progress {
    /// The figures now.
    pub fn stats(&self) -> DrainStats {
        let mut state = self.state();
        state.forget();
        let window = RATE_WINDOW.min(state.started.elapsed()).max(Duration::from_secs(1));
        let recent: u64 = state.recent.iter().map(|(_, records)| records).sum();
        let mut stats = state.stats.clone();
        // Counts stay far below the 2^53 that a double holds exactly.
        stats.records_per_second = Duration::from_nanos(recent).as_secs_f64() * 1e9 / window.as_secs_f64();
        if let (Some(failing), Some(from)) = (stats.failing.as_mut(), state.failing_from) {
            failing.lasted = from.elapsed();
        }
        stats
    }

    /// Follows the sequence of the last frame that is in the store, with all before it.
    pub fn stored(&self) -> watch::Receiver<u64> {
        self.stored.subscribe()
    }

    /// Resolves when nothing will be stored any more.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    pub(crate) fn failed(&self, class: &'static str) {
        let mut state = self.state();
        state.stats.last_error = Some(class);
        state.stats.retries += 1;
        let from = *state.failing_from.get_or_insert_with(Instant::now);
        let failing = state.stats.failing.get_or_insert_with(|| Failing {
            class,
            since: SystemTime::now(),
            lasted: from.elapsed(),
            attempts: 0,
        });
        failing.class = class;
        failing.attempts += 1;
    }

    pub(crate) fn answered(&self) {
        let mut state = self.state();
        state.failing_from = None;
        state.stats.failing = None;
    }

    pub(crate) fn inserted(&self, took: Duration) {
        self.answered();
        let mut state = self.state();
        state.stats.inserts += 1;
        state.stats.last_insert = Some(took);
    }

    pub(crate) fn rejected(&self, rows: u64, records: u64) {
        let mut state = self.state();
        state.stats.rejected_rows += rows;
        state.stats.rejected_records += records;
        state.stats.last_error = Some("rejected");
    }

    pub(crate) fn segment_stored(&self, records: u64, last_sequence: Option<u64>) {
        let mut state = self.state();
        state.stats.stored_segments += 1;
        state.stats.stored_records += records;
        state.stats.projecting += 1;
        state.recent.push_back((Instant::now(), records));
        state.forget();
        drop(state);
        self.passed(last_sequence);
    }

    /// Nobody need wait for these frames any more.
    pub(crate) fn passed(&self, last_sequence: Option<u64>) {
        if let Some(last) = last_sequence {
            self.stored.send_if_modified(|stored| std::mem::replace(stored, last.max(*stored)) < last);
        }
    }

    pub(crate) fn settled(&self) {
        let mut state = self.state();
        state.stats.projecting = state.stats.projecting.saturating_sub(1);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget(&mut self) {
        while self.recent.front().is_some_and(|(at, _)| at.elapsed() > RATE_WINDOW) {
            self.recent.pop_front();
        }
    }
}
