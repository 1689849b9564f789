//! The durable log of rows not yet confirmed in the store: bytes in, bytes out, knows no columns.
mod directory;
mod disk;
mod error;
mod frame;
mod handle;
mod header;
mod names;
mod recovery;
mod sealed;
mod segments;
#[cfg(test)]
mod sim;
mod stats;
#[cfg(test)]
mod trials;
mod writer;

pub use directory::Directory;
pub use disk::{Disk, DiskFile};
pub use error::LogError;
pub use handle::{Log, LogSettings};
pub use header::LogId;
pub use recovery::{Recovery, SetAside};
pub use sealed::{Frame, Sealed, SegmentId};
pub use stats::{Counted, LogStats};
