//! The bodies loaded for one view of the inspector, and how one of them is shown.
use std::cell::Cell;
use std::collections::HashMap;

use crate::domain::content::{ContentKind, ContentRef};
use crate::domain::ids::{Digest, TraceId};
use crate::web::format;
use crate::web::link::Links;
use crate::web::message::Message;
use crate::web::text::{Text, shortened};

/// Where a body is kept.
pub(in crate::web) type Place = (TraceId, Digest);

/// A body as loaded: whole, or its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Body {
    /// What part it plays.
    pub(in crate::web) kind: ContentKind,
    /// Who speaks; may be empty.
    pub(in crate::web) role: String,
    /// The text; without [`Self::whole`] its first words.
    pub(in crate::web) text: String,
    /// The length of the kept body in bytes.
    pub(in crate::web) bytes: u64,
    /// Whether the text is all of it.
    pub(in crate::web) whole: bool,
}

/// What the bodies of one page may take of it, in bytes as drawn: with its rail it stays below 2 MB.
const DRAWN_BYTES_MAX: usize = 640 << 10;
/// What is still shown of a body when there is no room for all of it, in characters.
const BEGINNING_CHARS: usize = 400;

/// Bodies by place.
#[derive(Debug, Default)]
pub(in crate::web) struct Bodies {
    kept: HashMap<Place, Body>,
    /// How many bytes of the page they have taken so far.
    drawn: Cell<usize>,
    /// What is said of a body that is not there.
    gone: String,
}

impl Bodies {
    /// Adds a body; its first words never replace all of it.
    pub(in crate::web) fn add(&mut self, place: Place, body: Body) {
        if body.whole || !self.kept.contains_key(&place) {
            self.kept.insert(place, body);
        }
    }

    /// Adds all bodies of another load.
    pub(in crate::web) fn append(&mut self, other: Self) {
        other.kept.into_iter().for_each(|(place, body)| self.add(place, body));
    }

    /// Says this of a body that is not there.
    pub(in crate::web) fn say_of_missing(&mut self, gone: String) {
        self.gone = gone;
    }

    /// The body at a place as it is drawn: all of it while there is room on the page, then its beginning.
    fn drawn(&self, body: &Body) -> Message {
        let taken = self.drawn.get();
        let room = DRAWN_BYTES_MAX.saturating_sub(taken);
        let whole = body.whole && room > 0;
        let message = whole
            .then(|| Message::of(body.kind, &body.role, &body.text))
            .filter(|message| taken == 0 || message.drawn_bytes() <= room)
            .unwrap_or_else(|| {
                Message::beginning(body.kind, &body.role, &shortened(&body.text, BEGINNING_CHARS))
            });
        self.drawn.set(taken.saturating_add(message.drawn_bytes()));
        message
    }

    /// The body at a place, when it was loaded.
    pub(in crate::web) fn get(&self, place: &Place) -> Option<&Body> {
        self.kept.get(place)
    }
}

/// What a tab needs from the store before it can be drawn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::web) struct Wants {
    /// Bodies to read from.
    pub(in crate::web) whole: Vec<Place>,
    /// Bodies of which the beginning is enough.
    pub(in crate::web) heads: Vec<Place>,
    /// Whether everything kept of the span is needed.
    pub(in crate::web) span: bool,
}

/// A body as shown.
#[derive(Debug)]
pub(in crate::web) struct Piece {
    /// What it says; `None` when it is not kept any more.
    pub(in crate::web) message: Option<Message>,
    /// Its first words, for the folded form.
    pub(in crate::web) preview: Text,
    /// Its length.
    pub(in crate::web) bytes: String,
    /// The whole body.
    pub(in crate::web) href: String,
    /// The same as a piece of HTML.
    pub(in crate::web) part: String,
    /// Not there in the model call before.
    pub(in crate::web) is_new: bool,
    /// Only a part of it is shown.
    pub(in crate::web) cut: bool,
    /// What is said when it is not there.
    pub(in crate::web) gone: String,
}

impl Piece {
    /// The body at a place.
    pub(in crate::web) fn of(place: &Place, bodies: &Bodies, links: &Links) -> Self {
        Self::with(place, bodies, links, |body| bodies.drawn(body))
    }

    fn with(place: &Place, bodies: &Bodies, links: &Links, read: impl FnOnce(&Body) -> Message) -> Self {
        let body = bodies.get(place);
        let message = body.map(read);
        let bytes = body.map_or(0, |body| body.bytes);
        Self {
            cut: body.is_some_and(|body| !body.whole) || message.as_ref().is_some_and(|message| message.cut),
            message,
            preview: Text::default(),
            bytes: format::bytes(bytes),
            href: links.content(&place.0, &place.1),
            part: links.content_part(&place.0, &place.1),
            is_new: false,
            gone: bodies.gone.clone(),
        }
    }

    /// The body at a place that stays folded: who speaks and the first words.
    pub(in crate::web) fn folded(place: &Place, bodies: &Bodies, links: &Links) -> Self {
        let mut piece = Self::with(place, bodies, links, |body| match body.whole {
            true => Message::of(body.kind, &body.role, &body.text),
            false => Message::beginning(body.kind, &body.role, &body.text),
        });
        let first = piece.message.as_ref().map(Message::first_words).unwrap_or_default();
        piece.preview = Text::new(shortened(&first, 90));
        piece
    }

    /// A body that a record refers to; when it was not loaded, its preview stands for it.
    pub(in crate::web) fn of_ref(
        trace: TraceId,
        content: &ContentRef,
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let place = (trace, content.digest);
        let mut piece = Self::of(&place, bodies, links);
        if piece.message.is_none() {
            piece.preview = Text::new(content.preview.clone());
            piece.bytes = format::bytes(content.bytes);
        }
        piece
    }
}
