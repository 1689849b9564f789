//! Typed values in a row: a type code and a text, from which the same value is read back, bit for bit.
//!
//! Scalars are plain text, so that SQL can compare and search them. Lists and maps are JSON, extended where
//! JSON cannot tell what OTLP can: `{"$bytes":"base64"}`, `{"$double":"NaN"}`, `{"$framed":[…]}`, and
//! `{"$map":{…}}` around a map whose own first key starts with `$`. Order and repeated keys survive. A text
//! whose bulk lies in `contents` is a frame: `["literal", {"digest":"…"}, {"digest":"…","at":"/0/text"}]`.
use std::fmt;

use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::domain::ids::Digest;
use crate::domain::value::{Piece, Value};
use crate::store::rows::cell::enum_type;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// The words of the type codes, from 0.
const TYPES: [&str; 9] = ["empty", "bool", "int", "double", "string", "bytes", "array", "map", "framed"];

/// The type of a list of attributes.
pub(in crate::store) fn attributes_type() -> String {
    format!(
        "Array(Tuple(key String, type {}, value String))",
        enum_type(Some("empty"), TYPES.into_iter().skip(1))
    )
}

/// Appends a list of attributes. Frames name their bodies by index; `digests` says under what each is kept.
pub(in crate::store) fn write_attributes(out: &mut Writer, list: &[(String, Value)], digests: &[Digest]) {
    out.length(list.len());
    for (key, value) in list {
        out.text(key);
        write_value(out, value, digests);
    }
}

/// Reads a list of attributes back. What its frames need is appended to `digests`, and they name it by
/// index.
pub(in crate::store) fn read_attributes(
    from: &mut Reader<'_>,
    digests: &mut Vec<Digest>,
) -> Result<Vec<(String, Value)>, ReadError> {
    let length = from.length()?;
    let mut list = Vec::with_capacity(length.min(4096));
    for _ in 0..length {
        list.push((from.text()?, read_value(from, digests)?));
    }
    Ok(list)
}

fn write_value(out: &mut Writer, value: &Value, digests: &[Digest]) {
    match value {
        Value::Empty => {
            out.u8(0);
            out.text("");
        }
        Value::Bool(truth) => {
            out.u8(1);
            out.text(if *truth { "true" } else { "false" });
        }
        Value::Int(int) => {
            out.u8(2);
            out.short(int);
        }
        Value::Double(double) => {
            out.u8(3);
            out.short(format_args!("{double:?}"));
        }
        Value::String(text) => {
            out.u8(4);
            out.text(text);
        }
        Value::Bytes(bytes) => {
            out.u8(5);
            out.blob(bytes);
        }
        Value::Array(_) | Value::Map(_) => {
            out.u8(if matches!(value, Value::Array(_)) { 6 } else { 7 });
            let mut json = String::new();
            write_json(&mut json, value, digests);
            out.text(&json);
        }
        Value::Framed(pieces) => {
            out.u8(8);
            let mut json = String::new();
            write_pieces(&mut json, pieces, digests);
            out.text(&json);
        }
    }
}

fn read_value(from: &mut Reader<'_>, digests: &mut Vec<Digest>) -> Result<Value, ReadError> {
    let code = from.u8()?;
    if code == 5 {
        return Ok(Value::Bytes(from.blob()?.to_vec()));
    }
    let text = from.text()?;
    let value = match code {
        0 => Some(Value::Empty),
        1 => Some(Value::Bool(text == "true")),
        2 => text.parse().ok().map(Value::Int),
        3 => text.parse().ok().map(Value::Double),
        4 => Some(Value::String(text)),
        6 | 7 => read_json(&text, digests),
        8 => read_pieces(&text, digests).map(Value::Framed),
        _ => None,
    };
    value.ok_or(ReadError::UNKNOWN)
}

fn write_json(json: &mut String, value: &Value, digests: &[Digest]) {
    match value {
        Value::Empty => json.push_str("null"),
        Value::Bool(truth) => json.push_str(if *truth { "true" } else { "false" }),
        Value::Int(int) => print(json, format_args!("{int}")),
        Value::Double(double) if double.is_finite() => print(json, format_args!("{double:?}")),
        Value::Double(double) => print(json, format_args!("{{\"$double\":\"{double:?}\"}}")),
        Value::String(text) => quote(json, text),
        Value::Bytes(bytes) => print(json, format_args!("{{\"$bytes\":\"{}\"}}", BASE64.encode(bytes))),
        Value::Array(items) => {
            json.push('[');
            for (place, item) in items.iter().enumerate() {
                json.push_str(if place == 0 { "" } else { "," });
                write_json(json, item, digests);
            }
            json.push(']');
        }
        Value::Map(entries) => {
            let wrapped = entries.first().is_some_and(|(key, _)| key.starts_with('$'));
            json.push_str(if wrapped { "{\"$map\":{" } else { "{" });
            for (place, (key, item)) in entries.iter().enumerate() {
                json.push_str(if place == 0 { "" } else { "," });
                quote(json, key);
                json.push(':');
                write_json(json, item, digests);
            }
            json.push_str(if wrapped { "}}" } else { "}" });
        }
        Value::Framed(pieces) => {
            json.push_str("{\"$framed\":");
            write_pieces(json, pieces, digests);
            json.push('}');
        }
    }
}

fn write_pieces(json: &mut String, pieces: &[Piece], digests: &[Digest]) {
    json.push('[');
    for (place, piece) in pieces.iter().enumerate() {
        json.push_str(if place == 0 { "" } else { "," });
        match piece {
            Piece::Text(text) => quote(json, text),
            Piece::Body(body) => {
                print(
                    json,
                    format_args!("{{\"digest\":\"{}\"}}", digests.get(*body).copied().unwrap_or_default()),
                );
            }
            Piece::Inside(body, pointer) => write_place(json, digests.get(*body), "at", pointer),
            Piece::Json(body, pointer) => write_place(json, digests.get(*body), "json", pointer),
        }
    }
    json.push(']');
}

fn write_place(json: &mut String, digest: Option<&Digest>, kind: &str, pointer: &str) {
    print(json, format_args!("{{\"digest\":\"{}\",\"{kind}\":", digest.copied().unwrap_or_default()));
    quote(json, pointer);
    json.push('}');
}

fn print(json: &mut String, shown: fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    fmt::Write::write_fmt(json, shown).unwrap_or_default();
}

fn quote(json: &mut String, text: &str) {
    // A string always has a JSON form.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn read_json(json: &str, digests: &mut Vec<Digest>) -> Option<Value> {
    let json = json.trim_start();
    match json.as_bytes().first()? {
        b'n' => Some(Value::Empty),
        b't' => Some(Value::Bool(true)),
        b'f' => Some(Value::Bool(false)),
        b'"' => serde_json::from_str(json).ok().map(Value::String),
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            items
                .into_iter()
                .map(|item| read_json(item.get(), digests))
                .collect::<Option<_>>()
                .map(Value::Array)
        }
        b'{' => read_object(serde_json::from_str::<Entries<'_>>(json).ok()?, digests),
        _ if json.contains(['.', 'e', 'E']) => json.parse().ok().map(Value::Double),
        _ => json.parse().ok().map(Value::Int),
    }
}

fn read_object(entries: Entries<'_>, digests: &mut Vec<Digest>) -> Option<Value> {
    let first = entries.0.first().map(|(key, value)| (key.as_str(), value.get()));
    match first {
        Some(("$double", text)) => serde_json::from_str::<&str>(text).ok()?.parse().ok().map(Value::Double),
        Some(("$bytes", text)) => {
            BASE64.decode(serde_json::from_str::<&str>(text).ok()?.as_bytes()).ok().map(Value::Bytes)
        }
        Some(("$framed", pieces)) => read_pieces(pieces, digests).map(Value::Framed),
        Some(("$map", map)) => read_entries(serde_json::from_str(map).ok()?, digests),
        Some(_) | None => read_entries(entries, digests),
    }
}

fn read_entries(entries: Entries<'_>, digests: &mut Vec<Digest>) -> Option<Value> {
    let read = |(key, value): (String, &RawValue)| Some((key, read_json(value.get(), digests)?));
    entries.0.into_iter().map(read).collect::<Option<_>>().map(Value::Map)
}

fn read_pieces(json: &str, digests: &mut Vec<Digest>) -> Option<Vec<Piece>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Kept {
        Text(String),
        Body { digest: String, at: Option<String>, json: Option<String> },
    }
    let kept: Vec<Kept> = serde_json::from_str(json).ok()?;
    kept.into_iter()
        .map(|piece| match piece {
            Kept::Text(text) => Some(Piece::Text(text)),
            Kept::Body { digest, at, json } => {
                let digest = Digest::parse(&digest)?;
                let body = digests.iter().position(|known| *known == digest).unwrap_or_else(|| {
                    digests.push(digest);
                    digests.len() - 1
                });
                Some(match (at, json) {
                    (Some(pointer), _) => Piece::Inside(body, pointer),
                    (None, Some(pointer)) => Piece::Json(body, pointer),
                    (None, None) => Piece::Body(body),
                })
            }
        })
        .collect()
}

/// The entries of a JSON object as they stand, repeats included.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(InOrder).map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::rebuild;
    use proptest::prelude::*;

    fn there_and_back(list: &[(String, Value)], digests: &[Digest]) -> (Vec<(String, Value)>, Vec<Digest>) {
        let mut out = Writer::default();
        write_attributes(&mut out, list, digests);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        let mut found = Vec::new();
        let list = read_attributes(&mut from, &mut found).unwrap();
        assert_eq!(from.left(), 0);
        (list, found)
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Empty),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("NaN is not itself", |x| !x.is_nan()).prop_map(Value::Double),
            ".{0,12}".prop_map(Value::String),
            proptest::collection::vec(any::<u8>(), 0..8).prop_map(Value::Bytes),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                proptest::collection::vec(("[$a-c\"]{0,3}", inner), 0..5).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_comes_back(list in proptest::collection::vec((".{0,6}", any_value()), 0..4)) {
            prop_assert_eq!(there_and_back(&list, &[]).0, list);
        }
    }

    #[test]
    fn odd_values_come_back() {
        let nan = there_and_back(&[("x".into(), Value::Array(vec![Value::Double(f64::NAN)]))], &[]).0;
        assert!(
            matches!(&nan[0].1, Value::Array(items) if matches!(items[..], [Value::Double(x)] if x.is_nan()))
        );
        let map = Value::Map(vec![
            ("$bytes".into(), Value::String("mine".into())),
            ("k".into(), Value::Int(1)),
            ("k".into(), Value::Double(-0.0)),
        ]);
        assert_eq!(there_and_back(&[("m".into(), map.clone())], &[]).0[0].1, map);
    }

    #[test]
    fn frames_come_back_with_digests_and_then_as_text() {
        let framed = |first, second| {
            Value::Array(vec![Value::Framed(vec![
                Piece::Text("[".into()),
                Piece::Body(first),
                Piece::Inside(second, "/0/text".into()),
                Piece::Json(second, "/0/n".into()),
            ])])
        };
        let digests = [Digest([1; 16]), Digest([2; 16]), Digest([3; 16])];
        let (list, found) =
            there_and_back(&[("a".into(), framed(2, 0)), ("b".into(), framed(0, 2))], &digests);
        assert_eq!(found, vec![digests[2], digests[0]]);
        assert_eq!(list, vec![("a".into(), framed(0, 1)), ("b".into(), framed(1, 0))]);
        let whole = rebuild(&list[0].1, &|index| {
            Some(if index == 0 { "\"whole\"" } else { r#"[{"text":"in\nside","n":[1, 2]}]"# })
        });
        assert_eq!(whole, Value::Array(vec![Value::String("[\"whole\"in\nside[1, 2]".into())]));
    }
}
