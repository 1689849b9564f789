//! Identifiers that travel on the wire or are made by us: fixed bytes, shown as lower-case hex.
use std::fmt;

macro_rules! hex_id {
    ($(#[$doc:meta])* $name:ident, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; $bytes]);

        impl $name {
            /// Reads exactly the right number of hex digits, in either case; `None` for anything else.
            pub fn parse(text: &str) -> Option<Self> {
                let mut bytes = [0; $bytes];
                if text.len() != 2 * $bytes {
                    return None;
                }
                for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                    let [high, low] = pair else { return None };
                    *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
                }
                Some(Self(bytes))
            }

            /// All bytes zero: OTLP says such an id is invalid.
            pub fn is_zero(&self) -> bool {
                self.0.iter().all(|byte| *byte == 0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut digits = [0; 2 * $bytes];
                for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
                    pair.copy_from_slice(&hex_pair(byte));
                }
                f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

hex_id!(
    /// The 16-byte id of an OTLP trace.
    TraceId,
    16
);
hex_id!(
    /// The 8-byte id of an OTLP span.
    SpanId,
    8
);
hex_id!(
    /// The keyed digest of a content's redacted body; equal bodies of one project have equal digests.
    Digest,
    16
);
hex_id!(
    /// The keyed digest of a record as decoded, before redaction: the same record re-sent has the same id.
    RecordId,
    16
);

/// The two lower-case digits of a byte. Ids are shown by the thousand, and `{:02x}` is slow.
fn hex_pair(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// The tenant. It comes from the credential, never from the payload.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Project(pub String);

impl Default for Project {
    /// The one project there is until access is configured.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_either_case_and_show_lower() {
        let id = TraceId::parse("5B8EFFF798038103D269B633813FC60C").unwrap();
        assert_eq!(id.to_string(), "5b8efff798038103d269b633813fc60c");
        assert_eq!(TraceId::parse("5b8e"), None);
        assert_eq!(SpanId::parse("eee19b7ec3c1b17é"), None);
        assert!(SpanId::parse("0000000000000000").unwrap().is_zero());
    }
}
