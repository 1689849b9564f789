//! The real file system: one directory, held by one process at a time.
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, IoSlice, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock, fsync, statvfs};

use crate::log::disk::{Disk, DiskFile};
use crate::log::error::LogError;

/// Whose lock keeps a second process out.
const LOCK: &str = "lock";

/// A directory on disk, with its lock. What it holds is for this user's eyes only.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    itself: File,
    lock: Mutex<Option<File>>,
}

impl Directory {
    /// Makes the directory where it is missing, and takes its lock.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let failed = |error: io::Error| LogError::Open { dir: path.to_owned(), error: Arc::new(error) };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let itself = File::open(path).map_err(failed)?;
        let mut lock = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .mode(0o600)
            .open(path.join(LOCK))
            .map_err(failed)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut pid = String::new();
                // Who holds it is a help only: the sentence stands without it.
                let by = match lock.read_to_string(&mut pid) {
                    Ok(_) if !pid.trim().is_empty() => format!(" (process {})", pid.trim()),
                    Ok(_) | Err(_) => String::new(),
                };
                return Err(LogError::InUse { dir: path.to_owned(), by });
            }
            Err(error) => return Err(failed(error.into())),
        }
        let noted = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| writeln!(lock, "{}", std::process::id()))
            .and_then(|()| fsync(&itself).map_err(io::Error::from));
        if let Err(error) = noted.as_ref() {
            // A full disk must not keep the log from being drained; the lock itself is held.
            tracing::warn!(%error, "the log's lock file could not name this process");
        }
        Ok(Self { path: path.to_owned(), itself, lock: Mutex::new(Some(lock)) })
    }
}

impl Disk for Directory {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(self.path.join(name))?;
        Ok(Box::new(Appended(file)))
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            if let Some(name) = entry.file_name().to_str().filter(|_| meta.is_file()) {
                found.push((name.to_owned(), meta.len()));
            }
        }
        Ok(found)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.path.join(name))
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(self.path.join(name))?;
        file.set_len(len)?;
        file.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn unlink(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync_dir(&self) -> io::Result<()> {
        Ok(fsync(&self.itself)?)
    }

    fn free_bytes(&self) -> io::Result<u64> {
        let found = statvfs(&self.path)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    fn release(&self) {
        // Closing the file gives the lock up.
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// A file that only this log writes, from its start.
struct Appended(File);

impl DiskFile for Appended {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.write_vectored(parts)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}
