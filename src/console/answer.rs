//! One object of an answer, read leniently: what is missing is a dash, and nothing in it acts on a terminal.
use serde_json::Value;

use crate::domain::hidden::{plain, shortened};

/// Stands where nothing is known.
const NOTHING: &str = "-";
/// Longer cells are cut; `--json` has them whole.
const CELL_CHARS_MAX: usize = 60;

/// An object of an answer.
#[derive(Debug, Clone, Copy)]
pub(in crate::console) struct Object<'a>(pub(in crate::console) &'a Value);

impl<'a> Object<'a> {
    /// A member that is a text or a number, whole.
    pub(in crate::console) fn whole(self, name: &str) -> String {
        self.known(name).unwrap_or_else(|| NOTHING.to_owned())
    }

    /// The same, where there is one.
    pub(in crate::console) fn known(self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) => Some(plain(text)).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The same, as wide as a cell at most.
    pub(in crate::console) fn cell(self, name: &str) -> String {
        shortened(&self.whole(name), CELL_CHARS_MAX)
    }

    /// A moment without what is below a second.
    pub(in crate::console) fn moment(self, name: &str) -> String {
        let text = self.whole(name);
        match text.get(..19) {
            Some(start) if text.ends_with('Z') => format!("{start}Z"),
            _ => text,
        }
    }

    /// Milliseconds as a duration.
    pub(in crate::console) fn took(self, name: &str) -> String {
        let ms = self.0.get(name).and_then(Value::as_u64);
        ms.map_or_else(|| NOTHING.to_owned(), took)
    }

    /// A whole number; 0 where none is told.
    pub(in crate::console) fn count(self, name: &str) -> u64 {
        self.0.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A member that is an object.
    pub(in crate::console) fn object(self, name: &str) -> Option<Object<'a>> {
        self.0.get(name).filter(|value| value.is_object()).map(Object)
    }

    /// The objects of a list.
    pub(in crate::console) fn list(self, name: &str) -> impl Iterator<Item = Object<'a>> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().map(Object)
    }

    /// A list of texts in one cell.
    pub(in crate::console) fn texts(self, name: &str) -> String {
        let texts = self.list(name).filter_map(|one| one.0.as_str()).map(plain);
        let all = texts.collect::<Vec<_>>().join(",");
        if all.is_empty() { NOTHING.to_owned() } else { shortened(&all, CELL_CHARS_MAX) }
    }
}

/// The line below a list that goes on.
pub(in crate::console) fn goes_on(answer: Object<'_>) -> Option<String> {
    answer.known("next").map(|next| format!("more: --cursor {next}"))
}

fn took(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_is_a_dash() {
        let value = json!({"at": "2026-11-30T06:01:26.123456789Z", "n": 3, "l": ["a", "b\u{1b}"],
            "none": null, "ms": 61500});
        let object = Object(&value);
        assert_eq!(object.moment("at"), "2026-11-30T06:01:26Z");
        assert_eq!(
            (object.whole("n"), object.whole("none"), object.whole("x")),
            ("3".into(), "-".into(), "-".into())
        );
        assert_eq!((object.texts("l"), object.texts("none")), ("a,b[ESC]".to_owned(), "-".to_owned()));
        assert_eq!(
            (object.took("ms"), object.took("n"), object.took("x")),
            ("1 min 1 s".into(), "3 ms".into(), "-".into())
        );
    }
}
