//! The data directory: made, tried and locked before the engine sees it.
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::store::engine::error::EngineError;

const LOCK: &str = "recount.lock";
const CONFIGURATION: &str = "engine.xml";
const SCRATCH: &str = "results";

/// A directory that is ours as long as this lives, and the process's that dies without letting go.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    lock: File,
}

impl Directory {
    /// Makes the directory where it is missing, locks it, and writes the engine's configuration into it.
    ///
    /// Writing proves that it can be written, so a full or read-only one is noticed here, in our words.
    pub(super) fn claim(path: &Path, configuration: &str) -> Result<Self, EngineError> {
        let unusable = |source| EngineError::Directory { path: path.to_owned(), source };
        make(path).map_err(unusable)?;
        let path = path.canonicalize().map_err(unusable)?;
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut lock);
                return Err(EngineError::InUse { path, holder });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        sign(&mut lock).map_err(unusable)?;
        write_whole(&path.join(CONFIGURATION), configuration).map_err(unusable)?;
        Ok(Self { path, lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An empty directory for files that live no longer than the process.
    pub(super) fn scratch(&self) -> Result<PathBuf, EngineError> {
        let path = self.path.join(SCRATCH);
        let unusable = |source| EngineError::Directory { path: path.clone(), source };
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(error)),
            Ok(()) | Err(_) => {}
        }
        make(&path).map_err(unusable)?;
        Ok(path)
    }

    pub(super) fn configuration(&self) -> PathBuf {
        self.path.join(CONFIGURATION)
    }

    /// Lets go of the directory; another process may have it now.
    pub(super) fn release(&self) {
        // Unlocking a lock that we hold cannot fail, and closing the file unlocks it as well.
        self.lock.unlock().unwrap_or_default();
    }
}

/// Makes a directory that only its owner may look into: it will hold what agents saw and did.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn sign(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "process {}", std::process::id())?;
    lock.sync_all()
}

fn holder(lock: &mut File) -> String {
    let mut text = String::new();
    match lock.take(100).read_to_string(&mut text) {
        Ok(1..) => text.lines().next().unwrap_or_default().to_owned(),
        Ok(0) | Err(_) => "another process".to_owned(),
    }
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_holder() {
        let directory = tempfile::tempdir().unwrap();
        let first = Directory::claim(directory.path(), "<clickhouse/>").unwrap();
        let second = Directory::claim(directory.path(), "<clickhouse/>").unwrap_err();
        let sentence = second.to_string();
        assert!(
            sentence.contains(&format!("is in use by process {}: stop", std::process::id())),
            "{sentence}"
        );
        first.release();
        Directory::claim(directory.path(), "<clickhouse/>").unwrap();
    }

    #[test]
    fn an_unusable_directory_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let sentence = Directory::claim(&file.path().join("sub"), "").unwrap_err().to_string();
        assert!(sentence.contains("cannot be used (") && sentence.contains("--data-dir"), "{sentence}");
    }
}
