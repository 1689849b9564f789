//! Reading JSON texts without building them: slices of the source, exactly as written.
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Range;

use data_encoding::BASE64;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::domain::value::Value;

/// Nesting of structured values that is written out; decoders refuse deeper ones before.
const DEPTH_MAX: usize = 64;

/// The elements of a JSON array, each exactly as written; `None` when the text is no whole JSON array.
pub(in crate::conventions) fn array(text: &str) -> Option<Vec<&str>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// The text of a JSON string; `None` when the source is not one whole JSON string.
pub(in crate::conventions) fn string(text: &str) -> Option<Cow<'_, str>> {
    if !text.trim_start().starts_with('"') {
        return None;
    }
    serde_json::from_str::<Text<'_>>(text).ok().map(|text| text.0)
}

/// Whether the text is one whole JSON value.
pub(in crate::conventions) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether the text is one whole JSON object or array.
pub(in crate::conventions) fn is_structure(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && is_whole(text)
}

/// Where a slice lies in the text it was cut from; empty when it was not.
pub(in crate::conventions) fn range_in(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    if start.saturating_add(part.len()) > whole.len() { 0..0 } else { start..start + part.len() }
}

/// The text as a JSON string, quotes included.
pub(in crate::conventions) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text);
    out
}

/// A structured value as JSON. Bytes become base64, and numbers that JSON lacks become strings.
pub(in crate::conventions) fn of_value(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0);
    out
}

/// One segment of an RFC 6901 pointer, escaped and with its slash.
pub(in crate::conventions) fn pointer_segment(segment: &str) -> String {
    format!("/{}", segment.replace('~', "~0").replace('/', "~1"))
}

/// A JSON object's fields in order, each value exactly as written.
#[derive(Debug, Default)]
pub(in crate::conventions) struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// `None` when the text is no whole JSON object.
    pub(in crate::conventions) fn parse(text: &'a str) -> Option<Self> {
        if !text.trim_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// The source of a field that is there and not null; the last one when it repeats.
    pub(in crate::conventions) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, raw)| *raw).filter(|raw| *raw != "null")
    }

    /// The first of several fields that is there.
    pub(in crate::conventions) fn first(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// A field that is an object.
    pub(in crate::conventions) fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::parse(self.get(key)?)
    }

    /// A field as plain text: strings unquoted, numbers and truth values as written; `None` when empty.
    pub(in crate::conventions) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(scalar)
    }

    /// As [`text`](Self::text), the first of several that is there.
    pub(in crate::conventions) fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// Names and sources, in order.
    pub(in crate::conventions) fn entries(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, raw)| (name.as_ref(), *raw))
    }
}

/// A JSON scalar as plain text; `None` for empty strings, null, lists and objects.
pub(in crate::conventions) fn scalar(raw: &str) -> Option<String> {
    let raw = raw.trim();
    match raw.as_bytes().first()? {
        b'"' => string(raw).map(Cow::into_owned).filter(|text| !text.is_empty()),
        b'{' | b'[' => None,
        _ => (raw != "null").then(|| raw.to_owned()),
    }
}

struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        source.deserialize_str(Borrow)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object<'de>, M::Error> {
                let mut fields = Vec::new();
                while let Some((Text(name), raw)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    fields.push((name, raw.get()));
                }
                Ok(Object(fields))
            }
        }
        source.deserialize_map(Fields)
    }
}

fn quote_into(out: &mut String, text: &str) {
    // Writing a string into a string as JSON can't fail; were it to, an empty JSON string is left.
    out.push_str(&serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned()));
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Empty | Value::Framed(_) => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(int) => write_display(out, int),
        Value::Double(double) if double.is_finite() => write_display(out, double),
        Value::Double(double) => quote_into(out, &double.to_string()),
        Value::String(text) => quote_into(out, text),
        Value::Bytes(bytes) => quote_into(out, &BASE64.encode(bytes)),
        Value::Array(_) | Value::Map(_) if depth >= DEPTH_MAX => out.push_str("null"),
        Value::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_value(out, value, depth + 1);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                quote_into(out, key);
                out.push(':');
                write_value(out, value, depth + 1);
            }
            out.push('}');
        }
    }
}

fn write_display(out: &mut String, number: &dyn fmt::Display) {
    if write!(out, "{number}").is_err() {
        out.push('0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_exact() {
        let text = r#" [ {"a" : 1.0e2} , "x\n" ,[ ] ] "#;
        let elements = array(text).unwrap();
        assert_eq!(elements, [r#"{"a" : 1.0e2}"#, r#""x\n""#, "[ ]"]);
        assert_eq!(&text[range_in(text, elements[0])], elements[0]);
        let object = Object::parse(r#"{"a":"x\"y","a":null,"b":2,"b":3}"#).unwrap();
        assert_eq!(object.get("a"), None);
        assert_eq!(object.text("b").unwrap(), "3");
    }

    #[test]
    fn what_is_not_whole_is_not_read() {
        for cut in ["[1,2", "[1]x", "{\"a\":", "\"abc", "", "nul"] {
            assert!(array(cut).is_none() && Object::parse(cut).is_none() && string(cut).is_none(), "{cut}");
            assert!(!is_whole(cut), "{cut}");
        }
    }

    #[test]
    fn structured_values_become_json() {
        let value = Value::Map(vec![
            ("a".to_owned(), Value::Array(vec![Value::Int(1), Value::Double(0.5), Value::Empty])),
            ("b\"".to_owned(), Value::Bytes(vec![1, 2])),
            ("c".to_owned(), Value::Double(f64::NAN)),
        ]);
        assert_eq!(of_value(&value), r#"{"a":[1,0.5,null],"b\"":"AQI=","c":"NaN"}"#);
    }
}
