//! Named values held against each other: equal JSON is the same value, however it was written.
use serde_json::Value;

use crate::web::compare::words::{Fragment, Words};
use crate::web::format;
use crate::web::json::{self, Fields};
use crate::web::text::{Text, shortened};

/// Values listed.
const ROWS_MAX: usize = 200;
/// Objects within objects are taken apart so deep.
const DEPTH_MAX: usize = 4;
/// Values that share less than this are marked as a whole, in per cent.
const ALIKE_MIN: usize = 30;
/// Longest value shown.
const CHARS_MAX: usize = 2_000;

/// Named values of both sides.
#[derive(Debug, Default)]
pub(in crate::web) struct Table {
    /// What differs, then what is the same.
    pub(in crate::web) rows: Vec<Row>,
    /// How many differ.
    pub(in crate::web) changed: usize,
    /// How many are not listed.
    pub(in crate::web) left_out: usize,
}

/// One value.
#[derive(Debug)]
pub(in crate::web) struct Row {
    pub(in crate::web) name: Text,
    pub(in crate::web) changed: bool,
    /// What each side has; `None` where it has none.
    pub(in crate::web) before: Option<Vec<Fragment>>,
    pub(in crate::web) after: Option<Vec<Fragment>>,
    /// How they differ.
    pub(in crate::web) drift: Drift,
    /// The same in a word or two.
    pub(in crate::web) said: String,
}

/// How two values differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Drift {
    Neither,
    Same,
    /// The same JSON value, written differently.
    Respelled,
    /// Prose in other words.
    Reworded,
    Changed,
    FirstOnly,
    SecondOnly,
}

impl Drift {
    /// The word in answers of the API.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::Neither => "neither",
            Self::Same => "same",
            Self::Respelled => "respelled",
            Self::Reworded => "reworded",
            Self::Changed => "changed",
            Self::FirstOnly => "first_only",
            Self::SecondOnly => "second_only",
        }
    }

    /// The words on pages.
    fn said(self) -> &'static str {
        match self {
            Self::Neither => "in neither",
            Self::Same => "same",
            Self::Respelled => "same, written differently",
            Self::Reworded => "reworded",
            Self::Changed => "changed",
            Self::FirstOnly => "only in the first",
            Self::SecondOnly => "only in the second",
        }
    }
}

/// A set of named values.
pub(in crate::web) type Set = Vec<(String, String)>;

impl Table {
    /// Compares two sets; the order of names says nothing.
    pub(in crate::web) fn of(before: &Set, after: &Set) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in before.iter().chain(after) {
            if names.len() < 10 * ROWS_MAX && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut rows: Vec<Row> =
            names.iter().map(|name| Row::of(name, value_of(before, name), value_of(after, name))).collect();
        rows.sort_by_key(|row| !row.changed);
        let changed = rows.iter().filter(|row| row.changed).count();
        let left_out = rows.len().saturating_sub(ROWS_MAX);
        rows.truncate(ROWS_MAX);
        Self { rows, changed, left_out }
    }

    /// Whether there is nothing to compare.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Such as "1 of 4 changed".
    pub(in crate::web) fn line(&self) -> String {
        line_of(&[self])
    }
}

/// The same of several tables together.
pub(in crate::web) fn line_of(tables: &[&Table]) -> String {
    let all: usize = tables.iter().map(|table| table.rows.len() + table.left_out).sum();
    match tables.iter().map(|table| table.changed).sum() {
        0 => "the same".to_owned(),
        changed => format!("{} of {} changed", format::number(changed), format::number(all)),
    }
}

impl Row {
    /// One value of both sides.
    pub(in crate::web) fn of(name: &str, before: Option<&str>, after: Option<&str>) -> Self {
        let name = Text::new(shortened(name, 80));
        let whole = |value: &str| Some(vec![Fragment::Same(Text::new(shortened(value, CHARS_MAX)))]);
        let own = |value: &str| Some(vec![Fragment::Own(Text::new(shortened(value, CHARS_MAX)))]);
        let row = |changed, before, after, drift: Drift| Self {
            name: name.clone(),
            changed,
            before,
            after,
            drift,
            said: drift.said().to_owned(),
        };
        match (before, after) {
            (None, None) => row(false, None, None, Drift::Neither),
            (Some(before), None) => row(true, own(before), None, Drift::FirstOnly),
            (None, Some(after)) => row(true, None, own(after), Drift::SecondOnly),
            (Some(before), Some(after)) if before == after => {
                row(false, whole(before), whole(after), Drift::Same)
            }
            (Some(before), Some(after)) if is_same_json(before, after) => {
                row(false, whole(before), whole(after), Drift::Respelled)
            }
            (Some(before), Some(after)) => {
                let words = Words::of(before, after);
                let prose = is_prose(before) && is_prose(after);
                let drift = if prose { Drift::Reworded } else { Drift::Changed };
                if words.alike < ALIKE_MIN {
                    return row(true, own(before), own(after), drift);
                }
                row(true, Some(words.before), Some(words.after), drift)
            }
        }
    }

    /// The same row with nothing marked: both sides differ by nature.
    pub(in crate::web) fn plain(mut self) -> Self {
        let unmarked = |fragments: &mut Vec<Fragment>| {
            for fragment in fragments {
                if let Fragment::Own(text) = fragment {
                    *fragment = Fragment::Same(std::mem::take(text));
                }
            }
        };
        self.before.iter_mut().chain(self.after.iter_mut()).for_each(unmarked);
        self.changed = false;
        self
    }

    /// The same row with another word for the difference.
    pub(in crate::web) fn saying(mut self, said: String) -> Self {
        self.said = said;
        self
    }
}

fn value_of<'a>(set: &'a Set, name: &str) -> Option<&'a str> {
    set.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Free text, as people and models write it.
fn is_prose(value: &str) -> bool {
    !value.trim_start().starts_with(['{', '[']) && value.split_whitespace().count() > 2
}

/// Whether two texts are the same JSON value: `40`, `40.0` and `4e1` are one number.
fn is_same_json(one: &str, other: &str) -> bool {
    match (serde_json::from_str(one), serde_json::from_str(other)) {
        (Ok(one), Ok(other)) => same_value(&one, &other),
        _ => false,
    }
}

fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_value(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same_value(one, other)))
        }
        _ => one == other,
    }
}

/// Arguments by name, objects within them by path; one nameless argument where they are no object.
pub(in crate::web) fn arguments(text: &str) -> Set {
    let mut set = Set::new();
    let inner = json::string(text).filter(|inner| inner.trim_start().starts_with('{'));
    match Fields::read(inner.as_deref().unwrap_or(text)) {
        Some(fields) => take_apart(&fields, "", 1, &mut set),
        None => set.push(("all of it".to_owned(), text.trim().to_owned())),
    }
    set
}

fn take_apart(fields: &Fields<'_>, path: &str, depth: usize, set: &mut Set) {
    for (name, raw) in fields.members() {
        if set.len() >= 10 * ROWS_MAX {
            return;
        }
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match (depth < DEPTH_MAX).then(|| Fields::read(raw)).flatten().filter(|inner| !inner.is_empty()) {
            Some(inner) => take_apart(&inner, &path, depth + 1, set),
            None => set.push((path, raw.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drifts(before: &str, after: &str) -> Vec<(String, String)> {
        let table = Table::of(&arguments(before), &arguments(after));
        table.rows.into_iter().map(|row| (row.name.to_string(), row.said)).collect()
    }

    #[test]
    fn equal_json_is_the_same_value_however_it_was_written() {
        let before = r#"{"amount":40.0,"reason":"Item arrived broken","to":{"id":"a","n":[1,2]},"gone":1}"#;
        let after =
            r#"{"to":{"n":[1, 2.0],"id":"b"},"reason":"Refund for broken lamp","amount":40,"new":null}"#;
        let want = [
            ("reason", "reworded"),
            ("to.id", "changed"),
            ("gone", "only in the first"),
            ("new", "only in the second"),
            ("amount", "same, written differently"),
            ("to.n", "same, written differently"),
        ];
        let got = drifts(before, after);
        let got: Vec<(&str, &str)> =
            got.iter().map(|(name, drift)| (name.as_str(), drift.as_str())).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn what_is_no_object_is_one_value() {
        assert_eq!(drifts("[1]", "[1 ]"), [("all of it".to_owned(), "same, written differently".to_owned())]);
        assert_eq!(drifts("cut {", "cut {"), [("all of it".to_owned(), "same".to_owned())]);
        // Encoded twice is the same arguments.
        assert_eq!(drifts(r#""{\"a\":1}""#, r#"{"a":1}"#), [("a".to_owned(), "same".to_owned())]);
        assert_eq!(drifts("1e999", "2e999"), [("all of it".to_owned(), "changed".to_owned())]);
    }

    #[test]
    fn big_numbers_that_a_double_cannot_tell_apart_are_not_the_same() {
        let (one, other) = (r#"{"id":9007199254740993}"#, r#"{"id":9007199254740992}"#);
        assert_eq!(drifts(one, other), [("id".to_owned(), "changed".to_owned())]);
    }
}
