//! How much one request may hold, and how a text that is too long is cut so that everyone can see it.
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Bytes of one request, as sent and after decompression; the default of the OTLP specification 1.11.
pub const REQUEST_BYTES_MAX: usize = 64 << 20;
/// Spans or log records in one request; the rest is refused.
pub const ITEMS_MAX: u64 = 50_000;
/// Attributes in one list; the rest is left out and counted.
pub const ATTRIBUTES_MAX: usize = 4_096;
/// Levels of lists and maps in one value; a record with a deeper one is refused.
pub const NESTING_MAX: u32 = 64;
/// Bytes of one text or byte string; what is over is cut.
pub const VALUE_BYTES_MAX: usize = 8 << 20;
/// Bytes of a key, a name or a version; what is over is cut.
pub(crate) const NAME_BYTES_MAX: usize = 4 << 10;
/// The text, cut when it is longer than `max`: at a character, with a mark that tells the whole's length and
/// SHA-256. The second part is that length, when it was cut.
pub(crate) fn cut(text: &str, max: usize) -> (String, Option<u64>) {
    if text.len() <= max {
        return (text.to_owned(), None);
    }
    let kept = text.get(..text.floor_char_boundary(max)).unwrap_or_default();
    let mark = format!("… [cut: {} bytes, sha256 {}]", text.len(), sha256(text.as_bytes()));
    (kept.to_owned() + &mark, Some(text.len() as u64))
}

/// SHA-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        assert_eq!(cut("€€€", 9), ("€€€".to_owned(), None));
        let (kept, bytes) = cut("€€€", 8);
        assert_eq!(bytes, Some(9));
        assert!(kept.starts_with("€€… [cut: 9 bytes, sha256 "), "{kept}");
        assert!(kept.ends_with(&format!("{}]", sha256("€€€".as_bytes()))));
    }
}
