//! The text of a JSON string: escapes undone, a lone surrogate replaced.
use std::borrow::Cow;

use memchr::memchr;

/// What stood between two quotes, unescaped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unescaped<'a> {
    /// The bytes; may not be UTF-8.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// A `\ud800` without its other half was replaced by U+FFFD.
    pub(crate) lone_surrogate: bool,
}

/// Undoes the escapes of what stood between two quotes. `None` for an escape that JSON does not know.
pub(crate) fn unescape(raw: &[u8]) -> Option<Unescaped<'_>> {
    if memchr(b'\\', raw).is_none() {
        return Some(Unescaped { bytes: Cow::Borrowed(raw), lone_surrogate: false });
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut lone_surrogate = false;
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(at)?;
        bytes.extend_from_slice(plain);
        let (kind, after) = escape.get(1..)?.split_first()?;
        rest = after;
        match kind {
            b'"' | b'\\' | b'/' => bytes.push(*kind),
            b'b' => bytes.push(0x08),
            b'f' => bytes.push(0x0c),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'u' => {
                let (character, after) = code_point(rest)?;
                lone_surrogate |= character.is_none();
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            _ => return None,
        }
    }
    bytes.extend_from_slice(rest);
    Some(Unescaped { bytes: Cow::Owned(bytes), lone_surrogate })
}

/// The character of a `\u` escape, from its digits on, with its other half where it has one; no character
/// for a half that stands alone.
fn code_point(digits: &[u8]) -> Option<(Option<char>, &[u8])> {
    let (unit, rest) = four_digits(digits)?;
    if let 0xd800..0xdc00 = unit
        && let Some((low @ 0xdc00..0xe000, after)) = rest.strip_prefix(b"\\u").and_then(four_digits)
    {
        let character = char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        return Some((character, after));
    }
    Some((char::from_u32(unit), rest))
}

fn four_digits(digits: &[u8]) -> Option<(u32, &[u8])> {
    let (four, rest) = digits.split_at_checked(4)?;
    if !four.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let unit = u32::from_str_radix(std::str::from_utf8(four).ok()?, 16).ok()?;
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoes_every_escape() {
        for (raw, expected, lone) in [
            ("plain é", "plain é", false),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t", false),
            (r"\u00e9\u20AC", "é€", false),
            (r"\ud83d\ude00!", "😀!", false),
            (r"a\ud800b", "a\u{fffd}b", true),
            (r"\ude00\ud83d", "\u{fffd}\u{fffd}", true),
            (r"\ud83d\u0041", "\u{fffd}A", true),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀", true),
        ] {
            let unescaped = unescape(raw.as_bytes()).unwrap();
            assert_eq!(
                (unescaped.bytes.as_ref(), unescaped.lone_surrogate),
                (expected.as_bytes(), lone),
                "{raw}"
            );
        }
        for raw in [r"\x", r"\", r"\u12", r"\u12g4", r"\u+123"] {
            assert_eq!(unescape(raw.as_bytes()), None, "{raw}");
        }
    }
}
