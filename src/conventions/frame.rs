//! Moves values into bodies and leaves a frame in their place, from which the same value is rebuilt.
use std::collections::BTreeSet;
use std::ops::Range;

use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::Side;
use crate::conventions::json;
use crate::domain::content::ContentKind;
use crate::domain::step::Event;
use crate::domain::value::{Piece, Value};

/// Unread texts longer than this (bytes) become bodies.
const UNREAD_BYTES_MAX: usize = 1024;
/// Lists whose elements are on average shorter than this stay in one piece.
const ELEMENT_BYTES_MIN: usize = 128;
/// How many elements of one unread text become bodies of their own.
const ELEMENTS_MAX: usize = 4096;
/// How deep in an unread JSON text lists are looked for.
const LIST_DEPTH_MAX: usize = 4;
/// Fields of messages that stay where they are: short, and they say what the content is.
const KEPT: &[&str] =
    &["role", "type", "id", "name", "index", "finish_reason", "finishReason", "tool_call_id", "call_id"];

/// Moves the whole value at a place into one body and gives it to a side that has nothing yet.
pub(in crate::conventions) fn whole(draft: &mut Draft<'_>, place: Place, side: Side) -> Option<usize> {
    let attach = !draft.has(side);
    let value = draft.value(place)?;
    let body = if let Value::String(text) = value {
        let body = draft.body(kind_of(side), role_of(side), text.clone(), json::is_structure(text));
        draft.move_out(place, Value::Framed(vec![Piece::Body(body)]));
        body
    } else {
        let body = draft.body(kind_of(side), role_of(side), json::of_value(value), true);
        draft.move_out(place, inside(value, body, ""));
        body
    };
    if attach {
        draft.attach(side, body);
    }
    Some(body)
}

/// The kind of a side's bodies.
pub(in crate::conventions) fn kind_of(side: Side) -> ContentKind {
    match side {
        Side::System => ContentKind::System,
        Side::ToolDefinitions => ContentKind::ToolDefinition,
        Side::Input => ContentKind::Message,
        Side::Output => ContentKind::Output,
        Side::Arguments => ContentKind::Arguments,
        Side::Result => ContentKind::Result,
    }
}

/// The role of what a side holds, where it needs no telling.
pub(in crate::conventions) fn role_of(side: Side) -> &'static str {
    match side {
        Side::System => "system",
        Side::Output => "assistant",
        Side::Result => "tool",
        Side::ToolDefinitions | Side::Input | Side::Arguments => "",
    }
}

/// The frame of a text whose parts became bodies. The parts are in order and do not overlap.
pub(in crate::conventions) fn around(text: &str, parts: &[(Range<usize>, usize)]) -> Value {
    let mut pieces = Vec::with_capacity(2 * parts.len() + 1);
    let mut end = 0;
    for (range, body) in parts {
        if let Some(between) = text.get(end..range.start).filter(|between| !between.is_empty()) {
            pieces.push(Piece::Text(between.to_owned()));
        }
        pieces.push(Piece::Body(*body));
        end = range.end;
    }
    if let Some(rest) = text.get(end..).filter(|rest| !rest.is_empty()) {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Value::Framed(pieces)
}

/// A structured value of which a body holds the JSON: its texts point into the body.
pub(in crate::conventions) fn inside(value: &Value, body: usize, pointer: &str) -> Value {
    match value {
        Value::String(text) if !text.is_empty() => {
            Value::Framed(vec![Piece::Inside(body, pointer.to_owned())])
        }
        Value::Array(values) => Value::Array(
            values
                .iter()
                .enumerate()
                .map(|(at, value)| inside(value, body, &format!("{pointer}/{at}")))
                .collect(),
        ),
        Value::Map(entries) => {
            let repeated = repeated(entries);
            let field = |(key, value): &(String, Value)| {
                let stays = is_kept(key) && matches!(value, Value::String(_));
                if stays || repeated.contains(key.as_str()) {
                    return (key.clone(), value.clone());
                }
                (key.clone(), inside(value, body, &format!("{pointer}{}", json::pointer_segment(key))))
            };
            Value::Map(entries.iter().map(field).collect())
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Framed(_) => value.clone(),
    }
}

/// Whether a field stays where it is when its message moves.
pub(in crate::conventions) fn is_kept(key: &str) -> bool {
    KEPT.contains(&key)
}

/// Gives the step its attributes and events: moved values as frames, long unread texts as bodies.
pub(in crate::conventions) fn finish(draft: &mut Draft<'_>) {
    let (attributes, events) = (draft.source.attributes, draft.source.events);
    draft.step.attributes = list(draft, attributes, Place::Attribute);
    for (number, event) in events.iter().enumerate() {
        let mut kept = Event { name: event.name.clone(), at_ns: event.at_ns, attributes: Vec::new() };
        kept.attributes = list(draft, &event.attributes, |at| Place::Event(number, at));
        draft.step.events.push(kept);
    }
}

fn list(
    draft: &mut Draft<'_>,
    attributes: &[(String, Value)],
    place: impl Fn(usize) -> Place,
) -> Vec<(String, Value)> {
    let mut kept = Vec::with_capacity(attributes.len() + 4);
    for (at, (key, value)) in attributes.iter().enumerate() {
        let rest = draft.moved.remove(&place(at)).unwrap_or_else(|| unread(draft, value));
        kept.push((key.clone(), rest));
    }
    kept
}

/// A value that nobody read: its long texts become bodies.
pub(in crate::conventions) fn unread(draft: &mut Draft<'_>, value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > UNREAD_BYTES_MAX => unread_text(draft, text),
        Value::Array(values) => Value::Array(values.iter().map(|value| unread(draft, value)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), unread(draft, value))).collect())
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Framed(_) => value.clone(),
    }
}

/// A long JSON text is cut at the elements of its lists: a history that grows with each step is then
/// stored once. Everything else moves as a whole.
fn unread_text(draft: &mut Draft<'_>, text: &str) -> Value {
    let mut elements = Vec::new();
    if text.trim_start().starts_with(['{', '[']) {
        long_elements(text, text, LIST_DEPTH_MAX, &mut elements);
    }
    if elements.is_empty() {
        elements.push(0..text.len());
    }
    let parts: Vec<(Range<usize>, usize)> = elements
        .into_iter()
        .filter_map(|range| {
            let part = text.get(range.clone())?;
            let body = draft.body(ContentKind::Attribute, "", part, json::is_structure(part));
            Some((range, body))
        })
        .collect();
    around(text, &parts)
}

fn long_elements(whole: &str, part: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(elements) = json::array(part) {
        let lists = elements.iter().all(|element| element.starts_with('['));
        let long = part.len() >= ELEMENT_BYTES_MIN * elements.len().max(1);
        if lists {
            elements.iter().for_each(|element| long_elements(whole, element, depth, found));
        } else if long && elements.len() + found.len() <= ELEMENTS_MAX {
            found.extend(elements.iter().map(|element| json::range_in(whole, element)));
        }
    } else if let Some(object) = json::Object::parse(part) {
        for (_, value) in object.entries().filter(|(_, value)| value.len() > UNREAD_BYTES_MAX) {
            long_elements(whole, value, depth, found);
        }
    }
}

/// The keys that come more than once: a pointer to one would be ambiguous.
fn repeated(entries: &[(String, Value)]) -> BTreeSet<&str> {
    let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2)
        .filter(|pair| pair.first() == pair.last())
        .filter_map(|pair| pair.first().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_keeps_what_is_between_the_parts() {
        let text = "[ 1, 22 ]";
        let framed = around(text, &[(2..3, 0), (5..7, 1)]);
        let expected = vec![
            Piece::Text("[ ".to_owned()),
            Piece::Body(0),
            Piece::Text(", ".to_owned()),
            Piece::Body(1),
            Piece::Text(" ]".to_owned()),
        ];
        assert_eq!(framed, Value::Framed(expected));
    }

    #[test]
    fn lists_in_long_texts_are_found() {
        let message = format!("{{\"content\":\"{}\"}}", "x".repeat(600));
        let text = format!("{{\"messages\":[[{message},{message}]],\"n\":[1,2]}}");
        let mut found = Vec::new();
        long_elements(&text, &text, LIST_DEPTH_MAX, &mut found);
        assert_eq!(found.len(), 2);
        assert_eq!(&text[found[1].clone()], message);
    }
}
