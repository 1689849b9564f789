//! Whether the arguments under one key stayed the same over its attempts, side by side.
use serde_json::Value;

use crate::web::format;
use crate::web::text::{Text, shortened};

/// Different sets of arguments shown beside each other.
const COLUMNS_MAX: usize = 4;
/// Arguments listed.
const ROWS_MAX: usize = 60;
/// Longest value shown.
const CHARS_MAX: usize = 300;

/// What one attempt was called with: its name, and the body as kept; `None` where none was recorded.
#[derive(Debug, Clone)]
pub(in crate::web) struct Called {
    pub(in crate::web) name: String,
    pub(in crate::web) arguments: Option<String>,
}

/// The comparison.
#[derive(Debug)]
pub(in crate::web) struct Drift {
    /// Such as "1 of 4 changed".
    pub(in crate::web) line: String,
    /// Who was called with each set: "Attempts 1, 3".
    pub(in crate::web) columns: Vec<String>,
    pub(in crate::web) rows: Vec<Row>,
    /// Whether anything changed.
    pub(in crate::web) changed: bool,
    /// What is not shown.
    pub(in crate::web) left_out: String,
}

/// One argument.
#[derive(Debug)]
pub(in crate::web) struct Row {
    pub(in crate::web) name: Text,
    pub(in crate::web) changed: bool,
    pub(in crate::web) cells: Vec<Cell>,
}

/// One value of it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) enum Cell {
    /// As in the first.
    Same,
    /// Not there.
    Absent,
    /// What differs stands in the middle; both ends are as in the first.
    Value { before: Text, differs: Text, after: Text },
}

/// A set of arguments, name by name.
type Set = Vec<(String, String)>;

impl Drift {
    /// The comparison of the attempts that went out; `None` where nothing was recorded.
    pub(in crate::web) fn of(called: &[Called]) -> Option<Self> {
        let mut sets: Vec<(Vec<&str>, Set)> = Vec::new();
        for one in called {
            let Some(arguments) = &one.arguments else { continue };
            let set = arguments_of(arguments);
            match sets.iter_mut().find(|(_, known)| same(known, &set)) {
                Some((names, _)) => names.push(&one.name),
                None => sets.push((vec![&one.name], set)),
            }
        }
        let (_, first) = sets.first()?;
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in sets.iter().flat_map(|(_, set)| set) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let all = names.len();
        let shown = sets.get(..COLUMNS_MAX.min(sets.len())).unwrap_or_default();
        let rows: Vec<Row> = names.iter().map(|name| row(name, first, shown)).collect();
        let changed = rows.iter().filter(|row| row.changed).count();
        let missing = called.iter().filter(|one| one.arguments.is_none()).count();
        let mut left_out = Vec::new();
        if sets.len() > COLUMNS_MAX {
            let more = format::length(sets.len() - COLUMNS_MAX);
            left_out.push(format::counted(more, "more different set", "more different sets"));
        }
        if all > ROWS_MAX {
            left_out.push(format::counted(format::length(all - ROWS_MAX), "more argument", "more arguments"));
        }
        if missing > 0 {
            left_out.push(format!(
                "the arguments of {}, which were not recorded",
                format::counted(format::length(missing), "attempt", "attempts")
            ));
        }
        Some(Self {
            line: line(changed, all, called.len()),
            columns: shown.iter().map(|(names, _)| heading(names)).collect(),
            rows: rows.into_iter().take(ROWS_MAX).collect(),
            changed: changed > 0,
            left_out: if left_out.is_empty() {
                String::new()
            } else {
                format!("Not shown: {}.", left_out.join(", "))
            },
        })
    }
}

fn line(changed: usize, all: usize, attempts: usize) -> String {
    match (changed, attempts) {
        (_, 1) => "called once, as far as recorded".to_owned(),
        (0, _) => "no, they are the same each time".to_owned(),
        (changed, _) => format!("{} of {} changed", format::number(changed), format::number(all)),
    }
}

fn heading(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, .., last] if names.len() > 3 => format!("{first} to {last}, {} in all", names.len()),
        several => several.join(", "),
    }
}

/// The arguments by name; one nameless argument where they are no object.
fn arguments_of(text: &str) -> Set {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(entries)) => {
            entries.into_iter().map(|(name, value)| (name, value.to_string())).collect()
        }
        Ok(Value::String(text)) if text.trim_start().starts_with('{') => match serde_json::from_str(&text) {
            Ok(Value::Object(entries)) => {
                entries.into_iter().map(|(name, value)| (name, value.to_string())).collect()
            }
            Ok(_) | Err(_) => vec![("all of it".to_owned(), text)],
        },
        Ok(_) | Err(_) => vec![("all of it".to_owned(), text.trim().to_owned())],
    }
}

fn value_of<'a>(set: &'a Set, name: &str) -> Option<&'a str> {
    set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The order of arguments says nothing.
fn same(one: &Set, other: &Set) -> bool {
    one.len() == other.len() && one.iter().all(|(name, value)| value_of(other, name) == Some(value))
}

fn row(name: &str, first: &Set, sets: &[(Vec<&str>, Set)]) -> Row {
    let base = value_of(first, name);
    let differs = |(_, set): &(Vec<&str>, Set)| value_of(set, name) != base;
    let changed = sets.iter().any(differs);
    let other = sets.iter().find(|set| differs(set)).and_then(|(_, set)| value_of(set, name));
    let cells = sets.iter().enumerate().map(|(at, (_, set))| match (at, value_of(set, name), base) {
        (_, None, _) => Cell::Absent,
        (0, Some(value), _) => cut(value, other.filter(|_| changed).unwrap_or(value)),
        (_, Some(value), Some(base)) if value == base => Cell::Same,
        (_, Some(value), base) => cut(value, base.unwrap_or_default()),
    });
    Row { name: Text::new(shortened(name, 80)), changed, cells: cells.collect() }
}

/// A value with what differs from the other one marked, at the edges of words.
fn cut(value: &str, other: &str) -> Cell {
    let whole = |text: &str| Text::new(shortened(text, CHARS_MAX));
    if value == other {
        return Cell::Value { before: whole(value), differs: Text::default(), after: Text::default() };
    }
    let start = edge(
        value.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b).map(|((at, a), _)| (at, a)),
    );
    let (value_rest, other_rest) =
        (value.get(start..).unwrap_or_default(), other.get(start..).unwrap_or_default());
    let back = value_rest.char_indices().rev().zip(other_rest.chars().rev());
    let same = back.take_while(|((_, a), b)| a == b).map(|((at, a), _)| (at, a));
    let end = start + same.filter(|(_, char)| is_edge(*char)).last().map_or(value_rest.len(), |(at, _)| at);
    Cell::Value {
        before: whole(value.get(..start).unwrap_or_default()),
        differs: whole(value.get(start..end).unwrap_or_default()),
        after: whole(value.get(end..).unwrap_or_default()),
    }
}

/// Behind the last edge of a word among characters that are the same.
fn edge(same: impl Iterator<Item = (usize, char)>) -> usize {
    same.filter(|(_, char)| is_edge(*char)).last().map_or(0, |(at, char)| at + char.len_utf8())
}

fn is_edge(char: char) -> bool {
    char.is_whitespace() || matches!(char, '"' | ',' | ':' | '{' | '}' | '[' | ']')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(arguments: &[Option<&str>]) -> Vec<Called> {
        let one = |(at, text): (usize, &Option<&str>)| Called {
            name: format!("Attempt {}", at + 1),
            arguments: text.map(str::to_owned),
        };
        arguments.iter().enumerate().map(one).collect()
    }

    #[test]
    fn what_changed_is_marked_and_what_did_not_is_same() {
        let first = r#"{"amount":"40.00","reason":"Item arrived damaged","order":1}"#;
        let second = r#"{"order":1,"reason":"Item arrived late","amount":"40.00"}"#;
        let drift = Drift::of(&called(&[Some(first), Some(second), Some(first)])).unwrap();
        assert_eq!(drift.line, "1 of 3 changed");
        assert_eq!(drift.columns, ["Attempt 1, Attempt 3", "Attempt 2"]);
        let reason = drift.rows.iter().find(|row| row.changed).unwrap();
        let Cell::Value { before, differs, after } = &reason.cells[1] else { panic!("{reason:?}") };
        assert_eq!(before.to_string(), "&#34;Item arrived ");
        assert_eq!((differs.to_string().as_str(), after.to_string().as_str()), ("late", "&#34;"));
        assert!(drift.rows.iter().filter(|row| !row.changed).all(|row| row.cells[1] == Cell::Same));
    }

    #[test]
    fn order_alone_is_no_drift_and_nothing_recorded_is_none() {
        let drift = Drift::of(&called(&[Some(r#"{"a":1,"b":2}"#), Some(r#"{"b":2,"a":1}"#), None])).unwrap();
        assert!(!drift.changed && drift.columns.len() == 1 && drift.left_out.contains("1 attempt"));
        assert!(Drift::of(&called(&[None, None])).is_none());
        let drift = Drift::of(&called(&[Some("free text"), Some("{\"x\":1}")])).unwrap();
        assert_eq!(drift.rows.len(), 2);
        assert_eq!(drift.rows[0].cells[1], Cell::Absent);
    }

    #[test]
    fn cutting_survives_any_text() {
        for (one, other) in [("", "x"), ("é", "è"), ("aé b", "aé c"), ("abc", "abcabc"), ("a b a", "a")] {
            let Cell::Value { before, differs, after } = cut(one, other) else { panic!("{one}") };
            assert_eq!(format!("{before}{differs}{after}"), one);
        }
    }
}
