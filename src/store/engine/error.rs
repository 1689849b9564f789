//! Why the embedded engine did not start. Each is one sentence that names the way out.
use std::io;
use std::path::PathBuf;

/// What stood in the way.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no library where it should be.
    #[error(
        "no engine library at {}: run `make engine`, or let the setting `engine` point at libchdb 26.7",
        path.display()
    )]
    LibraryMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// There is a file, but not the library.
    #[error(
        "{} is not the engine library ({reason}): run `make engine`, or let the setting `engine` point at \
         libchdb 26.7",
        path.display()
    )]
    LibraryWrong {
        /// The file.
        path: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The directory can't be made, read or written.
    #[error(
        "the data directory {} cannot be used ({source}): free some space or change its owner, or choose \
         another with --data-dir",
        path.display()
    )]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process has the directory.
    #[error(
        "the data directory {} is in use by {holder}: stop that one, or choose another with --data-dir",
        path.display()
    )]
    InUse {
        /// The directory.
        path: PathBuf,
        /// `process 4711`, as the lock file says.
        holder: String,
    },
    /// This process has an engine open already; the library serves one directory at a time.
    #[error("this process has its engine open already, and can have one only")]
    SecondInProcess,
    /// The library loaded, the directory is ours, and still it did not start. It has said why on stderr.
    #[error(
        "the engine did not start on {} (its own words are above, on stderr): if the engine was upgraded \
         before, go back to the old one",
        path.display()
    )]
    NotStarted {
        /// The directory.
        path: PathBuf,
    },
}
