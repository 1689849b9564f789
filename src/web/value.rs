//! Attribute values in writing: as JSON, without losing what JSON can't say.
use std::fmt::Write;

use crate::domain::value::{Piece, Value};

/// The value on one line: text without quotes, everything else as JSON.
pub(in crate::web) fn compact(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Map(_)
        | Value::Framed(_) => {
            let mut out = String::new();
            write_json(&mut out, value);
            out
        }
    }
}

/// Writes the value as JSON. Bytes become base64; a number that JSON can't write becomes a string;
/// repeated keys stay repeated.
pub(in crate::web) fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Empty => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(int) => push(out, int),
        Value::Double(double) if double.is_finite() => push(out, format_args!("{double:?}")),
        Value::Double(double) => push(out, format_args!("\"{double}\"")),
        Value::String(text) => write_text(out, text),
        Value::Bytes(bytes) => write_text(out, &data_encoding::BASE64.encode(bytes)),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (key, item)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(out, key);
                out.push(':');
                write_json(out, item);
            }
            out.push('}');
        }
        Value::Framed(pieces) => write_text(out, &frame(pieces)),
    }
}

/// What stayed in place of a text that moved to the bodies, with a mark for each body.
fn frame(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Body(index) => push(&mut out, format_args!("⟨body {}⟩", index + 1)),
            Piece::Inside(index, pointer) | Piece::Json(index, pointer) => {
                push(&mut out, format_args!("⟨body {}{pointer}⟩", index + 1))
            }
        }
    }
    out
}

fn push(out: &mut String, text: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    write!(out, "{text}").unwrap_or_default();
}

/// Writes a JSON string.
pub(in crate::web) fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => push(out, format_args!("\\u{:04x}", u32::from(char))),
            _ => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_they_are() {
        for (value, text) in [
            (Value::Empty, "null"),
            (Value::Int(-7), "-7"),
            (Value::Double(1.0), "1.0"),
            (Value::Double(f64::NAN), "\"NaN\""),
            (Value::String("a\"b".to_owned()), "a\"b"),
            (Value::Bytes(vec![1, 2]), "\"AQI=\""),
            (
                Value::Array(vec![Value::Bool(true), Value::String("x\n\u{1}".to_owned())]),
                "[true,\"x\\n\\u0001\"]",
            ),
            (
                Value::Map(vec![("k".to_owned(), Value::Int(1)), ("k".to_owned(), Value::Int(2))]),
                "{\"k\":1,\"k\":2}",
            ),
        ] {
            assert_eq!(compact(&value), text);
        }
    }
}
