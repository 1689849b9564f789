//! Replaces strings and numbers inside JSON text and leaves every other byte as it was.
//!
//! No tree is built: order, repeats, spacing and the digits of numbers stay as the sender wrote them, and
//! what was valid JSON stays valid, since only whole tokens are replaced by whole tokens.
use std::sync::Arc;

use crate::redaction::budget::Overrun;
use crate::redaction::mark::Rule;

/// What is done with the tokens of a JSON text. `None` leaves a token as it is.
pub(crate) trait Leaves {
    /// A key of an object that is so deep, decoded: what comes next stands below it.
    fn enter(&mut self, depth: usize, key: &str);
    /// The end of an object or list that was so deep.
    fn leave(&mut self, depth: usize);
    /// A key, decoded.
    fn key(&mut self, key: &str) -> Result<Option<String>, Overrun>;
    /// The rule on everything under this key, when the key says that it is secret.
    fn secret_key(&self, key: &str) -> Option<Arc<Rule>>;
    /// A string, decoded.
    fn text(&mut self, text: &str) -> Result<Option<String>, Overrun>;
    /// A number as written; becomes a string.
    fn number(&mut self, number: &str) -> Result<Option<String>, Overrun>;
    /// A string or number under a secret key.
    fn secret(&mut self, value: &str, rule: &Arc<Rule>) -> Option<String>;
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Spliced {
    /// The new text; `None` when nothing was replaced.
    pub(crate) text: Option<String>,
    /// Whether all of the text was JSON; if not, the rest after the first error was left alone.
    pub(crate) whole: bool,
}

/// Whether it is worth trying to read a text as JSON.
pub(crate) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}

/// Goes through a text of one or several JSON values.
pub(crate) fn splice(text: &str, leaves: &mut dyn Leaves) -> Result<Spliced, Overrun> {
    let mut reader = Reader { text, at: 0, copied: 0, out: String::new(), stack: Vec::new() };
    let whole = reader.read(leaves)?;
    let changed = reader.copied > 0;
    reader.out.push_str(text.get(reader.copied..).unwrap_or_default());
    Ok(Spliced { text: changed.then_some(reader.out), whole })
}

/// An object or list that is open.
#[derive(Debug)]
struct Open {
    object: bool,
    /// What an object waits for.
    waits: Waits,
    /// Everything in it is secret.
    secret: Option<Arc<Rule>>,
    /// It is the `properties` of a JSON schema: its keys name parameters, and their values are definitions.
    properties: bool,
    /// It is such a definition of a secret parameter: only its examples are secret.
    definition: Option<Arc<Rule>>,
    /// What the value after the colon is under.
    next: Under,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    Key,
    Colon,
    Value,
    Comma,
}

/// What the key says about its value.
#[derive(Debug, Clone, Default)]
struct Under {
    secret: Option<Arc<Rule>>,
    definition: Option<Arc<Rule>>,
    properties: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Up to where the text is in `out`.
    copied: usize,
    out: String,
    stack: Vec<Open>,
}

impl Reader<'_> {
    /// True when the text ended where a text of JSON values may end.
    fn read(&mut self, leaves: &mut dyn Leaves) -> Result<bool, Overrun> {
        while let Some(byte) = self.next_byte() {
            let sound = match byte {
                b'{' | b'[' => self.open(byte == b'{'),
                b'}' | b']' => {
                    leaves.leave(self.stack.len());
                    self.close(byte == b'}')
                }
                b',' => self.step(|open| if open.object { Waits::Key } else { Waits::Value }, Waits::Comma),
                b':' => self.step(|_| Waits::Value, Waits::Colon),
                b'"' => self.string(leaves)?,
                _ => self.bare(leaves)?,
            };
            if !sound {
                return Ok(false);
            }
        }
        Ok(self.stack.is_empty())
    }

    fn next_byte(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += blank;
        rest.get(blank).copied()
    }

    fn step(&mut self, next: impl Fn(&Open) -> Waits, expected: Waits) -> bool {
        self.at += 1;
        let Some(open) = self.stack.last_mut().filter(|open| open.waits == expected) else { return false };
        open.waits = next(open);
        true
    }

    fn open(&mut self, object: bool) -> bool {
        let Some(mut under) = self.value() else { return false };
        self.at += 1;
        if object && under.definition.is_some() {
            under.secret = None;
        }
        self.stack.push(Open {
            object,
            waits: if object { Waits::Key } else { Waits::Value },
            secret: under.secret,
            properties: under.properties && object,
            definition: under.definition.filter(|_| object),
            next: Under::default(),
        });
        true
    }

    fn close(&mut self, object: bool) -> bool {
        self.at += 1;
        self.stack.pop().is_some_and(|open| {
            let complete = if object { Waits::Key } else { Waits::Value };
            open.object == object && [complete, Waits::Comma].contains(&open.waits)
        })
    }

    /// A value begins: what is it under? `None` where none may begin.
    fn value(&mut self) -> Option<Under> {
        let Some(open) = self.stack.last_mut() else { return Some(Under::default()) };
        if open.waits != Waits::Value {
            return None;
        }
        open.waits = Waits::Comma;
        let mut under = std::mem::take(&mut open.next);
        under.secret = under.secret.or_else(|| open.secret.clone());
        Some(under)
    }

    fn string(&mut self, leaves: &mut dyn Leaves) -> Result<bool, Overrun> {
        let start = self.at;
        let Some(end) = self.string_end() else { return Ok(false) };
        let raw = self.text.get(start + 1..end - 1).unwrap_or_default();
        let decoded = if raw.contains('\\') { decoded(raw) } else { raw.to_owned() };
        self.at = end;
        if self.stack.last().is_some_and(|open| open.object && open.waits == Waits::Key) {
            leaves.enter(self.stack.len(), &decoded);
            self.key(&decoded, leaves);
            let new = leaves.key(&decoded)?;
            self.replace(start, end, new);
            return Ok(true);
        }
        let Some(under) = self.value() else { return Ok(false) };
        let new = match &under.secret {
            Some(rule) => leaves.secret(&decoded, rule),
            None => leaves.text(&decoded)?,
        };
        self.replace(start, end, new);
        Ok(true)
    }

    fn key(&mut self, key: &str, leaves: &dyn Leaves) {
        let Some(open) = self.stack.last_mut() else { return };
        open.waits = Waits::Colon;
        let secret = leaves.secret_key(key);
        let example = ["const", "default", "enum", "example", "examples"].contains(&key);
        open.next = Under {
            properties: key == "properties",
            definition: secret.clone().filter(|_| open.properties),
            secret: secret.or_else(|| open.definition.clone().filter(|_| example)),
        };
    }

    /// A number, `true`, `false` or `null`.
    fn bare(&mut self, leaves: &mut dyn Leaves) -> Result<bool, Overrun> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let word = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        self.at = start + word.len();
        let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        if !(number || matches!(word, "true" | "false" | "null")) {
            return Ok(false);
        }
        let Some(under) = self.value() else { return Ok(false) };
        let new = match &under.secret {
            _ if !number => None,
            Some(rule) => leaves.secret(word, rule),
            None => leaves.number(word)?,
        };
        self.replace(start, self.at, new);
        Ok(true)
    }

    fn replace(&mut self, start: usize, end: usize, new: Option<String>) {
        let Some(new) = new else { return };
        self.out.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.out.push_str(&quoted(&new));
        self.copied = end;
    }

    /// The end of the string that begins here, closing quote included.
    fn string_end(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            let ahead = bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            at += ahead;
            match bytes.get(at) {
                Some(b'"') => return Some(at + 1),
                Some(_) | None => at += 2,
            }
        }
    }
}

/// A JSON string of this text.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text behind the escapes; half a surrogate pair and unknown escapes become U+FFFD.
fn decoded(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let (char, length) = unescaped(escape);
        out.push(char);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The character after a backslash and how many bytes spell it.
fn unescaped(escape: &str) -> (char, usize) {
    let Some(first) = escape.chars().next() else { return (char::REPLACEMENT_CHARACTER, 0) };
    match first {
        'b' => ('\u{8}', 1),
        'f' => ('\u{c}', 1),
        'n' => ('\n', 1),
        'r' => ('\r', 1),
        't' => ('\t', 1),
        '"' | '\\' | '/' => (first, 1),
        'u' => {
            let unit = |from: usize| u16::from_str_radix(escape.get(from..from + 4)?, 16).ok();
            let Some(high) = unit(1) else { return (char::REPLACEMENT_CHARACTER, 1) };
            let low = escape.get(5..7).filter(|next| *next == "\\u").and_then(|_| unit(7));
            match char::decode_utf16(std::iter::once(high).chain(low)).next() {
                Some(Ok(char)) if char.len_utf16() == 2 => (char, 11),
                Some(Ok(char)) => (char, 5),
                Some(Err(_)) | None => (char::REPLACEMENT_CHARACTER, 5),
            }
        }
        other => (char::REPLACEMENT_CHARACTER, other.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces the word `dark`, the number 666 and what is under `pw`.
    struct Dark;

    impl Leaves for Dark {
        fn enter(&mut self, _: usize, _: &str) {}
        fn leave(&mut self, _: usize) {}
        fn key(&mut self, key: &str) -> Result<Option<String>, Overrun> {
            self.text(key)
        }
        fn secret_key(&self, key: &str) -> Option<Arc<Rule>> {
            (key == "pw").then(|| Rule::builtin("pw"))
        }
        fn text(&mut self, text: &str) -> Result<Option<String>, Overrun> {
            Ok(text.contains("dark").then(|| text.replace("dark", "l\"ght")))
        }
        fn number(&mut self, number: &str) -> Result<Option<String>, Overrun> {
            Ok((number == "666").then(|| "x".to_owned()))
        }
        fn secret(&mut self, _: &str, rule: &Arc<Rule>) -> Option<String> {
            Some(format!("[redacted:{}]", rule.id))
        }
    }

    #[test]
    fn only_hit_tokens_change_and_json_stays_json() {
        for (text, expected) in [
            (r#"{"a": 1.50, "a":[true,null,-2e3]}"#, None),
            (r#" {"a" : "dark" , "b":1.0}"#, Some(r#" {"a" : "l\"ght" , "b":1.0}"#)),
            (r#"{"da\u0072k":666,"n":[666,6660]}"#, Some(r#"{"l\"ght":"x","n":["x",6660]}"#)),
            (
                r#"{"pw":{"deep":["a",1,true,{"b":null}]},"c":"d"}"#,
                Some(r#"{"pw":{"deep":["[redacted:pw]","[redacted:pw]",true,{"b":null}]},"c":"d"}"#),
            ),
            (r#""dark""#, Some(r#""l\"ght""#)),
            ("{\"a\":1}\n{\"a\":\"dark\"}", Some("{\"a\":1}\n{\"a\":\"l\\\"ght\"}")),
            (
                r#"{"properties":{"pw":{"a":"s","default":"x"},"q":{}},"pw":"y"}"#,
                Some(
                    r#"{"properties":{"pw":{"a":"s","default":"[redacted:pw]"},"q":{}},"pw":"[redacted:pw]"}"#,
                ),
            ),
            (r#"{"properties":{"pw":"x"}}"#, Some(r#"{"properties":{"pw":"[redacted:pw]"}}"#)),
            (r#"["\ud83d\ude00 dark \ud800"]"#, Some("[\"😀 l\\\"ght \u{fffd}\"]")),
        ] {
            let spliced = splice(text, &mut Dark).unwrap();
            assert_eq!(spliced.text.as_deref(), expected, "{text}");
            assert!(spliced.whole, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_said_to_be_none() {
        for text in [
            r#"{"a":"#,
            r#"{"pw":"x"#,
            r#"["a" "b"]"#,
            r#""a": "b""#,
            "{a:1}",
            r#"{"a"}"#,
            "]",
            r#""a" said"#,
            r#"{"a":1"#,
            r#"{"a" "b"}"#,
            "[1}",
            r#"["\"#,
        ] {
            assert!(!splice(text, &mut Dark).unwrap().whole, "{text}");
        }
        let cut = splice(r#"{"a":"dark","pw":"x"#, &mut Dark).unwrap();
        assert_eq!(cut.text.as_deref(), Some(r#"{"a":"l\"ght","pw":"x"#));
    }
}
