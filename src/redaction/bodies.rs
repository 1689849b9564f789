//! Redacts bodies: where each of them stands for selectors, and what is left of frames when one is gone.
use crate::domain::step::Step;
use crate::domain::value::{Piece, Value};
use crate::redaction::frames::body_of;
use crate::redaction::json::{looks_like_json, quoted};
use crate::redaction::mark::{By, Mark};
use crate::redaction::place::Place;
use crate::redaction::selector::{Spot, names};
use crate::redaction::values::{Did, Scrubber};

/// Where each body stands: under every field and every attribute that is made of it.
pub(crate) fn spots(pass: &Scrubber<'_>, step: &Step) -> Vec<Spot> {
    if !pass.finder().is_scoped() {
        return Vec::new();
    }
    let event = pass.spot(&Place::field("bodies")).event;
    let mut spots = vec![Spot { paths: Vec::new(), event }; step.bodies.len()];
    let mut stands = |body: usize, path: Vec<String>, gap: bool| {
        if let Some(spot) = spots.get_mut(body) {
            spot.paths.push((path, gap));
        }
    };
    let field = |path: &str| names(path).collect::<Vec<_>>();
    step.context.iter().for_each(|body| stands(*body, field("context"), false));
    step.output.iter().for_each(|body| stands(*body, field("output"), false));
    step.arguments.iter().for_each(|body| stands(*body, field("arguments"), false));
    step.result.iter().for_each(|body| stands(*body, field("result"), false));
    let proposed = step.proposed.iter().filter_map(|call| call.arguments);
    proposed.for_each(|body| stands(body, field("proposed.arguments"), false));
    for (key, value) in &step.attributes {
        framed(value, &format!("attributes.{key}"), &mut stands);
    }
    for (key, value) in step.events.iter().flat_map(|event| &event.attributes) {
        framed(value, &format!("events.attributes.{key}"), &mut stands);
    }
    for (key, value) in &step.facts.parameters {
        framed(value, &format!("parameters.{key}"), &mut stands);
    }
    // A body that nothing names is content all the same.
    for spot in spots.iter_mut().filter(|spot| spot.paths.is_empty()) {
        spot.paths.push((field("bodies"), false));
    }
    spots
}

/// A value that is one whole body is that body; of others the names in between are not known.
fn framed(value: &Value, path: &str, stands: &mut impl FnMut(usize, Vec<String>, bool)) {
    match value {
        Value::Framed(pieces) => {
            let gap = !matches!(pieces.as_slice(), [Piece::Body(_)]);
            let bodies = pieces.iter().filter_map(body_of);
            bodies.for_each(|body| stands(body, names(path).collect(), gap));
        }
        Value::Array(values) => values.iter().for_each(|value| framed(value, path, stands)),
        Value::Map(pairs) => {
            pairs.iter().for_each(|(key, value)| framed(value, &format!("{path}.{key}"), stands));
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_) => {}
    }
}

/// The bodies, after everything that may say that one of them is secret as a whole.
pub(crate) fn bodies(pass: &mut Scrubber<'_>, step: &mut Step, spots: &[Spot]) {
    let field = Place::field("bodies");
    for (at, body) in step.bodies.iter_mut().enumerate() {
        let place = field.item(at);
        pass.text(&place.below("role"), &mut body.role);
        // Inside JSON, text is replaced by text; a bare number or a body that is gone needs its quotes.
        let bare = !looks_like_json(&body.body);
        let needs_quotes = if let Some(by) = pass.lost.get(&at).cloned() {
            pass.mask(&place, &mut body.body, &by) == Did::Replaced
        } else {
            let nowhere = Spot::default();
            let did = pass.text_at(&place, spots.get(at).unwrap_or(&nowhere), &mut body.body);
            if did == Did::Withheld {
                pass.lost.insert(at, By::Echo(Mark::withheld("budget")));
            }
            did == Did::Withheld || (bare && did == Did::Replaced)
        };
        if needs_quotes && body.is_json {
            body.body = quoted(&body.body);
        }
    }
    if !pass.lost.is_empty() {
        let events = step.events.iter_mut().flat_map(|event| &mut event.attributes);
        let pairs = step.attributes.iter_mut().chain(&mut step.facts.parameters).chain(events);
        pairs.for_each(|(_, value)| close_frames(pass, value));
    }
}

/// A piece of a body that is gone becomes the mark that stands for it.
fn close_frames(pass: &Scrubber<'_>, value: &mut Value) {
    match value {
        Value::Framed(pieces) => {
            for piece in pieces {
                if let Some(by) = body_of(piece).and_then(|body| pass.lost.get(&body)) {
                    let mark = by.mark("", pass.finder().key);
                    let as_json = matches!(piece, Piece::Json(..));
                    *piece = Piece::Text(if as_json { quoted(&mark.text) } else { mark.text.clone() });
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| close_frames(pass, value)),
        Value::Map(pairs) => pairs.iter_mut().for_each(|(_, value)| close_frames(pass, value)),
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_) => {}
    }
}
