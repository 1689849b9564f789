//! How names that others chose stand in addresses.
use std::fmt::Write;

/// Percent-encodes everything but letters, digits and `-._~`, for path segments and query values alike.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(out, "%{byte:02X}").unwrap_or_default();
        }
    }
    out
}

/// A name as one segment of a path. Browsers take `.` and `..` for steps through folders, also when they are
/// percent-encoded: these two are encoded twice, and [`undotted`] reads them back.
pub fn segment(name: &str) -> String {
    match name {
        "." => "%252E".to_owned(),
        ".." => "%252E%252E".to_owned(),
        _ => encoded(name),
    }
}

/// The name of dots that [`segment`] encoded twice.
pub fn undotted(segment: &str) -> Option<&'static str> {
    match segment {
        "%2E" => Some("."),
        "%2E%2E" => Some(".."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_part_of_an_address() {
        assert_eq!(encoded("a b/c?d&é~"), "a%20b%2Fc%3Fd%26%C3%A9~");
        assert_eq!([segment("."), segment(".."), segment("a.b")], ["%252E", "%252E%252E", "a.b"]);
        assert_eq!((undotted("%2E%2E"), undotted("%2E"), undotted(".x")), (Some(".."), Some("."), None));
    }
}
