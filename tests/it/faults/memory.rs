//! What a process holds, as Linux tells it.
use std::fs;

/// Kilobytes in a field of a process's status: `VmRSS`, `VmHWM`.
pub(crate) fn kilobytes(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Files, sockets and all else that a process holds open.
pub(crate) fn handles(process: u32) -> u64 {
    fs::read_dir(format!("/proc/{process}/fd")).unwrap().count() as u64
}
