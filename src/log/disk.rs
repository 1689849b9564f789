//! What the log needs of a file system, so that a test can stand in for one that fails and forgets.
use std::io::{self, IoSlice};

/// A directory of files. Names are plain, without folders. Nothing is durable until it is synced.
pub trait Disk: Send + Sync + 'static {
    /// Makes an empty file for appending, in place of one with that name.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// The names of all files and their lengths in bytes, in any order.
    fn list(&self) -> io::Result<Vec<(String, u64)>>;
    /// The whole file.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// Cuts the file to this length and syncs it.
    fn truncate(&self, name: &str, len: u64) -> io::Result<()>;
    /// Gives the file another name, in place of a file that has it; durable after [`Disk::sync_dir`].
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Takes the file away; durable after [`Disk::sync_dir`].
    fn unlink(&self, name: &str) -> io::Result<()>;
    /// Makes names durable: those made, changed and taken away so far.
    fn sync_dir(&self) -> io::Result<()>;
    /// The bytes that this process may still write.
    fn free_bytes(&self) -> io::Result<u64>;
    /// Lets another process have the directory. Nothing is written afterwards.
    fn release(&self);
}

/// A file open for appending.
pub trait DiskFile: Send {
    /// Appends some of the bytes, at least one, and says how many.
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
    /// Makes what was written durable. After an error nothing since the last success may be trusted, ever.
    fn sync(&mut self) -> io::Result<()>;
}

/// Appends all of the parts, however short the single writes are.
pub(crate) fn write_all(file: &mut dyn DiskFile, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Empty parts at the front would make a good write of nothing look like a full disk.
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match file.write(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
