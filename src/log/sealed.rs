//! A closed segment in the hands of the one who drains it.
use std::fmt;

use bytes::Bytes;

use crate::log::header::LogId;

/// Which segment: the sequence of its first frame. Larger is later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(pub u64);

impl fmt::Display for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What one append brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its number: larger than that of every frame acknowledged before it, also over restarts.
    pub sequence: u64,
    /// What its owner counts in it.
    pub weight: u32,
    /// The bytes, as appended.
    pub payload: Bytes,
}

/// A segment that takes no more frames: always the same bytes, until it is deleted or set aside.
/// One that is dropped instead comes again after a restart.
#[derive(Debug, Clone)]
pub struct Sealed {
    pub(crate) id: SegmentId,
    pub(crate) log: LogId,
    pub(crate) owner: Bytes,
    pub(crate) frames: Vec<Frame>,
    pub(crate) damaged: bool,
}

impl Sealed {
    /// Which segment it is.
    pub fn id(&self) -> SegmentId {
        self.id
    }

    /// Which log wrote it.
    pub fn log_id(&self) -> LogId {
        self.log
    }

    /// The owner's bytes of the time it was begun.
    pub fn header(&self) -> &Bytes {
        &self.owner
    }

    /// The frames, in the order of their sequences.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Whether bytes of it are damaged: the frames here are the good ones.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// What the owner counts in all of its frames.
    pub fn weight(&self) -> u64 {
        self.frames.iter().map(|frame| u64::from(frame.weight)).sum()
    }
}
