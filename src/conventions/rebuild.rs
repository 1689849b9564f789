//! Puts values whose texts moved into bodies together again, as they were sent.
use std::collections::HashMap;

use crate::conventions::json;
use crate::domain::value::{Piece, Value};

/// The value with every frame filled from the bodies; what a missing or withheld body held shows as `…`.
pub fn rebuild<'a>(value: &Value, body: &impl Fn(usize) -> Option<&'a str>) -> Value {
    Rebuilder { body, opened: HashMap::new() }.value(value)
}

/// Fills frames. Each list and object of a body is read once, however many texts point into it.
struct Rebuilder<'a, 'f, F> {
    body: &'f F,
    opened: HashMap<(usize, String), Opened<'a>>,
}

/// A list or object, its elements as written.
enum Opened<'a> {
    List(Vec<&'a str>),
    Fields(HashMap<String, &'a str>),
}

impl<'a, F: Fn(usize) -> Option<&'a str>> Rebuilder<'a, '_, F> {
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Framed(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(kept) => text.push_str(kept),
                        Piece::Body(at) => text.push_str((self.body)(*at).unwrap_or("…")),
                        Piece::Inside(at, pointer) => {
                            let found = self.at(*at, pointer);
                            text.push_str(&found.and_then(json::string).unwrap_or("…".into()));
                        }
                        Piece::Json(at, pointer) => text.push_str(self.at(*at, pointer).unwrap_or("…")),
                    }
                }
                Value::String(text)
            }
            Value::Array(values) => Value::Array(values.iter().map(|value| self.value(value)).collect()),
            Value::Map(entries) => {
                Value::Map(entries.iter().map(|(key, value)| (key.clone(), self.value(value))).collect())
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
    fn at(&mut self, body: usize, pointer: &str) -> Option<&'a str> {
        let mut value = (self.body)(body)?;
        let mut read = 0;
        for segment in pointer.split('/').skip(1) {
            let above = pointer.get(..read).unwrap_or_default();
            let key = (body, above.to_owned());
            if !self.opened.contains_key(&key) {
                self.opened.insert(key.clone(), open(value)?);
            }
            value = match self.opened.get(&key)? {
                Opened::List(elements) => elements.get(segment.parse::<usize>().ok()?).copied()?,
                Opened::Fields(fields) => {
                    fields.get(segment.replace("~1", "/").replace("~0", "~").as_str()).copied()?
                }
            };
            read += segment.len() + 1;
        }
        Some(value)
    }
}

fn open(text: &str) -> Option<Opened<'_>> {
    if let Some(elements) = json::array(text) {
        return Some(Opened::List(elements));
    }
    let object = json::Object::parse(text)?;
    Some(Opened::Fields(object.entries().map(|(name, value)| (name.to_owned(), value)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_wherever_they_point() {
        let body = r#"{"a/b":["x",{"c":"y\n"}],"n":"first","n":"last","z":null}"#;
        let inside = |pointer: &str| Value::Framed(vec![Piece::Inside(0, pointer.to_owned())]);
        let rebuilt = |value: &Value| rebuild(value, &|at| (at == 0).then_some(body));
        for (pointer, text) in [
            ("/a~1b/0", "x"),
            ("/a~1b/1/c", "y\n"),
            ("/n", "last"),
            ("/z", "…"),
            ("/a~1b/7", "…"),
            ("/q", "…"),
        ] {
            assert_eq!(rebuilt(&inside(pointer)), Value::String(text.to_owned()), "{pointer}");
        }
        let json = Value::Framed(vec![Piece::Json(0, "/a~1b/1".to_owned()), Piece::Body(1)]);
        assert_eq!(rebuilt(&json), Value::String(r#"{"c":"y\n"}…"#.to_owned()));
    }

    #[test]
    fn very_many_texts_in_one_body_are_one_reading() {
        let texts: Vec<String> = (0..50_000).map(|number| format!("text {number}")).collect();
        let body = serde_json::to_string(&texts).unwrap();
        let pointers = (0..texts.len()).map(|at| Value::Framed(vec![Piece::Inside(0, format!("/{at}"))]));
        let value = rebuild(&Value::Array(pointers.collect()), &|_| Some(body.as_str()));
        assert_eq!(value, Value::Array(texts.into_iter().map(Value::String).collect()));
    }
}
