//! Puts values whose texts moved into bodies together again, as they were sent.
use crate::conventions::json;
use crate::domain::value::{Piece, Value};

/// The value with every frame filled from the bodies; what a missing or withheld body held shows as `…`.
pub fn rebuild<'a>(value: &Value, body: &impl Fn(usize) -> Option<&'a str>) -> Value {
    match value {
        Value::Framed(pieces) => {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(kept) => text.push_str(kept),
                    Piece::Body(at) => text.push_str(body(*at).unwrap_or("…")),
                    Piece::Inside(at, pointer) => {
                        let found = body(*at).and_then(|body| at_pointer(body, pointer));
                        text.push_str(&found.and_then(json::string).unwrap_or("…".into()));
                    }
                    Piece::Json(at, pointer) => {
                        text.push_str(body(*at).and_then(|body| at_pointer(body, pointer)).unwrap_or("…"));
                    }
                }
            }
            Value::String(text)
        }
        Value::Array(values) => Value::Array(values.iter().map(|value| rebuild(value, body)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), rebuild(value, body))).collect())
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_) => value.clone(),
    }
}

/// The source of the JSON value at an RFC 6901 pointer.
fn at_pointer<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut value = text;
    for segment in pointer.split('/').skip(1) {
        value = match json::array(value) {
            Some(elements) => elements.get(segment.parse::<usize>().ok()?).copied()?,
            None => json::Object::parse(value)?.get(&segment.replace("~1", "/").replace("~0", "~"))?,
        };
    }
    Some(value)
}
