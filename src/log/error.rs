//! Every way the log says no, named by what the caller may do next.
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why something was not kept, or why the log did not open.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// There is no room: by its own bound, by a quarter of the free disk, or because the disk is full. The
    /// same bytes may be sent again later; nothing older was given up for them.
    #[error(
        "the log is full: it holds {bytes} bytes and may hold {limit}; it empties as the store takes rows"
    )]
    Full {
        /// What the log holds now.
        bytes: u64,
        /// What it may hold now.
        limit: u64,
    },
    /// One frame is larger than any segment may be. Sending it again can never succeed.
    #[error("{bytes} bytes in one request are more than the {max} bytes that the log takes at once")]
    TooLarge {
        /// The length of the refused payload.
        bytes: u64,
        /// The longest payload there may be.
        max: u64,
    },
    /// A write or a sync failed: nothing of it is called kept. The same bytes may be sent again later.
    #[error("the log could not be written: {0}")]
    Io(Arc<io::Error>),
    /// The log is stopping; it takes nothing more.
    #[error("the log is closed")]
    Closed,
    /// Another process holds the directory.
    #[error(
        "the log in {dir} is in use by another recount process{by}: stop it, or choose another data directory"
    )]
    InUse {
        /// The directory.
        dir: PathBuf,
        /// ` (process 4711)` when it is known, else empty.
        by: String,
    },
    /// The directory cannot be made, read or written.
    #[error("the log in {dir} cannot be opened: {error}")]
    Open {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        error: Arc<io::Error>,
    },
    /// A segment was written by a later version of the format.
    #[error(
        "the log segment {name} has format {version}, newer than this recount knows: start the newer one"
    )]
    Newer {
        /// The file's name.
        name: String,
        /// The format it has.
        version: u32,
    },
}

impl LogError {
    /// A failed write: a full disk is the same refusal as a full log.
    pub(crate) fn of(error: io::Error, bytes: u64) -> Self {
        if is_full(&error) { Self::Full { bytes, limit: bytes } } else { Self::Io(Arc::new(error)) }
    }

    /// One word for a page or a metric.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Full { .. } => "full",
            Self::TooLarge { .. } => "too_large",
            Self::Io(_) => "io",
            Self::Closed => "closed",
            Self::InUse { .. } => "in_use",
            Self::Open { .. } => "open",
            Self::Newer { .. } => "newer",
        }
    }
}

/// Whether the disk, or the user's share of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
