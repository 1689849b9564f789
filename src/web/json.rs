//! JSON laid out for reading without changing a value: numbers, key order and repeats stay as they were sent.
use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// Objects and lists that fit into this many columns stay on one line.
const COLUMNS: usize = 60;
/// Deeper values are shown as received: laying them out would mostly write spaces.
const DEPTH_MAX: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Open(char),
    Close(char),
    Comma,
    Colon,
    Value(&'a str),
}

/// Whether the text is one whole JSON value, however deep.
pub(in crate::web) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Lays a JSON value out over lines. `None` when the text is not one whole JSON value, or too deep.
pub(in crate::web) fn laid_out(text: &str) -> Option<String> {
    if !is_whole(text) {
        return None;
    }
    let tokens = tokens(text);
    let widths = widths(&tokens)?;
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut depth = 0;
    let mut inline_until = 0;
    for (at, token) in tokens.iter().enumerate() {
        let inline = at < inline_until;
        let next_closes = matches!(tokens.get(at + 1), Some(Token::Close(_)));
        match token {
            Token::Open(bracket) => {
                out.push(*bracket);
                let (end, width) = widths.get(at).copied().unwrap_or_default();
                if !inline && 2 * depth + width <= COLUMNS {
                    inline_until = end;
                } else if !inline && !next_closes {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            Token::Close(bracket) => {
                let was_empty =
                    matches!(at.checked_sub(1).and_then(|at| tokens.get(at)), Some(Token::Open(_)));
                if !inline && at != inline_until && !was_empty {
                    depth = depth.saturating_sub(1);
                    new_line(&mut out, depth);
                }
                out.push(*bracket);
            }
            Token::Comma if inline => out.push_str(", "),
            Token::Comma => {
                out.push(',');
                new_line(&mut out, depth);
            }
            Token::Colon => out.push_str(": "),
            Token::Value(value) => out.push_str(&readable(value)),
        }
    }
    Some(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((from, char)) = chars.next() {
        tokens.push(match char {
            '{' | '[' => Token::Open(char),
            '}' | ']' => Token::Close(char),
            ',' => Token::Comma,
            ':' => Token::Colon,
            '"' => {
                let mut escaped = false;
                let mut end = text.len();
                for (at, char) in chars.by_ref() {
                    if char == '"' && !escaped {
                        end = at + 1;
                        break;
                    }
                    escaped = char == '\\' && !escaped;
                }
                Token::Value(text.get(from..end).unwrap_or_default())
            }
            _ if char.is_whitespace() => continue,
            _ => {
                let mut end = from + char.len_utf8();
                while let Some((at, char)) = chars.next_if(|(_, char)| !",]} \t\r\n".contains(*char)) {
                    end = at + char.len_utf8();
                }
                Token::Value(text.get(from..end).unwrap_or_default())
            }
        });
    }
    tokens
}

/// For every opening bracket: where it closes, and how wide it is on one line. `None` when nested too deep.
fn widths(tokens: &[Token<'_>]) -> Option<Vec<(usize, usize)>> {
    let mut widths = vec![(0, 0); tokens.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut written = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => open.push((at, written)),
            Token::Close(_) => {
                let (from, before) = open.pop()?;
                *widths.get_mut(from)? = (at, written + 1 - before);
            }
            Token::Comma | Token::Colon | Token::Value(_) => {}
        }
        if open.len() > DEPTH_MAX {
            return None;
        }
        written += match token {
            Token::Open(_) | Token::Close(_) => 1,
            Token::Comma | Token::Colon => 2,
            Token::Value(value) => value.len(),
        };
    }
    Some(widths)
}

/// Writes `\u4f60` as the letter it stands for; control and invisible characters stay escaped.
fn readable(value: &str) -> Cow<'_, str> {
    if !value.contains("\\u") {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (taken, letter) = letter_of(escape);
        match letter {
            Some(letter) => out.push(letter),
            None => out.push_str(escape.get(..taken).unwrap_or_default()),
        }
        rest = escape.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// How long the escape at the start of `text` is, and the letter that may stand in its place.
fn letter_of(text: &str) -> (usize, Option<char>) {
    let unit = |from: usize| {
        text.get(from..from + 2)
            .filter(|start| *start == "\\u")
            .and_then(|_| text.get(from + 2..from + 6))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
    };
    let Some(first) = unit(0) else { return (2.min(text.len()), None) };
    let units = [first, unit(6).unwrap_or_default()];
    match char::decode_utf16(units).next() {
        Some(Ok(letter))
            if letter.is_alphanumeric() || u32::from(letter) >= 0x2190 && !is_invisible(letter) =>
        {
            (if u32::from(letter) > 0xffff { 12 } else { 6 }, Some(letter))
        }
        _ => (6, None),
    }
}

fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter), 0xe000..=0xf8ff | 0xfe00..=0xfeff | 0xfff0.. )
            && !matches!(u32::from(letter), 0x1_f000..=0x3_ffff)
}

/// The members of a JSON object in order, values as received.
#[derive(Debug)]
pub(in crate::web) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads an object; `None` for anything else.
    pub(in crate::web) fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a member as it was written; the last one when the name repeats.
    pub(in crate::web) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    /// The text of a member that is a string.
    pub(in crate::web) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).and_then(string)
    }

    /// The first of these members that is a string.
    pub(in crate::web) fn text_of(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        names.iter().find_map(|name| self.text(name))
    }

    /// The first of these members that there is and that is not null, as it was written.
    pub(in crate::web) fn raw_of(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.raw(name).filter(|raw| *raw != "null"))
    }

    /// The members in order: name and value as written.
    pub(in crate::web) fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.get()))
    }

    /// Whether it has no members.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A member that is an object.
    pub(in crate::web) fn object(&self, name: &str) -> Option<Fields<'a>> {
        Fields::read(self.raw(name)?)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<'a>(std::marker::PhantomData<&'a ()>);
        impl<'de: 'a, 'a> serde::de::Visitor<'de> for Members<'a> {
            type Value = Fields<'a>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key.0, value));
                }
                Ok(Fields(members))
            }
        }
        deserializer.deserialize_map(Members(std::marker::PhantomData))
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The elements of a JSON list, as received; `None` for anything else.
pub(in crate::web) fn list(text: &str) -> Option<Vec<&str>> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// The text of a JSON string; `None` for anything else.
pub(in crate::web) fn string(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Key<'_>>(raw).ok().map(|key| key.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_changes_no_value() {
        for (text, out) in [
            (r#"{"b":1.10,"a":1e400,"b":2}"#, r#"{"b": 1.10, "a": 1e400, "b": 2}"#),
            (r#"{}"#, "{}"),
            (r#"[]"#, "[]"),
            (r#" "a\"b" "#, r#""a\"b""#),
            (r#"{"m":"\u4f60\u597d","e":"\ud83e\uddfe"}"#, r#"{"m": "你好", "e": "🧾"}"#),
            (
                r#"{"m":"\\u4f60","n":"\u0000\u202e","q":"\u0022"}"#,
                r#"{"m": "\\u4f60", "n": "\u0000\u202e", "q": "\u0022"}"#,
            ),
            (r#"{"lone":"\ud83e"}"#, r#"{"lone": "\ud83e"}"#),
        ] {
            assert_eq!(laid_out(text).as_deref(), Some(out), "{text}");
        }
    }

    #[test]
    fn long_values_take_lines_and_short_ones_stay() {
        let text = r#"{"order_id":"ord_4812","items":[{"sku":"KET-09","price":"40.00"},{"sku":"KET-10","price":"41.00"}],"refunds":[],"note":{}}"#;
        let out = "{\n  \"order_id\": \"ord_4812\",\n  \"items\": [\n    {\"sku\": \"KET-09\", \"price\": \"40.00\"},\n    \
                   {\"sku\": \"KET-10\", \"price\": \"41.00\"}\n  ],\n  \"refunds\": [],\n  \"note\": {}\n}";
        assert_eq!(laid_out(text).unwrap(), out);
        assert_eq!(laid_out("{\"cut\":"), None);
        assert_eq!(laid_out(&"[".repeat(500)), None);
        assert_eq!(laid_out(&format!("{}{}", "[".repeat(300), "]".repeat(300))), None);
    }

    #[test]
    fn members_are_read_as_written() {
        let fields = Fields::read(r#"{"role":"us\u0065r","n":1.10,"content":null,"o":{"x":[1]}}"#).unwrap();
        assert_eq!(fields.text("role").unwrap(), "user");
        assert_eq!(fields.raw("n"), Some("1.10"));
        assert_eq!(fields.raw_of(&["content", "n"]), Some("1.10"));
        assert_eq!(list(fields.object("o").unwrap().raw("x").unwrap()).unwrap(), ["1"]);
        assert!(Fields::read("[1]").is_none());
    }
}
