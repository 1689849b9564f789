//! RowBinary out: the few forms ClickHouse reads, appended to one buffer.
use std::fmt::{self, Write as _};

/// A buffer of rows. Every number is little-endian, every text has its length in front.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// An empty buffer with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many bytes were written.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes as they are: fixed strings, and rows that were written elsewhere.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A length: of a text, or of an array.
    pub fn length(&mut self, mut length: usize) {
        while length >= 0x80 {
            self.bytes.push(low_byte(length) | 0x80);
            length >>= 7;
        }
        self.bytes.push(low_byte(length));
    }

    /// A `String`.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.raw(bytes);
    }

    /// A `String` that is text.
    pub fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    /// A `String` of less than 128 bytes, printed in place.
    pub fn short(&mut self, shown: impl fmt::Display) {
        let at = self.bytes.len();
        self.bytes.push(0);
        // Writing to memory cannot fail.
        if write!(self, "{shown}").is_ok() {
            let length = self.bytes.len() - at - 1;
            if let Some(place) = self.bytes.get_mut(at) {
                *place = low_byte(length);
            }
        }
    }

    /// A `UInt8`, `Bool` or the code of an `Enum8`.
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// A `UInt16` or `Date`.
    pub fn u16(&mut self, number: u16) {
        self.raw(&number.to_le_bytes());
    }

    /// A `UInt32`.
    pub fn u32(&mut self, number: u32) {
        self.raw(&number.to_le_bytes());
    }

    /// A `UInt64`.
    pub fn u64(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// A `Float64`.
    pub fn f64(&mut self, number: f64) {
        self.raw(&number.to_le_bytes());
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.raw(text.as_bytes());
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low seven bits are what a length is written in")]
fn low_byte(length: usize) -> u8 {
    (length & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_seven_bits_a_byte() {
        for (length, bytes) in [
            (0, vec![0]),
            (127, vec![127]),
            (128, vec![0x80, 1]),
            (300, vec![0xac, 2]),
            (20_000_000, vec![0x80, 0xda, 0xc4, 9]),
        ] {
            let mut out = Writer::default();
            out.length(length);
            assert_eq!(out.into_bytes(), bytes, "{length}");
        }
    }

    #[test]
    fn short_texts_carry_their_length() {
        let mut out = Writer::default();
        out.short(-1234);
        out.text("é");
        assert_eq!(out.into_bytes(), b"\x05-1234\x02\xc3\xa9");
    }
}
