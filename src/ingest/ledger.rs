//! The conservation law: what was kept is stored, waits, or was set aside where a person finds it.
use crate::ingest::progress::DrainStats;
use crate::log::LogStats;

/// Records by where they are now. A record is a span or a log record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Acknowledged by the log since the start.
    pub kept: u64,
    /// Found in the log at the start.
    pub recovered: u64,
    /// In the store, with all that follows from them.
    pub stored: u64,
    /// In the log only, or not yet projected.
    pub waiting: u64,
    /// In files beside the log, because they are damaged or the store refuses them.
    pub set_aside: u64,
}

impl Ledger {
    /// From the log's and the drain's figures of one moment.
    pub fn of(log: &LogStats, drain: &DrainStats) -> Self {
        // The drain counts what it sets aside before the log deletes the segment.
        let rejected = drain.rejected_records.min(log.deleted.weight);
        Self {
            kept: log.appended.weight,
            recovered: log.recovered.weight,
            stored: log.deleted.weight - rejected,
            waiting: log.weight,
            set_aside: log.set_aside.weight + rejected,
        }
    }

    /// Kept + recovered = stored + waiting + set aside.
    pub fn is_balanced(&self) -> bool {
        self.unaccounted() == 0
    }

    /// By how many records the law is broken. Never anything but 0, unless there is a fault in here.
    pub fn unaccounted(&self) -> u64 {
        (self.kept + self.recovered).abs_diff(self.stored + self.waiting + self.set_aside)
    }
}
