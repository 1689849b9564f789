//! Redacts texts whose bulk stands in bodies as one text: a key in the frame counts for what is below.
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::value::{Piece, Value};
use crate::redaction::mark::{By, Mark, Rule};
use crate::redaction::place::Place;
use crate::redaction::selector::{Leaf, Spot};
use crate::redaction::source::At;
use crate::redaction::values::{Did, Scrubber};

/// Private-use characters, one of which stands around the number of a piece.
const FENCES: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{e0ff}';

impl Scrubber<'_> {
    /// Redacts a frame in place. Bodies that stand under a secret key of it are lost.
    pub(crate) fn frame(&mut self, place: &Place<'_>, value: &mut Value) {
        let Value::Framed(pieces) = value else { return };
        for piece in pieces.iter_mut() {
            match piece {
                Piece::Text(_) | Piece::Body(_) => {}
                Piece::Inside(_, pointer) | Piece::Json(_, pointer) => self.pointer(place, pointer),
            }
        }
        if !pieces.iter().any(|piece| matches!(piece, Piece::Text(_))) {
            return;
        }
        let Some(fence) = FENCES.into_iter().find(|fence| !pieces.iter().any(|piece| holds(piece, *fence)))
        else {
            *value = Value::String(Mark::withheld("budget").text.clone());
            return;
        };
        let mut text: String = pieces.iter().enumerate().map(|(at, piece)| spelt(piece, at, fence)).collect();
        match self.text(place, &mut text) {
            Did::Nothing => {}
            Did::Withheld => *value = Value::String(text),
            Did::Replaced => {
                let (new, left) = split(&text, pieces, fence);
                let gone = pieces.iter().enumerate().filter(|(at, _)| !left.contains(at));
                let gone: Vec<usize> = gone.filter_map(|(_, piece)| body_of(piece)).collect();
                let by = By::Rule(Rule::builtin("secret"));
                self.lost.extend(gone.into_iter().map(|body| (body, by.clone())));
                *pieces = new;
            }
        }
    }

    /// A frame under a secret key: nothing of it stays. True when its bodies hide the secret by themselves,
    /// since the key is in their pointers.
    pub(crate) fn secret_frame(&mut self, pieces: &[Piece], rule: &Arc<Rule>) -> bool {
        let (finder, spot) = (self.finder(), Spot::default());
        let at = At { spot: &spot, inner: &[], leaf: Leaf::Text };
        let told = |pointer: &str| {
            pointer
                .split('/')
                .any(|key| finder.secret_key(&key.replace("~1", "/").replace("~0", "~"), at).is_some())
        };
        let mut hidden = true;
        for piece in pieces {
            match piece {
                Piece::Inside(_, pointer) | Piece::Json(_, pointer) if told(pointer) => {}
                Piece::Text(_) => hidden = false,
                Piece::Body(body) | Piece::Inside(body, _) | Piece::Json(body, _) => {
                    hidden = false;
                    self.lost.insert(*body, By::Rule(Arc::clone(rule)));
                }
            }
        }
        hidden
    }

    /// Keys in a pointer are redacted as the keys of the body are, so that it still points there.
    fn pointer(&mut self, place: &Place<'_>, pointer: &mut String) {
        let keys: Vec<String> = pointer
            .split('/')
            .map(|key| {
                let mut plain = key.replace("~1", "/").replace("~0", "~");
                self.text(place, &mut plain);
                plain.replace('~', "~0").replace('/', "~1")
            })
            .collect();
        let new = keys.join("/");
        if new != *pointer {
            *pointer = new;
        }
    }
}

/// The body that a piece points to.
pub(crate) fn body_of(piece: &Piece) -> Option<usize> {
    match piece {
        Piece::Text(_) => None,
        Piece::Body(body) | Piece::Inside(body, _) | Piece::Json(body, _) => Some(*body),
    }
}

fn holds(piece: &Piece, fence: char) -> bool {
    matches!(piece, Piece::Text(text) if text.contains(fence))
}

/// A piece as text: a body is a JSON value of its own, what is inside a string is a part of that string.
fn spelt(piece: &Piece, at: usize, fence: char) -> String {
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::Body(_) | Piece::Json(..) => format!("\"{fence}{at}{fence}\""),
        Piece::Inside(..) => format!("{fence}{at}{fence}"),
    }
}

/// The pieces that a redacted text still has, and which of the old ones are among them.
fn split(text: &str, old: &[Piece], fence: char) -> (Vec<Piece>, BTreeSet<usize>) {
    let (mut pieces, mut left) = (Vec::new(), BTreeSet::new());
    let mut rest = text;
    for (at, piece) in old.iter().enumerate().filter(|(_, piece)| body_of(piece).is_some()) {
        let Some((before, after)) = rest.split_once(&spelt(piece, at, fence)) else { continue };
        left.insert(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(piece.clone());
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    left.extend(old.iter().enumerate().filter(|(_, piece)| body_of(piece).is_none()).map(|(at, _)| at));
    (pieces, left)
}
