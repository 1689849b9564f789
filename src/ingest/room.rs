//! The memory that requests may take up together while they are read and kept.
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ingest::refusal::Refusal;

/// Bytes are counted in units of this many.
const UNIT: usize = 1 << 10;

/// A bounded amount of memory, shared by all requests.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    units: Arc<Semaphore>,
}

/// The part of it that one request holds; given back when dropped.
#[derive(Debug)]
pub(crate) struct Held {
    room: Room,
    permit: OwnedSemaphorePermit,
}

impl Room {
    /// Room for this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { units: Arc::new(Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS))) }
    }

    /// Holds this many bytes, if they are free now: a sender that waits would only send again meanwhile.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held, Refusal> {
        Ok(Held { room: self.clone(), permit: self.take(bytes.div_ceil(UNIT))? })
    }

    fn take(&self, units: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        self.units.clone().try_acquire_many_owned(units).or(Err(Refusal::Busy))
    }
}

impl Held {
    /// Holds at least this many bytes in all.
    pub(crate) fn at_least(&mut self, bytes: usize) -> Result<(), Refusal> {
        let more = bytes.div_ceil(UNIT).saturating_sub(self.permit.num_permits());
        if more > 0 {
            self.permit.merge(self.room.take(more)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_ends_and_comes_back() {
        let room = Room::new(10 << 10);
        let mut first = room.hold(4_000).unwrap();
        assert!(first.at_least(4_096).is_ok());
        assert_eq!(room.hold(7_000).unwrap_err(), Refusal::Busy);
        let second = room.hold(6_000).unwrap();
        assert_eq!(first.at_least(5_000).unwrap_err(), Refusal::Busy);
        drop(second);
        assert!(first.at_least(5_000).is_ok());
    }
}
