//! The start of a segment: what it is, which log it belongs to, and what its owner needs to read it.
//!
//! Magic, format version, length of the header, log id, first sequence, time, the previous segment's first
//! sequence, durable end and whether it is torn, the owner's bytes, CRC32C of all before it. Numbers are
//! little-endian.
use std::fmt;

use bytes::Bytes;

const MAGIC: &[u8; 8] = b"recount\n";
const VERSION: u32 = 1;
/// Everything but the owner's bytes and the checksum.
const FIXED_BYTES: usize = 8 + 4 + 4 + 16 + 8 + 8 + 8 + 8 + 8;

/// Which log: made at random with the directory's first segment, and carried on from segment to segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogId(pub [u8; 16]);

impl LogId {
    /// What this log's checksums start from.
    pub(crate) fn salt(self) -> u32 {
        crc32c::crc32c(&self.0)
    }
}

impl fmt::Display for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a segment says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) log: LogId,
    /// The sequence of its first frame; also its name.
    pub(crate) first: u64,
    /// When it was begun by the wall clock, nanoseconds since 1970. For ages on a page; decides nothing.
    pub(crate) begun_ns: u64,
    /// The segment before it; itself, when it was made from a part of another one of that name.
    pub(crate) previous: Previous,
    /// The owner's bytes.
    pub(crate) owner: Bytes,
}

/// What a segment knows of the one before it: tells a torn tail from damage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Previous {
    /// The sequence of its first frame.
    pub(crate) first: u64,
    /// How many of its bytes are acknowledged and durable.
    pub(crate) end: u64,
    /// A crash left gaps between its good frames, of frames that were never acknowledged.
    pub(crate) torn: bool,
}

/// Why a segment's start cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderError {
    /// Not what was written.
    Damaged,
    /// Whole, but of a format this version does not know.
    Newer(u32),
}

impl Header {
    /// The header as it stands at the start of the file.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let length = FIXED_BYTES + self.owner.len() + 4;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&self.log.0);
        let Previous { first, end, torn } = self.previous;
        for number in [self.first, self.begun_ns, first, end, u64::from(torn)] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.owner);
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// Reads it back, with its length.
    pub(crate) fn decode(file: &[u8]) -> Result<(Self, usize), HeaderError> {
        Self::decoded(file).unwrap_or(Err(HeaderError::Damaged))
    }

    fn decoded(file: &[u8]) -> Option<Result<(Self, usize), HeaderError>> {
        let length = u32::from_le_bytes(*file.get(12..)?.first_chunk()?);
        let length = usize::try_from(length).ok()?;
        let (body, crc) = file.get(..length)?.split_last_chunk::<4>()?;
        if body.len() < FIXED_BYTES || crc32c::crc32c(body) != u32::from_le_bytes(*crc) {
            return None;
        }
        let version = u32::from_le_bytes(*body.strip_prefix(MAGIC)?.first_chunk()?);
        if version != VERSION {
            return Some(Err(HeaderError::Newer(version)));
        }
        let number = |at: usize| Some(u64::from_le_bytes(*body.get(at..)?.first_chunk()?));
        let header = Self {
            log: LogId(*body.get(16..)?.first_chunk()?),
            first: number(32)?,
            begun_ns: number(40)?,
            previous: Previous { first: number(48)?, end: number(56)?, torn: number(64)? != 0 },
            owner: Bytes::copy_from_slice(body.get(FIXED_BYTES..)?),
        };
        Some(Ok((header, length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_back_and_no_bit_of_it_may_change() {
        let header = Header {
            log: LogId([3; 16]),
            first: 17,
            begun_ns: 5,
            previous: Previous { first: 4, end: 999, torn: true },
            owner: Bytes::from_static(b"a,b"),
        };
        let whole = header.encode();
        assert_eq!(Header::decode(&whole), Ok((header, whole.len())));
        for at in 0..whole.len() {
            assert_eq!(Header::decode(&whole[..at]), Err(HeaderError::Damaged));
            for bit in 0..8 {
                let mut file = whole.clone();
                file[at] ^= 1 << bit;
                assert_eq!(Header::decode(&file), Err(HeaderError::Damaged));
            }
        }
    }

    #[test]
    fn a_later_format_is_told_from_damage() {
        let mut file = Header {
            log: LogId([3; 16]),
            first: 1,
            begun_ns: 0,
            previous: Previous::default(),
            owner: Bytes::new(),
        }
        .encode();
        let body = file.len() - 4;
        file[8] = 2;
        let crc = crc32c::crc32c(&file[..body]).to_le_bytes();
        file[body..].copy_from_slice(&crc);
        assert_eq!(Header::decode(&file), Err(HeaderError::Newer(2)));
    }
}
