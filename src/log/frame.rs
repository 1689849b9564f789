//! One frame: length, weight, sequence, place, checksum, payload; and how a file of them is read back.
//!
//! All numbers are little-endian. The place says how many frames were written before it under the same
//! sync: those before them were durable when it was written. The checksum is CRC32C over the log's id, the
//! four fields before it and the payload, so a frame left over from another log is never taken for one of
//! this one.
use std::ops::Range;

/// The bytes before the payload.
pub(crate) const HEAD_BYTES: usize = 24;
/// The head without its checksum.
const FIELDS_BYTES: usize = 20;
/// The longest payload: lengths are 32 bits, and a segment is read into memory whole.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 1 << 30;

/// What a frame says of its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    /// What its owner counts in it.
    pub(crate) weight: u32,
    /// Its number in the log.
    pub(crate) sequence: u64,
    /// How many frames came before it under the same sync.
    pub(crate) place: u32,
}

/// The head of a frame with this payload.
pub(crate) fn head(payload: &[u8], label: Label, salt: u32) -> [u8; HEAD_BYTES] {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut head = [0; HEAD_BYTES];
    let fields = length
        .to_le_bytes()
        .into_iter()
        .chain(label.weight.to_le_bytes())
        .chain(label.sequence.to_le_bytes())
        .chain(label.place.to_le_bytes());
    head.iter_mut().zip(fields).for_each(|(to, from)| *to = from);
    let crc = checksum(&head, payload, salt);
    head.iter_mut().skip(FIELDS_BYTES).zip(crc.to_le_bytes()).for_each(|(to, from)| *to = from);
    head
}

fn checksum(head: &[u8], payload: &[u8], salt: u32) -> u32 {
    let fields = head.get(..FIELDS_BYTES).unwrap_or_default();
    crc32c::crc32c_append(crc32c::crc32c_append(salt, fields), payload)
}

/// A good frame found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// What it says of itself.
    pub(crate) label: Label,
    /// Where its payload is.
    pub(crate) payload: Range<usize>,
}

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The good frames, in order.
    pub(crate) frames: Vec<Found>,
    /// Where the last good frame ends; what follows is a torn tail.
    pub(crate) end: usize,
    /// Bytes between good frames that belong to none of them.
    pub(crate) gaps: Vec<Gap>,
}

/// Bytes where at least one frame is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The sequence of the first missing frame.
    pub(crate) sequence: u64,
    pub(crate) bytes: usize,
}

impl Scan {
    /// The gaps where acknowledged frames were: something behind them was written under a later sync. The
    /// others may come from one write of several frames that a crash cut into pieces.
    pub(crate) fn damage(&self) -> usize {
        let begun = |found: &Found| found.label.sequence.saturating_sub(u64::from(found.label.place));
        let durable_below = self.frames.iter().map(begun).max().unwrap_or_default();
        self.gaps.iter().filter(|gap| gap.sequence < durable_below).map(|gap| gap.bytes).sum()
    }
}

/// Reads frames from `start` on. Behind damage it looks for the next good frame, so one bad byte costs one
/// frame.
pub(crate) fn scan(bytes: &[u8], start: usize, first: u64, salt: u32) -> Scan {
    let mut found = Scan { end: start, ..Scan::default() };
    let mut at = start;
    let mut expected = first;
    // Looking for the next good frame costs a checksum at each place that could be one; an odd file must not
    // make that quadratic.
    let mut budget = bytes.len().saturating_mul(8);
    while at < bytes.len() {
        let lost_max = u64::try_from((at - found.end) / HEAD_BYTES).unwrap_or(u64::MAX);
        match frame_at(bytes, at, expected..=expected.saturating_add(lost_max), salt) {
            Looked::Good(frame) => {
                if at > found.end {
                    found.gaps.push(Gap { sequence: expected, bytes: at - found.end });
                }
                at = frame.payload.end;
                found.end = at;
                expected = frame.label.sequence.saturating_add(1);
                found.frames.push(frame);
            }
            Looked::No => at += 1,
            Looked::Bad(cost) if cost > budget => break,
            Looked::Bad(cost) => {
                budget -= cost;
                at += 1;
            }
        }
    }
    found
}

enum Looked {
    /// A frame whose checksum is right.
    Good(Found),
    /// Its checksum, over so many bytes, is wrong.
    Bad(usize),
    /// Cannot be one: it would reach beyond the file or its number is out of turn.
    No,
}

fn frame_at(bytes: &[u8], at: usize, expected: std::ops::RangeInclusive<u64>, salt: u32) -> Looked {
    let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk::<HEAD_BYTES>()) else {
        return Looked::No;
    };
    let (words, _) = head.as_chunks::<4>();
    let [length, weight, low, high, place, crc] = words else { return Looked::No };
    let sequence = u64::from(u32::from_le_bytes(*high)) << 32 | u64::from(u32::from_le_bytes(*low));
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let payload = at + HEAD_BYTES..(at + HEAD_BYTES).saturating_add(length);
    let Some(body) = bytes.get(payload.clone()).filter(|_| expected.contains(&sequence)) else {
        return Looked::No;
    };
    if checksum(head, body, salt) == u32::from_le_bytes(*crc) {
        let (weight, place) = (u32::from_le_bytes(*weight), u32::from_le_bytes(*place));
        Looked::Good(Found { label: Label { weight, sequence, place }, payload })
    } else {
        Looked::Bad(body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: u32 = 7;
    const ENDS: [usize; 5] = [4, 31, 55, 84, 112];

    /// Four frames; the last two under one sync.
    fn file() -> Vec<u8> {
        let mut file = b"head".to_vec();
        let frames = [("one", 0), ("", 0), ("three", 0), ("four", 1)];
        for (sequence, (payload, place)) in (10..).zip(frames) {
            file.extend(head(payload.as_bytes(), Label { weight: 2, sequence, place }, SALT));
            file.extend_from_slice(payload.as_bytes());
        }
        file
    }

    #[test]
    fn a_cut_at_every_offset_keeps_every_whole_frame() {
        let whole = file();
        for cut in 4..=whole.len() {
            let found = scan(&whole[..cut], 4, 10, SALT);
            let kept = ENDS.iter().filter(|end| **end <= cut).count() - 1;
            assert_eq!((found.frames.len(), found.end), (kept, ENDS[kept]), "cut at {cut}");
            assert_eq!(found.gaps, [], "cut at {cut}");
        }
    }

    #[test]
    fn a_flipped_bit_at_every_offset_costs_one_frame() {
        let whole = file();
        let all = scan(&whole, 4, 10, SALT).frames;
        assert_eq!(all.len(), 4);
        for at in 4..whole.len() {
            for bit in 0..8 {
                let mut file = whole.clone();
                file[at] ^= 1 << bit;
                let found = scan(&file, 4, 10, SALT);
                assert_eq!(found.frames.len(), 3, "bit {bit} of byte {at}");
                assert!(found.frames.iter().all(|frame| all.contains(frame)));
                // A later sync shows that the first two were acknowledged. Of the others the next segment
                // knows.
                assert_eq!(found.damage() > 0, at < ENDS[2], "bit {bit} of byte {at}");
                assert_eq!(!found.gaps.is_empty(), at < ENDS[3], "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn frames_of_another_log_or_another_place_are_not_ours() {
        let whole = file();
        assert_eq!(scan(&whole, 4, 10, SALT + 1).frames, []);
        assert_eq!(scan(&whole, 4, 30, SALT).frames, []);
    }
}
