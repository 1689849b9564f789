//! A piece of a found text, with what was looked for marked in it.
use regex::Regex;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Characters around the first mark.
const BEFORE: usize = 60;
/// Characters of a fragment.
const CHARS: usize = 260;
/// Marks in one fragment.
const MARKS_MAX: usize = 20;

/// Finds marks in texts.
#[derive(Debug)]
pub(in crate::web) struct Marker {
    words: Vec<Regex>,
    /// The beginning of an id: marked where none of the words stand.
    id: Option<Regex>,
}

/// A piece of text, marked or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Piece {
    /// The text.
    pub(in crate::web) text: String,
    /// It is what was looked for.
    pub(in crate::web) found: bool,
}

impl Marker {
    /// For these patterns over folded text, each with what is marked as its group.
    pub(in crate::web) fn new(words: &[String], id: Option<&String>) -> Self {
        let limited = |pattern: &String| regex::RegexBuilder::new(pattern).size_limit(1 << 20).build().ok();
        Self { words: words.iter().filter_map(limited).collect(), id: id.and_then(limited) }
    }

    /// The piece of a text around what was found first; the whole text where nothing can be marked.
    pub(in crate::web) fn fragment(&self, text: &str) -> Vec<Piece> {
        let marks = self.marks(text);
        let first = marks.first().map_or(0, |(from, _)| *from);
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = starts.partition_point(|start| *start < first);
        let begin = at.saturating_sub(BEFORE);
        let begin = if begin < 8 { 0 } else { begin };
        let from = starts.get(begin).copied().unwrap_or_default();
        let to = starts.get(begin + CHARS).copied().unwrap_or(text.len());
        let mut pieces = Vec::new();
        let mut add = |text: &str, found: bool| {
            if !text.is_empty() {
                pieces.push(Piece { text: text.to_owned(), found });
            }
        };
        add(if from > 0 { "…" } else { "" }, false);
        let mut done = from;
        for (start, end) in marks.into_iter().filter(|(start, _)| (from..to).contains(start)) {
            add(text.get(done..start).unwrap_or_default(), false);
            add(text.get(start..end).unwrap_or_default(), true);
            done = end;
        }
        add(text.get(done..to).unwrap_or_default(), false);
        add(if to < text.len() && done < text.len() { "…" } else { "" }, false);
        pieces
    }

    /// Where marks stand, in order, none over another.
    fn marks(&self, text: &str) -> Vec<(usize, usize)> {
        let folded = Folded::of(text);
        let found = |pattern: &Regex| groups(pattern, &folded.text);
        let mut all: Vec<(usize, usize)> = self.words.iter().flat_map(found).collect();
        if all.is_empty() {
            all.extend(self.id.iter().flat_map(found));
        }
        for range in &mut all {
            *range = folded.whence(range.0, range.1);
        }
        all.retain(|(from, to)| from < to);
        all.sort_unstable_by_key(|(from, to)| (*from, std::cmp::Reverse(*to)));
        let mut marks: Vec<(usize, usize)> = Vec::new();
        for (from, to) in all {
            if marks.last().is_none_or(|(_, end)| from >= *end) {
                marks.push((from, to));
            }
        }
        marks
    }
}

/// Where the group of a pattern stands. What stands around it may be what stands around the next as well: the
/// space between two words.
fn groups(pattern: &Regex, text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < MARKS_MAX {
        let Some(group) = pattern.captures_at(text, at).and_then(|found| found.get(1)) else { break };
        if group.is_empty() {
            break;
        }
        found.push((group.start(), group.end()));
        at = group.end();
    }
    found
}

/// A text in lower case with accents on their letters, and where each byte of it came from.
struct Folded {
    text: String,
    from: Vec<usize>,
    end: usize,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), from: Vec::new(), end: text.len() };
        let mut chars = text.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            let mut cluster = String::from(char);
            while let Some((_, mark)) = chars.next_if(|(_, next)| canonical_combining_class(*next) != 0) {
                cluster.push(mark);
            }
            for lower in cluster.nfc().flat_map(char::to_lowercase) {
                folded.text.push(lower);
                folded.from.extend(std::iter::repeat_n(at, lower.len_utf8()));
            }
        }
        folded
    }

    fn whence(&self, start: usize, end: usize) -> (usize, usize) {
        let of = |at: usize| self.from.get(at).copied().unwrap_or(self.end);
        (of(start), of(end))
    }
}

/// A text of JSON as it is read: its escapes opened.
pub(in crate::web) fn opened(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let length = escape_length(rest);
        let escape = rest.get(..length).unwrap_or_default();
        match serde_json::from_str::<String>(&format!("\"{escape}\"")) {
            Ok(char) => out.push_str(&char),
            Err(_) => out.push_str(escape),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The bytes of the escape at the start of a text: a pair of surrogates is one.
fn escape_length(text: &str) -> usize {
    let second = text.chars().nth(1);
    let unit = |from: usize| {
        text.get(from..from + 6).and_then(|escape| u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok())
    };
    match (second, unit(0)) {
        (Some('u'), Some(0xd800..=0xdbff)) if matches!(unit(6), Some(0xdc00..=0xdfff)) => 12,
        (Some('u'), Some(_)) => 6,
        (second, _) => 1 + second.map_or(0, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::search::needle::{id_of, id_pattern, marking, needle};

    fn fragment(typed: &[&str], text: &str) -> String {
        let patterns: Vec<String> = typed.iter().map(|word| marking(&needle(word))).collect();
        let id = typed.first().and_then(|word| id_of(word)).map(|id| id_pattern(&id));
        let pieces = Marker::new(&patterns, id.as_ref()).fragment(text);
        pieces
            .iter()
            .map(|piece| if piece.found { format!("<{}>", piece.text) } else { piece.text.clone() })
            .collect()
    }

    #[test]
    fn what_was_looked_for_is_marked() {
        for (typed, text, shown) in [
            (&["refund"][..], "a Refund and a refund", "a <Refund> and a <refund>"),
            (&["café"], "un cafe\u{301} noir", "un <cafe\u{301}> noir"),
            (&["müller", "ll"], "Herr MÜLLER", "Herr <MÜLLER>"),
            (
                &["refund"],
                "refunds, refund refund, issue_refund",
                "refunds, <refund> <refund>, issue_<refund>",
            ),
            (&["refun*"], "Refunds prerefund", "<Refunds> prerefund"),
            (&["order-70*"], "order-7001", "<order-7001>"),
            (&["a phrase", "phrase"], "A\n phrase of phrases", "<A\n phrase> of phrases"),
            (&["100%", "%"], "100% 5%", "<100%> 5<%>"),
            (&["550e8400"], "run 550E-8400-e29b", "run <550E-8400>-e29b"),
            (&["4812"], "order 4812, not 48123", "order <4812>, not 48123"),
            (&["你好"], "说你好，退款", "说<你好>，退款"),
            (&["missing"], "nothing here", "nothing here"),
            (&["İ"], "x İİ", "x <İ><İ>"),
        ] {
            assert_eq!(fragment(typed, text), shown);
        }
    }

    #[test]
    fn a_long_text_is_cut_around_the_first() {
        let text = format!("{} kettle {}", "before ".repeat(100), "after ".repeat(100));
        let shown = fragment(&["kettle"], &text);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("<kettle>"), "{shown}");
        assert!(shown.chars().count() < CHARS + 10, "{shown}");
    }

    #[test]
    fn escapes_are_opened_leniently() {
        for (json, text) in [
            (r#"{"a":"\u4f60\u597d \ud83e\uddfe\n\"x\" C:\\temp"}"#, "{\"a\":\"你好 🧾\n\"x\" C:\\temp\"}"),
            (r"cut \ud83e", r"cut \ud83e"),
            (r"\q \", r"\q \"),
            (r"\u12", r"\u12"),
        ] {
            assert_eq!(opened(json), text);
        }
    }
}
