//! What the log tells a page about itself.
use std::time::{Duration, Instant};

/// The log's figures at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogStats {
    /// Bytes of all segments that are not deleted.
    pub bytes: u64,
    /// How many bytes it may hold: its bound, or a quarter of the free disk.
    pub limit: u64,
    /// Bytes free on its disk, at the last write.
    pub free_bytes: u64,
    /// Segments that are not deleted, the one being written included.
    pub segments: u64,
    /// Closed segments that nobody has taken to drain yet.
    pub ready: u64,
    /// Frames not yet deleted or set aside.
    pub frames: u64,
    /// What their owner counts in them.
    pub weight: u64,
    /// How long the oldest of them has been here.
    pub oldest_age: Option<Duration>,
    /// What was found at the start. Recovered + appended = deleted + set aside + what waits, at every moment.
    pub recovered: Counted,
    /// Since the start: what was acknowledged.
    pub appended: Counted,
    /// Since the start: what was deleted.
    pub deleted: Counted,
    /// Since the start: what was set aside, damage found at the start included.
    pub set_aside: Counted,
    /// Since the start: appends refused for want of room.
    pub refused_full: u64,
    /// Since the start: appends refused because a write or a sync failed.
    pub refused_io: u64,
    /// Since the start: syncs that made appends durable.
    pub commits: u64,
    /// Since the start: segments given up after a failed write or sync; what they held before is kept.
    pub suspect_segments: u64,
    /// Segments of which something acknowledged can't be read any more, those found at the start included.
    /// How many records that was, nobody can tell.
    pub damaged_segments: u64,
}

/// Some frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub frames: u64,
    /// What their owner counts in them.
    pub weight: u64,
    /// Their bytes, heads included.
    pub bytes: u64,
}

impl Counted {
    /// Adds other frames.
    pub(crate) fn add(&mut self, other: Self) {
        self.frames = self.frames.saturating_add(other.frames);
        self.weight = self.weight.saturating_add(other.weight);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Since when something waits, by a clock that only goes forward.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since {
    at: Instant,
    /// What it had waited before this process looked.
    before: Duration,
}

impl Since {
    /// From now on.
    pub(crate) fn now() -> Self {
        Self { at: Instant::now(), before: Duration::ZERO }
    }

    /// From a wall-clock time of an earlier process. One in the future counts as now.
    pub(crate) fn of_wall(then_ns: u64) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self { at: Instant::now(), before: now.saturating_sub(Duration::from_nanos(then_ns)) }
    }

    /// How long ago.
    pub(crate) fn age(self) -> Duration {
        self.at.elapsed().saturating_add(self.before)
    }
}
