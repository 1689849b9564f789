//! How the pieces of a streamed result become one: the engine writes each as a document of its own, headers
//! included.
use bytes::Bytes;

use crate::store::engine::exception::Exception;

/// What stands before the rows of every piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    None,
    /// So many lines.
    Lines(usize),
    /// The number of columns, then so many texts for each.
    Binary(usize),
}

/// Joins the pieces of one result by cutting the header off all but the first.
pub(super) struct Joining {
    kind: Header,
    header: Option<Bytes>,
}

impl Joining {
    /// `None` for a format whose documents cannot be joined (JSON, Parquet): it must be written whole.
    pub(super) fn of(format: &str) -> Option<Self> {
        let kind = match format {
            "RowBinary" | "Native" | "Null" | "CSV" | "TSV" | "TabSeparated" | "TSVRaw"
            | "TabSeparatedRaw" => Header::None,
            "JSONEachRow" | "JSONLines" | "NDJSON" | "JSONCompactEachRow" | "JSONStringsEachRow" => {
                Header::None
            }
            "CSVWithNames" | "TSVWithNames" | "TabSeparatedWithNames" => Header::Lines(1),
            "CSVWithNamesAndTypes" | "TSVWithNamesAndTypes" | "TabSeparatedWithNamesAndTypes" => {
                Header::Lines(2)
            }
            "RowBinaryWithNames" => Header::Binary(1),
            "RowBinaryWithNamesAndTypes" => Header::Binary(2),
            _ => return None,
        };
        Some(Self { kind, header: None })
    }

    /// What of this piece belongs to the result.
    pub(super) fn rows(&mut self, mut piece: Bytes) -> Result<Bytes, Exception> {
        let Some(header) = &self.header else {
            let length = header_length(self.kind, &piece);
            let length = length.ok_or_else(|| Exception::of("the engine's result has no header"))?;
            self.header = Some(piece.slice(..length));
            return Ok(piece);
        };
        if !piece.starts_with(header) {
            return Err(Exception::of("the engine's result changed its header"));
        }
        Ok(piece.split_off(header.len()))
    }
}

fn header_length(kind: Header, piece: &[u8]) -> Option<usize> {
    match kind {
        Header::None => Some(0),
        Header::Lines(lines) => {
            let mut ends = piece.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            ends.nth(lines.checked_sub(1)?)
        }
        Header::Binary(texts) => {
            let (columns, mut rest) = number(piece)?;
            for _ in 0..columns.checked_mul(texts)? {
                let (length, text) = number(rest)?;
                rest = text.get(length..)?;
            }
            piece.len().checked_sub(rest.len())
        }
    }
}

/// An unsigned LEB128 number and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_kept_once() {
        for (format, pieces, joined) in [
            ("RowBinary", [&b"\x01"[..], b"\x02"], &b"\x01\x02"[..]),
            ("CSVWithNames", [b"\"a\"\n1\n", b"\"a\"\n2\n"], b"\"a\"\n1\n2\n"),
            ("CSVWithNamesAndTypes", [b"a\nUInt8\n", b"a\nUInt8\n2\n"], b"a\nUInt8\n2\n"),
            (
                "RowBinaryWithNamesAndTypes",
                [b"\x01\x01a\x05UInt8\x07", b"\x01\x01a\x05UInt8\x08"],
                b"\x01\x01a\x05UInt8\x07\x08",
            ),
        ] {
            let mut joining = Joining::of(format).unwrap();
            let rows: Vec<Bytes> =
                pieces.iter().map(|piece| joining.rows(Bytes::copy_from_slice(piece)).unwrap()).collect();
            assert_eq!(rows.concat(), joined, "{format}");
        }
        assert!(Joining::of("Parquet").is_none());
    }

    #[test]
    fn a_piece_without_its_header_is_an_error() {
        let mut joining = Joining::of("CSVWithNames").unwrap();
        joining.rows(Bytes::from_static(b"a\n1\n")).unwrap();
        assert!(joining.rows(Bytes::from_static(b"b\n1\n")).is_err());
        let mut joining = Joining::of("RowBinaryWithNamesAndTypes").unwrap();
        assert!(joining.rows(Bytes::from_static(b"\x02\x01a")).is_err());
    }
}
