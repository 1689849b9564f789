//! JSON text, value by value. Lenient where a document still has one meaning; never recursive in itself.
use std::borrow::Cow;

use memchr::memchr2;

use crate::otlp::fault::Fault;
use crate::otlp::json::text::{Unescaped, unescape};

/// JSON that cannot be read on.
pub(crate) const BROKEN: Fault =
    Fault::Broken { what: "the record", how: "its JSON is not well-formed or ends early" };

/// Stands somewhere in a JSON text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    text: &'a [u8],
}

/// A value that was skipped: its text, and whether it has its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raw<'a> {
    /// The text, from the value's first character on.
    pub(crate) text: &'a [u8],
    /// False when the document ended inside.
    pub(crate) whole: bool,
}

/// A number, text or literal that stands where a value is expected.
#[derive(Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as spelt.
    Number(&'a str),
    /// A string.
    Text(Unescaped<'a>),
}

impl<'a> Reader<'a> {
    /// At the start of this text, after a byte order mark.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) }
    }

    /// What has not been read yet, without the white space before it.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.white();
        self.text
    }

    /// The next character, after white space.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.white();
        self.text.first().copied()
    }

    /// Takes this character if it is next.
    pub(crate) fn take(&mut self, character: u8) -> bool {
        let is_next = self.peek() == Some(character);
        if is_next {
            self.text = self.text.get(1..).unwrap_or_default();
        }
        is_next
    }

    /// Takes `null` if it is next.
    pub(crate) fn null(&mut self) -> bool {
        self.white();
        let rest = self.text.strip_prefix(b"null");
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    /// Reads an object, each member's value with this function; `null` counts as one without members.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.null() {
            return Ok(());
        }
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            member(self, &key)?;
            if self.take(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads an array, each element with this function; `null` counts as an empty one.
    pub(crate) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.null() {
            return Ok(());
        }
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// A member's key, with its colon.
    pub(crate) fn key(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.white();
        let key = match unescape(self.quoted()?).ok_or(BROKEN)?.bytes {
            Cow::Borrowed(key) => String::from_utf8_lossy(key),
            Cow::Owned(key) => Cow::Owned(String::from_utf8_lossy(&key).into_owned()),
        };
        self.expect(b':')?;
        Ok(key)
    }

    /// A value that is no list and no object.
    pub(crate) fn scalar(&mut self) -> Result<Scalar<'a>, Fault> {
        match self.peek() {
            Some(b'"') => Ok(Scalar::Text(unescape(self.quoted()?).ok_or(BROKEN)?)),
            Some(b'{' | b'[') | None => Err(BROKEN),
            Some(_) => match self.word() {
                "null" => Ok(Scalar::Null),
                "true" => Ok(Scalar::Bool(true)),
                "false" => Ok(Scalar::Bool(false)),
                word if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                    Ok(Scalar::Number(word))
                }
                _ => Err(BROKEN),
            },
        }
    }

    /// Skips one value, whatever it is. Only strings and brackets are looked at: what is wrong inside shows
    /// when it is read.
    pub(crate) fn skip(&mut self) -> Raw<'a> {
        self.white();
        let start = self.text;
        let mut depth = 0_usize;
        let mut at = 0;
        let whole = loop {
            match start.get(at) {
                None => break depth == 0 && at > 0,
                Some(b'"') => match end_of_string(start, at + 1) {
                    Some(end) => at = end + 1,
                    None => {
                        at = start.len();
                        break false;
                    }
                },
                Some(b'{' | b'[') => {
                    depth += 1;
                    at += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    at += 1;
                }
                Some(b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n') if depth == 0 => break true,
                Some(_) => at += 1,
            }
        };
        let (text, rest) = start.split_at_checked(at).unwrap_or((start, &[]));
        self.text = rest;
        Raw { text, whole }
    }

    fn white(&mut self) {
        self.text = self.text.trim_ascii_start();
    }

    fn expect(&mut self, character: u8) -> Result<(), Fault> {
        if self.take(character) { Ok(()) } else { Err(BROKEN) }
    }

    /// What stands between the quotes that start here; escapes stay.
    fn quoted(&mut self) -> Result<&'a [u8], Fault> {
        if self.text.first() != Some(&b'"') {
            return Err(BROKEN);
        }
        let end = end_of_string(self.text, 1).ok_or(BROKEN)?;
        let inside = self.text.get(1..end).ok_or(BROKEN)?;
        self.text = self.text.get(end + 1..).unwrap_or_default();
        Ok(inside)
    }

    /// The letters, digits and signs that stand here.
    fn word(&mut self) -> &'a str {
        let is_end = |b: &u8| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        let length = self.text.iter().position(is_end).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at_checked(length).unwrap_or_default();
        self.text = rest;
        std::str::from_utf8(word).unwrap_or_default()
    }
}

/// Where the quote stands that ends a string of which the inside starts here.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_any_value() {
        for (text, value, whole) in [
            (" {\"a\":[1,\"}\\\"\"]} ,2", "{\"a\":[1,\"}\\\"\"]}", true),
            ("\"a,b\",1", "\"a,b\"", true),
            ("12.5e3]", "12.5e3", true),
            ("null}", "null", true),
            ("true", "true", true),
            ("{\"a\":[1", "{\"a\":[1", false),
            ("\"abc", "\"abc", false),
            ("\"abc\\", "\"abc\\", false),
            ("", "", false),
            (",", "", true),
        ] {
            let raw = Reader::new(text.as_bytes()).skip();
            assert_eq!(raw, Raw { text: value.as_bytes(), whole }, "{text}");
        }
    }

    #[test]
    fn reads_scalars() {
        let scalar = |text: &'static str| Reader::new(text.as_bytes()).scalar();
        assert_eq!(scalar(" null"), Ok(Scalar::Null));
        assert_eq!(scalar("true,"), Ok(Scalar::Bool(true)));
        assert_eq!(scalar("-1.5e+3}"), Ok(Scalar::Number("-1.5e+3")));
        for broken in ["", "nil", "{}", "[", "\"a", ",", "\"\\x\""] {
            assert_eq!(scalar(broken), Err(BROKEN), "{broken}");
        }
    }

    #[test]
    fn objects_and_arrays_are_read_to_their_end_or_refused() {
        let keys = |text: &str| {
            let mut keys = Vec::new();
            let mut reader = Reader::new(text.as_bytes());
            let read = reader.object(|reader, key| {
                keys.push(key.to_owned());
                reader.skip();
                Ok(())
            });
            read.map(|()| keys.join(" "))
        };
        assert_eq!(keys("\u{feff}{\"a\":1 , \"b\\u0063\" : [2] }"), Ok("a bc".to_owned()));
        assert_eq!(keys("null"), Ok(String::new()));
        for broken in ["{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1,}", "{a:1}", "{\"a\":1", "[]"] {
            assert_eq!(keys(broken), Err(BROKEN), "{broken}");
        }
    }
}
