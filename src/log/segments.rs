//! The segments of one log and what may happen to them. Only the writer's thread holds this, so nothing
//! here locks.
use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use crate::log::disk::{Disk, DiskFile, write_all};
use crate::log::error::{LogError, is_full};
use crate::log::frame::{self, Label};
use crate::log::header::{Header, LogId, Previous};
use crate::log::names::{count, damaged_name, draft_name, name, rejected_name};
use crate::log::stats::{Counted, LogStats, Since};

/// A file of so many bytes is given up when the disk is full, so that old segments can still be deleted.
const RESERVE: &str = "reserve";
const RESERVE_BYTES: usize = 1 << 20;

/// How large things may grow.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) bytes_max: u64,
    pub(crate) segment_bytes_max: u64,
    pub(crate) segment_weight_max: u64,
    /// The owner's bytes for new segments.
    pub(crate) owner: Bytes,
}

/// A payload to append.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) payload: Bytes,
    pub(crate) weight: u32,
}

impl Entry {
    fn bytes(&self) -> u64 {
        count(self.payload.len()).saturating_add(count(frame::HEAD_BYTES))
    }
}

/// One segment's state; what it holds is on disk.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// Bytes that are durable and acknowledged, its header included.
    pub(crate) end: u64,
    pub(crate) frames: Counted,
    pub(crate) since: Option<Since>,
    pub(crate) hold: Hold,
    /// Has bytes that are no good frames: it is renamed where another would be deleted.
    pub(crate) damaged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nobody has taken it yet.
    Waiting,
    /// Somebody drains it.
    InHand,
    /// Drained or set aside: the file is to go.
    Done,
}

/// A closed segment, to be read by the one who drains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) first: u64,
    pub(crate) end: u64,
    pub(crate) frames: Counted,
    pub(crate) damaged: bool,
}

struct Active {
    first: u64,
    file: Box<dyn DiskFile>,
    segment: Segment,
}

/// All segments of a log.
pub(crate) struct Segments {
    disk: Arc<dyn Disk>,
    bounds: Bounds,
    id: LogId,
    /// The next frame's sequence. Numbers tried and failed are never used again.
    next: u64,
    active: Option<Active>,
    closed: BTreeMap<u64, Segment>,
    /// The newest closed segment, for the next one's header.
    previous: Previous,
    reserved: bool,
    totals: LogStats,
}

impl Segments {
    /// The segments found on disk, with what was found out about them.
    pub(crate) fn new(disk: Arc<dyn Disk>, bounds: Bounds, id: LogId, next: u64) -> Self {
        Self {
            disk,
            bounds,
            id,
            next,
            active: None,
            closed: BTreeMap::new(),
            previous: Previous::default(),
            reserved: false,
            totals: LogStats::default(),
        }
    }

    /// Takes over a segment found on disk, oldest first.
    pub(crate) fn adopt(&mut self, first: u64, segment: Segment, torn: bool) {
        self.totals.recovered.add(segment.frames);
        self.previous = Previous { first, end: segment.end, torn };
        self.closed.insert(first, segment);
    }

    /// Makes room on disk for deleting when it is full, and takes away what an earlier process had finished
    /// with.
    pub(crate) fn tidy(&mut self) {
        self.reserved = self.disk.list().is_ok_and(|names| {
            names.iter().any(|(name, bytes)| name == RESERVE && *bytes == count(RESERVE_BYTES))
        });
        if let Err(error) = self.sweep() {
            tracing::warn!(%error, "the log could not take away emptied segments");
        }
        self.reserve();
    }

    /// Appends and syncs. One answer for each entry, in order: its sequence, or why it is not kept.
    pub(crate) fn commit(&mut self, batch: &[Entry]) -> Vec<Result<u64, LogError>> {
        let mut answers = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while let Some((head, others)) = rest.split_first() {
            let limit = match self.room_for(head) {
                Ok(limit) => limit,
                Err(refusal) => {
                    self.refused(1, &refusal);
                    answers.push(Err(refusal));
                    rest = others;
                    continue;
                }
            };
            let written = self.ready_for(head).and_then(|()| {
                let fitting = self.fitting(rest, limit);
                let group = rest.get(..fitting).unwrap_or(rest);
                Ok((self.write(group)?, group.len()))
            });
            match written {
                Ok((first, len)) => {
                    answers.extend((first..).take(len).map(Ok));
                    rest = rest.get(len..).unwrap_or_default();
                }
                Err(refusal) => {
                    // All that waited for this sync are refused, whatever another try might say.
                    self.refused(rest.len(), &refusal);
                    answers.extend(rest.iter().map(|_| Err(refusal.clone())));
                    break;
                }
            }
        }
        answers
    }

    /// The oldest closed segment that nobody has taken; when there is none, what has gathered in the active
    /// one.
    pub(crate) fn take(&mut self) -> Option<Taken> {
        if !self.closed.values().any(|segment| segment.hold == Hold::Waiting) {
            self.seal();
        }
        let (first, segment) = self.closed.iter_mut().find(|(_, segment)| segment.hold == Hold::Waiting)?;
        segment.hold = Hold::InHand;
        let (end, frames, damaged) = (segment.end, segment.frames, segment.damaged);
        Some(Taken { first: *first, end, frames, damaged })
    }

    /// The reader found fewer good frames than were acknowledged.
    pub(crate) fn lost(&mut self, first: u64, good: Counted) {
        if let Some(segment) = self.closed.get_mut(&first) {
            let lost = Counted {
                frames: segment.frames.frames.saturating_sub(good.frames),
                weight: segment.frames.weight.saturating_sub(good.weight),
                bytes: segment.frames.bytes.saturating_sub(good.bytes),
            };
            segment.frames = good;
            self.totals.damaged_segments += u64::from(!segment.damaged);
            segment.damaged = true;
            self.totals.set_aside.add(lost);
        }
    }

    /// So many segments were found damaged at the start.
    pub(crate) fn found_damaged(&mut self, segments: u64) {
        self.totals.damaged_segments += segments;
    }

    /// The segment's frames are safe elsewhere: its file goes. After an error it goes with a later one.
    pub(crate) fn delete(&mut self, first: u64) -> Result<(), LogError> {
        if let Some(segment) = self.closed.get_mut(&first).filter(|segment| segment.hold != Hold::Done) {
            segment.hold = Hold::Done;
            self.totals.deleted.add(segment.frames);
        }
        self.sweep_or_refuse()
    }

    /// The segment cannot be drained: its file is renamed and kept.
    pub(crate) fn set_aside(&mut self, first: u64) -> Result<(), LogError> {
        if let Some(segment) = self.closed.get_mut(&first).filter(|segment| segment.hold != Hold::Done) {
            segment.hold = Hold::Done;
            self.totals.damaged_segments += u64::from(!segment.damaged);
            segment.damaged = true;
            self.totals.set_aside.add(segment.frames);
        }
        self.sweep_or_refuse()
    }

    /// Writes entries of a segment into a file of their own beside it: a segment again, with another name.
    pub(crate) fn write_aside(
        &mut self,
        first: u64,
        owner: Bytes,
        entries: &[Entry],
    ) -> Result<(), LogError> {
        // Its own predecessor: what the next segment knows is about the original of the same name.
        let previous = Previous { first, ..Previous::default() };
        let header = Header { log: self.id, first, begun_ns: now_ns(), previous, owner };
        let mut bytes = header.encode();
        for (entry, sequence) in entries.iter().zip(first..) {
            let label = Label { weight: entry.weight, sequence, place: 0 };
            bytes.extend(frame::head(&entry.payload, label, self.id.salt()));
            bytes.extend_from_slice(&entry.payload);
        }
        match self.make(first, &rejected_name(first), &bytes) {
            Ok(_file) => Ok(()),
            Err(error) => Err(LogError::of(error, self.bytes())),
        }
    }

    /// The figures now, and since when the oldest frame waits.
    pub(crate) fn stats(&self) -> (LogStats, Option<Since>) {
        let mut oldest: Option<Since> = None;
        let mut stats = LogStats {
            bytes: self.bytes(),
            limit: self.limit(),
            free_bytes: self.disk.free_bytes().unwrap_or_default(),
            segments: count(self.closed.len()) + u64::from(self.active.is_some()),
            ..self.totals.clone()
        };
        let active = self.active.as_ref().map(|active| &active.segment);
        for segment in self.closed.values().filter(|segment| segment.hold != Hold::Done).chain(active) {
            stats.frames += segment.frames.frames;
            stats.weight += segment.frames.weight;
            oldest = oldest.or(segment.since);
        }
        stats.ready = count(self.closed.values().filter(|segment| segment.hold == Hold::Waiting).count());
        (stats, oldest)
    }

    fn bytes(&self) -> u64 {
        let closed: u64 = self.closed.values().map(|segment| segment.end).sum();
        closed + self.active.as_ref().map_or(0, |active| active.segment.end)
    }

    /// A quarter of what this disk could still give the log, at most its own bound.
    fn limit(&self) -> u64 {
        match self.disk.free_bytes() {
            Ok(free) => self.bounds.bytes_max.min(free.saturating_add(self.bytes()) / 4),
            // A disk that cannot say how full it is will say so when it is written.
            Err(_) => self.bounds.bytes_max,
        }
    }

    fn room_for(&mut self, entry: &Entry) -> Result<u64, LogError> {
        if entry.payload.len() > frame::PAYLOAD_BYTES_MAX {
            let max = count(frame::PAYLOAD_BYTES_MAX);
            return Err(LogError::TooLarge { bytes: count(entry.payload.len()), max });
        }
        let fits = |this: &Self| Some(this.limit()).filter(|limit| this.bytes() + entry.bytes() <= *limit);
        if let Some(limit) = fits(self) {
            return Ok(limit);
        }
        // Files that could not be deleted before may be what fills it.
        if let Err(error) = self.sweep() {
            tracing::warn!(%error, "the log could not take away emptied segments");
        }
        fits(self).ok_or_else(|| LogError::Full { bytes: self.bytes(), limit: self.limit() })
    }

    fn ready_for(&mut self, entry: &Entry) -> Result<(), LogError> {
        let crowded = self.active.as_ref().is_some_and(|active| {
            let Segment { end, frames, .. } = &active.segment;
            frames.frames > 0
                && (end + entry.bytes() > self.bounds.segment_bytes_max
                    || frames.weight + u64::from(entry.weight) > self.bounds.segment_weight_max)
        });
        if crowded {
            self.seal();
        }
        if self.active.is_none() {
            self.begin().map_err(|error| LogError::of(error, self.bytes()))?;
        }
        Ok(())
    }

    /// How many entries, at least one, the active segment and the limit take.
    fn fitting(&self, entries: &[Entry], limit: u64) -> usize {
        let Some(active) = self.active.as_ref() else { return 1 };
        let room = self.bounds.segment_bytes_max.saturating_sub(active.segment.end);
        let room = room.min(limit.saturating_sub(self.bytes()));
        let weight_room = self.bounds.segment_weight_max.saturating_sub(active.segment.frames.weight);
        let mut bytes = 0_u64;
        let mut weight = 0_u64;
        let fitting = entries.iter().take_while(|entry| {
            bytes = bytes.saturating_add(entry.bytes());
            weight = weight.saturating_add(u64::from(entry.weight));
            bytes <= room && weight <= weight_room
        });
        fitting.count().max(1)
    }

    fn write(&mut self, group: &[Entry]) -> Result<u64, LogError> {
        let first = self.next;
        self.next += count(group.len());
        let salt = self.id.salt();
        let heads: Vec<_> = group
            .iter()
            .zip(first..)
            .zip(0..)
            .map(|((entry, sequence), place)| {
                frame::head(&entry.payload, Label { weight: entry.weight, sequence, place }, salt)
            })
            .collect();
        let mut parts: Vec<_> = heads
            .iter()
            .zip(group)
            .flat_map(|(head, entry)| [IoSlice::new(head), IoSlice::new(&entry.payload)])
            .collect();
        let Some(active) = self.active.as_mut() else { return Err(LogError::Closed) };
        let synced = write_all(active.file.as_mut(), &mut parts).and_then(|()| active.file.sync());
        if let Err(error) = synced {
            self.suspect();
            return Err(LogError::of(error, self.bytes()));
        }
        let written = Counted {
            frames: count(group.len()),
            weight: group.iter().map(|entry| u64::from(entry.weight)).sum(),
            bytes: group.iter().map(Entry::bytes).sum(),
        };
        active.segment.end += written.bytes;
        active.segment.frames.add(written);
        active.segment.since.get_or_insert_with(Since::now);
        self.totals.appended.add(written);
        self.totals.commits += 1;
        Ok(first)
    }

    /// After a failed write or sync nothing behind the last good sync can be trusted: the segment takes no
    /// more.
    fn suspect(&mut self) {
        let Some(active) = self.active.take() else { return };
        let Active { first, segment, file } = active;
        drop(file);
        tracing::error!(segment = %name(first), "a write to the log failed; the segment is closed");
        // What was refused should not come back at the next start; if this fails, it may, which does no harm.
        if let Err(error) = self.disk.truncate(&name(first), segment.end) {
            tracing::warn!(%error, segment = %name(first), "the refused bytes stay in the file");
        }
        self.totals.suspect_segments += 1;
        self.close(first, segment);
    }

    fn seal(&mut self) {
        if let Some(active) = self.active.take_if(|active| active.segment.frames.frames > 0) {
            self.close(active.first, active.segment);
        }
    }

    fn close(&mut self, first: u64, mut segment: Segment) {
        if segment.frames.frames == 0 {
            segment.hold = Hold::Done;
        }
        self.previous = Previous { first, end: segment.end, torn: false };
        self.closed.insert(first, segment);
    }

    fn begin(&mut self) -> io::Result<()> {
        let first = self.next;
        let header = Header {
            log: self.id,
            first,
            begun_ns: now_ns(),
            previous: self.previous,
            owner: self.bounds.owner.clone(),
        };
        let header = header.encode();
        match self.make(first, &name(first), &header) {
            Ok(file) => {
                let segment = Segment {
                    end: count(header.len()),
                    frames: Counted::default(),
                    since: None,
                    hold: Hold::Waiting,
                    damaged: false,
                };
                self.active = Some(Active { first, file, segment });
                Ok(())
            }
            Err(error) => {
                // The name may be taken on disk now.
                self.next += 1;
                Err(error)
            }
        }
    }

    /// A file that is whole and durable as soon as it has its name.
    fn make(&self, first: u64, name: &str, bytes: &[u8]) -> io::Result<Box<dyn DiskFile>> {
        let draft = draft_name(first);
        let made = self.disk.create(&draft).and_then(|mut file| {
            write_all(file.as_mut(), &mut [IoSlice::new(bytes)])?;
            file.sync()?;
            self.disk.rename(&draft, name)?;
            self.disk.sync_dir()?;
            Ok(file)
        });
        if made.is_err() && self.disk.unlink(&draft).is_err() {
            tracing::debug!(draft, "a draft segment stays until the next start");
        }
        made
    }

    fn sweep_or_refuse(&mut self) -> Result<(), LogError> {
        let mut swept = self.sweep();
        if self.reserved && swept.as_ref().is_err_and(is_full) && self.disk.unlink(RESERVE).is_ok() {
            self.reserved = false;
            swept = self.sweep();
        }
        self.reserve();
        swept.map_err(|error| LogError::of(error, self.bytes()))
    }

    /// Takes away the files that nobody needs.
    fn sweep(&mut self) -> io::Result<()> {
        let done = |segment: &Segment| segment.hold == Hold::Done;
        if !self.closed.values().any(done) {
            return Ok(());
        }
        // The newest segment's name carries the sequence and the log's id over a restart: it goes only
        // after another.
        let newest_done = self.closed.last_key_value().is_some_and(|(_, segment)| done(segment));
        if self.active.is_none() && newest_done {
            self.begin()?;
        }
        let gone: Vec<u64> =
            self.closed.iter().filter(|(_, segment)| done(segment)).map(|(first, _)| *first).collect();
        for first in gone {
            if self.closed.get(&first).is_some_and(|segment| segment.damaged) {
                self.disk.rename(&name(first), &damaged_name(first))?;
            } else {
                self.disk.unlink(&name(first))?;
            }
            self.closed.remove(&first);
        }
        self.disk.sync_dir()
    }

    fn reserve(&mut self) {
        let roomy = self.disk.free_bytes().is_ok_and(|free| free / 64 > count(RESERVE_BYTES));
        if self.reserved || !roomy {
            return;
        }
        let made = self.disk.create(RESERVE).and_then(|mut file| {
            write_all(file.as_mut(), &mut [IoSlice::new(&vec![0; RESERVE_BYTES])])?;
            file.sync()
        });
        match made {
            Ok(()) => self.reserved = true,
            Err(error) => tracing::debug!(%error, "no space is held back for deleting"),
        }
    }

    fn refused(&mut self, entries: usize, refusal: &LogError) {
        if matches!(refusal, LogError::Full { .. } | LogError::TooLarge { .. }) {
            self.totals.refused_full += count(entries);
        } else {
            self.totals.refused_io += count(entries);
        }
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
