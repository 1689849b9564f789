//! Builds one message's JSON from parts that were sent apart, and lets the parts point into it.
use std::collections::BTreeMap;

use crate::conventions::draft::{Draft, Place};
use crate::conventions::frame;
use crate::conventions::json;
use crate::domain::value::{Piece, Value};

/// Fields of one object, and segments of one key: more are left unread.
const FIELDS_MAX: usize = 64;
/// Wrappers that a flattened convention puts around each element of a list.
const WRAPPERS: &[&str] = &["message", "tool_call", "message_content", "tool", "document", "prompt"];

/// Fields whose text may be JSON that stands for itself: content parts and calls, never arguments.
const OPENED: &[&str] = &["content", "tool_calls", "message"];

/// A value under construction.
#[derive(Debug, Default)]
pub(in crate::conventions) enum Node<'a> {
    /// Nothing yet.
    #[default]
    Nothing,
    /// A text of ours, such as a role.
    Said(&'static str),
    /// A value of the record.
    Leaf(&'a Value, Place),
    /// An object, its fields in the order they came.
    Object(Vec<(&'a str, Node<'a>)>),
    /// A list by the senders' numbers; gaps close up.
    List(BTreeMap<u32, Node<'a>>),
}

impl<'a> Node<'a> {
    /// Puts a value at a dotted path: numbers are places in a list.
    pub(in crate::conventions) fn put(&mut self, path: &'a str, value: &'a Value, place: Place) {
        let mut node = self;
        for segment in path.split('.').take(FIELDS_MAX) {
            let Some(next) = node.step(segment) else { return };
            node = next;
        }
        if matches!(node, Self::Nothing) {
            *node = Self::Leaf(value, place);
        }
    }

    /// Sets a field of an object.
    pub(in crate::conventions) fn set(&mut self, field: &'a str, value: Node<'a>) {
        if let Some(node @ Self::Nothing) = self.step(field) {
            *node = value;
        }
    }

    fn step(&mut self, segment: &'a str) -> Option<&mut Node<'a>> {
        if let Ok(number) = segment.parse::<u32>() {
            if matches!(self, Self::Nothing) {
                *self = Self::List(BTreeMap::new());
            }
            let Self::List(elements) = self else { return None };
            return Some(elements.entry(number).or_default());
        }
        if matches!(self, Self::Nothing) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(fields) = self else { return None };
        let at = fields.iter().position(|(name, _)| *name == segment).unwrap_or(fields.len());
        if at == fields.len() {
            if at >= FIELDS_MAX {
                return None;
            }
            fields.push((segment, Self::Nothing));
        }
        fields.get_mut(at).map(|(_, node)| node)
    }

    /// Takes off the wrapper of a list's element.
    pub(in crate::conventions) fn unwrapped(&self) -> &Node<'a> {
        match self {
            Self::Object(fields) => match fields.as_slice() {
                [(name, inner)] if WRAPPERS.contains(name) => inner.unwrapped(),
                _ => self,
            },
            Self::Nothing | Self::Said(_) | Self::Leaf(..) | Self::List(_) => self,
        }
    }
}

/// The JSON of a node, and for each value of the record in it: where it came from and its pointer.
#[derive(Debug, Default)]
pub(in crate::conventions) struct Assembly {
    /// The JSON text.
    pub json: String,
    found: Vec<(Place, Found)>,
}

#[derive(Debug)]
enum Found {
    /// A JSON string at this pointer.
    Text(String),
    /// JSON as written at this pointer.
    Json(String),
    /// A structured value at this pointer.
    Structure(String, Value),
}

impl Assembly {
    /// Writes a node out.
    pub(in crate::conventions) fn of(node: &Node<'_>) -> Self {
        let mut assembly = Self::default();
        assembly.write(node, "", "");
        assembly
    }

    /// Lets the places point into the body that the JSON became.
    pub(in crate::conventions) fn settle(self, draft: &mut Draft<'_>, body: usize) {
        for (place, found) in self.found {
            let rest = match found {
                Found::Text(pointer) => Value::Framed(vec![Piece::Inside(body, pointer)]),
                Found::Json(pointer) => Value::Framed(vec![Piece::Json(body, pointer)]),
                Found::Structure(pointer, value) => frame::inside(&value, body, &pointer),
            };
            draft.move_out(place, rest);
        }
    }

    fn write(&mut self, node: &Node<'_>, field: &str, pointer: &str) {
        match node.unwrapped() {
            Node::Nothing => self.json.push_str("null"),
            Node::Said(text) => self.json.push_str(&json::quote(text)),
            Node::Leaf(Value::String(text), place) => {
                if OPENED.contains(&field) && is_parts(text) {
                    self.json.push_str(text.trim());
                    // Space around the JSON would be lost, so such a text stays where it is.
                    if text.trim().len() == text.len() {
                        self.found.push((*place, Found::Json(pointer.to_owned())));
                    }
                } else {
                    self.json.push_str(&json::quote(text));
                    if !frame::is_kept(field) && !text.is_empty() {
                        self.found.push((*place, Found::Text(pointer.to_owned())));
                    }
                }
            }
            Node::Leaf(value, place) => {
                self.json.push_str(&json::of_value(value));
                if matches!(value, Value::Array(_) | Value::Map(_)) {
                    self.found.push((*place, Found::Structure(pointer.to_owned(), (*value).clone())));
                }
            }
            Node::Object(fields) => self.write_object(fields, pointer),
            Node::List(elements) => {
                self.json.push('[');
                for (at, element) in elements.values().enumerate() {
                    self.json.push_str(if at > 0 { "," } else { "" });
                    self.write(element, "", &format!("{pointer}/{at}"));
                }
                self.json.push(']');
            }
        }
    }

    fn write_object(&mut self, fields: &[(&str, Node<'_>)], pointer: &str) {
        let has_content = fields.iter().any(|(name, _)| *name == "content");
        self.json.push('{');
        for (at, (name, node)) in fields.iter().enumerate() {
            // OpenInference calls a list of content parts `contents`.
            let name = if *name == "contents" && !has_content { "content" } else { name };
            self.json.push_str(if at > 0 { "," } else { "" });
            self.json.push_str(&json::quote(name));
            self.json.push(':');
            let pointer = format!("{pointer}{}", json::pointer_segment(name));
            self.write(node, name, &pointer);
        }
        self.json.push('}');
    }
}

/// A list of objects: content parts or calls. Other JSON in a text is the text's own.
fn is_parts(text: &str) -> bool {
    json::array(text).is_some_and(|parts| parts.iter().all(|part| part.starts_with('{')) && !parts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flattened_keys_become_one_message() {
        let values: Vec<(&str, Value)> = vec![
            ("message.tool_calls.2.tool_call.function.name", "late".into_value()),
            ("message.role", "assistant".into_value()),
            ("message.tool_calls.1.tool_call.function.arguments", "{\"a\": 1}".into_value()),
            ("message.contents.0.message_content.text", "hi".into_value()),
        ];
        let mut node = Node::default();
        for (at, (path, value)) in values.iter().enumerate() {
            node.put(path, value, Place::Attribute(at));
        }
        let assembly = Assembly::of(&node);
        assert_eq!(
            assembly.json,
            r#"{"tool_calls":[{"function":{"arguments":"{\"a\": 1}"}},{"function":{"name":"late"}}],"role":"assistant","content":[{"text":"hi"}]}"#
        );
        let pointers: Vec<String> = assembly.found.iter().map(|(_, found)| format!("{found:?}")).collect();
        assert_eq!(pointers, ["Text(\"/tool_calls/0/function/arguments\")", "Text(\"/content/0/text\")"]);
    }

    trait IntoValue {
        fn into_value(self) -> Value;
    }

    impl IntoValue for &str {
        fn into_value(self) -> Value {
            Value::String(self.to_owned())
        }
    }
}
