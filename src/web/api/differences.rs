//! Texts and named values held against each other, as the API writes them.
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::compare::table::{Row, Table};
use crate::web::compare::words::{Fragment, Words};

/// The names of values that answers call otherwise than pages do. The others are those of the pages, in lower
/// case with `_` for spaces.
const NAMES: [(&str, &str); 9] = [
    ("Model asked for", "model_requested"),
    ("Model that answered", "model"),
    ("Finished because", "finish_reasons"),
    ("Policy", "policy_version"),
    ("Approved by", "approver"),
    ("Outcome then", "outcome"),
    ("What is known", "reason"),
    ("About", "entities"),
    ("Took", "duration"),
];

/// A part of a text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedPiece")]
pub(in crate::web) struct Piece {
    text: String,
    /// `both` have it, this `one` alone has it, or `left_out`: both have it, and the text says how much.
    of: &'static str,
}

/// A text of both sides, word by word.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedText")]
pub(in crate::web) struct Text {
    changed: bool,
    first: Vec<Piece>,
    second: Vec<Piece>,
    /// Only the beginnings were compared.
    cut: bool,
}

/// Named values of both sides: what differs first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedValues")]
pub(in crate::web) struct Values {
    changed: usize,
    values: Vec<Value>,
    /// Values that are not listed.
    left_out: usize,
}

/// A named value of both sides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedValue")]
struct Value {
    name: String,
    /// same, respelled (the same JSON value), reworded, changed, `first_only` or `second_only`.
    drift: &'static str,
    /// Null where it has none.
    first: Option<Vec<Piece>>,
    second: Option<Vec<Piece>>,
}

/// The pieces of a text.
pub(in crate::web) fn pieces(fragments: &[Fragment]) -> Vec<Piece> {
    let piece = |fragment: &Fragment| match fragment {
        Fragment::Same(text) => Piece { text: text.as_str().to_owned(), of: "both" },
        Fragment::Own(text) => Piece { text: text.as_str().to_owned(), of: "one" },
        Fragment::Skipped(said) => Piece { text: said.clone(), of: "left_out" },
    };
    fragments.iter().map(piece).collect()
}

/// What a value is called in answers that a page calls so.
pub(in crate::web) fn name_of(label: &str) -> String {
    let known = NAMES.iter().find(|(said, _)| *said == label);
    known.map_or_else(|| label.to_lowercase().replace(' ', "_"), |(_, name)| (*name).to_owned())
}

impl From<&Words> for Text {
    fn from(words: &Words) -> Self {
        Self {
            changed: words.differ(),
            first: pieces(&words.before),
            second: pieces(&words.after),
            cut: words.cut,
        }
    }
}

impl Values {
    /// Values whose names were sent, such as arguments.
    pub(in crate::web) fn sent(table: &Table) -> Self {
        Self::of(table, |row| row.name.as_str().to_owned())
    }

    /// Values whose names are ours.
    pub(in crate::web) fn named(table: &Table) -> Self {
        Self::of(table, |row| name_of(row.name.as_str()))
    }

    fn of(table: &Table, name: impl Fn(&Row) -> String) -> Self {
        let value = |row: &Row| Value {
            name: name(row),
            drift: row.drift.word(),
            first: row.before.as_deref().map(pieces),
            second: row.after.as_deref().map(pieces),
        };
        Self {
            changed: table.changed,
            values: table.rows.iter().map(value).collect(),
            left_out: table.left_out,
        }
    }
}
