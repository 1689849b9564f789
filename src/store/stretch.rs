//! A stretch of time cut into bins of one width: what statements over time are asked for.
use crate::store::read::Read;

/// From a time on, so many bins of one width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stretch {
    /// From here, nanoseconds since 1970.
    pub start_ns: u64,
    /// How wide a bin is.
    pub width_ns: u64,
    /// How many bins, at least 1.
    pub bins: u16,
}

impl Stretch {
    /// Where it ends, excluded.
    pub fn end_ns(&self) -> u64 {
        self.edge_ns(usize::from(self.bins.max(1)))
    }

    /// Where a bin begins.
    pub fn edge_ns(&self, bin: usize) -> u64 {
        let bin = u64::try_from(bin).unwrap_or(u64::MAX);
        self.start_ns.saturating_add(self.width_ns.max(1).saturating_mul(bin))
    }

    /// Binds what statements name: `start_ns`, `end_ns`, `width_ns` and `bins`.
    pub(in crate::store) fn bind(&self, read: Read) -> Read {
        read.bind("start_ns", self.start_ns)
            .bind("end_ns", self.end_ns())
            .bind("width_ns", self.width_ns.max(1))
            .bind("bins", self.bins.max(1))
    }
}
