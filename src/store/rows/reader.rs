//! RowBinary in: reads back what [`Writer`](crate::store::rows::Writer) wrote, or what a query answered.

/// Bytes that are not the rows we expected: the answer was cut, or table and program differ.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes ended inside a row.
    #[error("the rows end in the middle of column {column}")]
    Short {
        /// The column that was being read; empty outside a row.
        column: &'static str,
    },
    /// A code or word that this program does not know.
    #[error("column {column} holds a value that this version does not know")]
    Unknown {
        /// The column that was being read; empty outside a row.
        column: &'static str,
    },
}

impl ReadError {
    /// An end in the middle.
    pub(in crate::store) const SHORT: Self = Self::Short { column: "" };
    /// A value nobody knows.
    pub(in crate::store) const UNKNOWN: Self = Self::Unknown { column: "" };

    /// The same error, with the name of the column.
    #[must_use]
    pub(in crate::store) fn in_column(self, column: &'static str) -> Self {
        match self {
            Self::Short { .. } => Self::Short { column },
            Self::Unknown { .. } => Self::Unknown { column },
        }
    }
}

/// A place in a buffer of rows.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// At the start of these rows.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let (found, rest) = self.rest.split_at_checked(length).ok_or(ReadError::SHORT)?;
        self.rest = rest;
        Ok(found)
    }

    /// Bytes of a known number.
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (found, rest) = self.rest.split_first_chunk::<N>().ok_or(ReadError::SHORT)?;
        self.rest = rest;
        Ok(*found)
    }

    /// A length: of a text, or of an array.
    pub fn length(&mut self) -> Result<usize, ReadError> {
        let mut length = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.u8()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(length);
            }
        }
        Err(ReadError::UNKNOWN)
    }

    /// A `String`.
    pub fn blob(&mut self) -> Result<&'a [u8], ReadError> {
        let length = self.length()?;
        self.raw(length)
    }

    /// A `String` that is text. What is no UTF-8 (a cut preview) gets the replacement mark.
    pub fn text(&mut self) -> Result<String, ReadError> {
        Ok(String::from_utf8_lossy(self.blob()?).into_owned())
    }

    /// A `UInt8`, `Bool` or the code of an `Enum8`.
    pub fn u8(&mut self) -> Result<u8, ReadError> {
        Ok(self.fixed::<1>()?[0])
    }

    /// A `UInt16` or `Date`.
    pub fn u16(&mut self) -> Result<u16, ReadError> {
        Ok(u16::from_le_bytes(self.fixed()?))
    }

    /// A `UInt32`.
    pub fn u32(&mut self) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.fixed()?))
    }

    /// A `UInt64`.
    pub fn u64(&mut self) -> Result<u64, ReadError> {
        Ok(u64::from_le_bytes(self.fixed()?))
    }

    /// A `Float64`.
    pub fn f64(&mut self) -> Result<f64, ReadError> {
        Ok(f64::from_le_bytes(self.fixed()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_answer_is_an_error() {
        let mut from = Reader::new(b"\x05abc");
        assert_eq!(from.text(), Err(ReadError::SHORT));
        assert_eq!(
            Reader::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").length(),
            Err(ReadError::UNKNOWN)
        );
        assert_eq!(
            ReadError::SHORT.in_column("name").to_string(),
            "the rows end in the middle of column name"
        );
    }

    #[test]
    fn lengths_come_back() {
        for length in [0usize, 1, 127, 128, 300, 16_383, 16_384, 20_000_000] {
            let mut out = crate::store::rows::Writer::default();
            out.length(length);
            assert_eq!(Reader::new(&out.into_bytes()).length(), Ok(length));
        }
    }
}
