//! Small file systems that only one process sees, and how to fill them up.
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a small file system at each path, and becomes the program behind `--`.
const SMALL: &str = r#"set -e
while [ "$1" != -- ]; do mkdir -p "$1"; mount -t tmpfs -o "size=$2" none "$1"; shift 2; done
shift; exec "$@""#;
/// Makes a directory one that can't be written, and becomes the program behind it.
const READ_ONLY: &str = r#"set -e
mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@""#;

/// How a process gets mounts of its own here: as root, or in a namespace of users; `None` where neither may.
pub(crate) fn way() -> Option<Vec<String>> {
    let ways = [vec!["unshare", "--mount"], vec!["unshare", "--map-root-user", "--mount"]];
    ways.into_iter().map(|way| way.into_iter().map(str::to_owned).collect::<Vec<_>>()).find(|way| {
        let tried =
            Command::new(&way[0]).args(&way[1..]).args(["mount", "-t", "tmpfs", "none", "/tmp"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    })
}

/// What to start a program under, so that it sees a file system of this size at each of these paths.
pub(crate) fn small(way: &[String], mounts: &[(PathBuf, &str)]) -> Vec<String> {
    let mut under = way.to_vec();
    under.extend(["sh", "-c", SMALL, "sh"].map(str::to_owned));
    for (path, size) in mounts {
        under.extend([path.to_str().unwrap().to_owned(), (*size).to_owned()]);
    }
    under.push("--".to_owned());
    under
}

/// What to start a program under, so that it can't write there.
pub(crate) fn read_only(way: &[String], path: &Path) -> Vec<String> {
    let mut under = way.to_vec();
    under.extend(["sh", "-c", READ_ONLY, "sh", path.to_str().unwrap()].map(str::to_owned));
    under
}

/// A file that takes all the room; gives it back when dropped.
pub(crate) struct Ballast(PathBuf);

impl Ballast {
    /// Fills the file system that a process sees at a path.
    pub(crate) fn fill(process: u32, path: &Path) -> Self {
        let file = PathBuf::from(format!("/proc/{process}/root{}/ballast", path.display()));
        let mut ballast = File::create(&file).unwrap();
        for size in [1 << 20, 4 << 10, 64] {
            loop {
                match ballast.write_all(&vec![7; size]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        Self(file)
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap_or_default();
    }
}
