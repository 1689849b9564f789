//! The time of a run. It is told, not waited for: a timeout of 30 s passes at once.
use std::time::{Duration, SystemTime};

/// The time of one worker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock(SystemTime);

impl Clock {
    /// A clock that shows this time.
    pub(super) fn at(time: SystemTime) -> Self {
        Self(time)
    }

    /// What it shows.
    pub(super) fn now(self) -> SystemTime {
        self.0
    }

    /// What it shows, nanoseconds since 1970.
    pub(super) fn now_ns(self) -> u64 {
        let since = self.0.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Duration) {
        self.0 += time;
    }

    /// Moves on to a time, unless it is past.
    pub(super) fn move_to(&mut self, time: SystemTime) {
        self.0 = self.0.max(time);
    }
}
