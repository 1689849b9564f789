//! Streamed text: what a rule hits across the pieces that came as events of one span.
use std::collections::BTreeMap;

use crate::domain::step::Event;
use crate::domain::value::Value;
use crate::redaction::place::Place;
use crate::redaction::values::Scrubber;

/// What senders call a piece of a text, at the end of an attribute's name.
const PIECES: [&str; 11] = [
    "arguments",
    "body",
    "chunk",
    "completion",
    "content",
    "data",
    "delta",
    "message",
    "output",
    "text",
    "token",
];

/// Looks at the pieces of each text as at one, before each is looked at alone. What a hit covers leaves the
/// pieces; its mark stands in the first of them.
pub(crate) fn joined(pass: &mut Scrubber<'_>, events: &mut [Event]) {
    if events.len() < 2 {
        return;
    }
    let mut texts: BTreeMap<(&str, &str), Vec<(usize, usize)>> = BTreeMap::new();
    for (event_at, event) in events.iter().enumerate() {
        for (at, (key, value)) in event.attributes.iter().enumerate() {
            if matches!(value, Value::String(_)) && is_piece(key) {
                texts.entry((&event.name, key)).or_default().push((event_at, at));
            }
        }
    }
    let texts: Vec<_> = texts.into_values().filter(|places| places.len() > 1).collect();
    for places in texts {
        let pieces: Vec<&str> = places.iter().filter_map(|place| piece(events, *place)).collect();
        let first = places.first().copied().unwrap_or_default();
        let key =
            events.get(first.0).and_then(|event| event.attributes.get(first.1)).map(|(key, _)| key.clone());
        let list = Place::field("events");
        let item = list.item(first.0);
        let below = item.below("attributes");
        let place = below.below(key.as_deref().unwrap_or_default());
        let Some(clean) = pass.pieces(&place, &pieces) else { continue };
        for (place, text) in places.into_iter().zip(clean) {
            let event = events.get_mut(place.0);
            if let Some((_, value)) = event.and_then(|event| event.attributes.get_mut(place.1)) {
                *value = Value::String(text);
            }
        }
    }
}

fn is_piece(key: &str) -> bool {
    let last = key.rsplit(['.', '_']).next().unwrap_or_default();
    PIECES.iter().any(|piece| last.eq_ignore_ascii_case(piece))
}

fn piece(events: &[Event], (event, at): (usize, usize)) -> Option<&str> {
    match events.get(event)?.attributes.get(at)? {
        (_, Value::String(text)) => Some(text),
        _ => None,
    }
}
