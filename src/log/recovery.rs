//! What an earlier process left: every segment is read once, torn tails are cut, damage is reported, the
//! start goes on.
use std::io;
use std::sync::Arc;

use crate::log::disk::Disk;
use crate::log::error::LogError;
use crate::log::frame;
use crate::log::header::{Header, HeaderError, LogId, Previous};
use crate::log::names::{self, count};
use crate::log::segments::{Bounds, Hold, Segment, Segments};
use crate::log::stats::{Counted, Since};

/// What the log found when it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Bytes of unfinished appends that were cut off; none of them was acknowledged.
    pub truncated_bytes: u64,
    /// Damage: acknowledged frames may be missing.
    pub set_aside: Vec<SetAside>,
    /// Segments that wait to be drained.
    pub segments: u64,
    /// Frames in them.
    pub frames: u64,
    /// What their owner counts in them.
    pub weight: u64,
}

/// A damaged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// What the file is called once its good frames are drained: at once, when it has none.
    pub name: String,
    /// How many of its bytes cannot be used.
    pub bytes: u64,
    /// Good frames in it, which are drained like any other.
    pub good_frames: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// A segment as found, newest first.
struct Read {
    first: u64,
    header: Header,
    segment: Segment,
    torn: bool,
}

/// Opens the log on this disk, whose lock is held.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    bounds: Bounds,
    fresh: LogId,
) -> Result<(Segments, Recovery), OpenError> {
    let mut report = Recovery::default();
    let mut names = disk.list()?;
    names.sort();
    let mut read: Vec<Read> = Vec::new();
    let mut next = 1;
    for (file, bytes) in names.iter().rev() {
        let Some((first, kind)) = names::parse(file) else { continue };
        next = next.max(first.saturating_add(1));
        match kind {
            ".tmp" => noted(disk.unlink(file), file, "a draft stays in the log's directory"),
            ".seg" => {
                let known =
                    read.last().map(|newer| newer.header.previous).filter(|known| known.first == first);
                match inspect(disk.as_ref(), (file, first), known, &mut report)? {
                    Some(found) => {
                        next = next.max(found.1);
                        read.push(found.0);
                    }
                    // It may have held that many frames: their numbers are not used again.
                    None => next = next.max(first.saturating_add(bytes / count(frame::HEAD_BYTES) + 1)),
                }
            }
            _ => {}
        }
    }
    let id = read.first().map_or(fresh, |newest| newest.header.log);
    let mut segments = Segments::new(disk.clone(), bounds, id, next);
    for Read { first, segment, torn, .. } in read.into_iter().rev() {
        report.frames += segment.frames.frames;
        report.weight += segment.frames.weight;
        report.segments += u64::from(segment.frames.frames > 0);
        segments.adopt(first, segment, torn);
    }
    report.set_aside.reverse();
    segments.found_damaged(count(report.set_aside.len()));
    segments.tidy();
    Ok((segments, report))
}

/// Why the directory as a whole cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Reads one segment, cuts its torn tail, and says what the sequence after it is. `None`: renamed, no use.
fn inspect(
    disk: &dyn Disk,
    (name, first): (&str, u64),
    known: Option<Previous>,
    report: &mut Recovery,
) -> Result<Option<(Read, u64)>, LogError> {
    let bytes = match disk.read(name) {
        Ok(bytes) => bytes,
        Err(error) => {
            let wrong = (0, format!("cannot be read: {error}"));
            return Ok(useless(disk, first, wrong, report));
        }
    };
    let length = count(bytes.len());
    let (header, start) = match Header::decode(&bytes) {
        Ok((header, start)) if header.first == first => (header, start),
        Ok(_) => return Ok(useless(disk, first, (length, "was renamed".to_owned()), report)),
        Err(HeaderError::Newer(version)) => {
            return Err(LogError::Newer { name: name.to_owned(), version });
        }
        Err(HeaderError::Damaged) => {
            return Ok(useless(disk, first, (length, "its header is damaged".to_owned()), report));
        }
    };
    let mut scan = frame::scan(&bytes, start, first, header.log.salt());
    let known = known.filter(|_| header.previous.first != first);
    // Frames behind what was acknowledged were refused: their senders were told so.
    let acknowledged = known.map_or(length, |known| known.end.min(length));
    scan.frames.retain(|found| count(found.payload.end) <= acknowledged);
    let good_end = count(scan.frames.last().map_or(start, |found| found.payload.end));
    let gaps = count(scan.gaps.iter().map(|gap| gap.bytes).sum());
    let damaged = match known {
        Some(Previous { end, torn: false, .. }) => gaps + end.saturating_sub(good_end),
        Some(Previous { end, torn: true, .. }) => count(scan.damage()) + end.saturating_sub(good_end),
        None => count(scan.damage()),
    };
    let end = if damaged > 0 { acknowledged } else { good_end };
    if damaged > 0 {
        report.set_aside.push(SetAside {
            name: names::damaged_name(first),
            bytes: damaged,
            good_frames: count(scan.frames.len()),
            reason: "bytes of acknowledged frames are damaged".to_owned(),
        });
    } else if end < length || known.is_none() {
        // Also syncs the newest segment, whose last frames may be in memory only: from here on they count
        // as kept.
        noted(disk.truncate(name, end), name, "a torn tail stays in its file");
        report.truncated_bytes += length - end;
    }
    let torn = damaged < gaps;
    let frames = scan.frames;
    let counted = Counted {
        frames: count(frames.len()),
        weight: frames.iter().map(|found| u64::from(found.label.weight)).sum(),
        bytes: frames.iter().map(|found| count(found.payload.len() + frame::HEAD_BYTES)).sum(),
    };
    let next = frames.last().map_or(first, |found| found.label.sequence).saturating_add(1);
    let segment = Segment {
        end,
        frames: counted,
        since: (!frames.is_empty()).then(|| Since::of_wall(header.begun_ns)),
        hold: if frames.is_empty() { Hold::Done } else { Hold::Waiting },
        damaged: damaged > 0,
    };
    Ok(Some((Read { first, header, segment, torn }, next)))
}

fn useless(
    disk: &dyn Disk,
    first: u64,
    (bytes, reason): (u64, String),
    report: &mut Recovery,
) -> Option<(Read, u64)> {
    let aside = names::damaged_name(first);
    let renamed = disk.rename(&names::name(first), &aside).and_then(|()| disk.sync_dir());
    noted(renamed, &aside, "a damaged segment keeps its name");
    report.set_aside.push(SetAside { name: aside, bytes, good_frames: 0, reason });
    None
}

/// What is only tidying must not keep the log from opening.
fn noted(done: io::Result<()>, file: &str, otherwise: &'static str) {
    if let Err(error) = done {
        tracing::warn!(%error, file, "{otherwise}");
    }
}
