//! Two texts held against each other word by word, long stretches that are alike left out.
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::web::format;
use crate::web::text::{Text, cut};

/// At most this much of a text is compared.
const BYTES_MAX: usize = 64 << 10;
/// After this the rest counts as different.
const TIME_MAX: Duration = Duration::from_millis(200);
/// Stretches longer than this are shortened where both texts have them, in characters.
const ALIKE_MAX: usize = 400;
/// What stays of them at each end.
const ALIKE_ENDS: usize = 120;
/// Longest marker of redaction that is kept in one piece.
const MARKER_MAX: usize = 80;

/// Both texts in fragments.
#[derive(Debug, Default)]
pub(in crate::web) struct Words {
    /// The first text.
    pub(in crate::web) before: Vec<Fragment>,
    /// The second.
    pub(in crate::web) after: Vec<Fragment>,
    /// The share of the longer text that both have, in per cent.
    pub(in crate::web) alike: usize,
    /// Only the beginnings were compared.
    pub(in crate::web) cut: bool,
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) enum Fragment {
    /// In both.
    Same(Text),
    /// In this one only.
    Own(Text),
    /// In both, and left out here.
    Skipped(String),
}

impl Words {
    /// Compares two texts.
    pub(in crate::web) fn of(before: &str, after: &str) -> Self {
        let (old, new) = (cut(before, BYTES_MAX), cut(after, BYTES_MAX));
        let (old_words, new_words) = (words(old), words(new));
        let old_texts: Vec<&str> = old_words.iter().filter_map(|word| old.get(word.clone())).collect();
        let new_texts: Vec<&str> = new_words.iter().filter_map(|word| new.get(word.clone())).collect();
        let mut both = Self { cut: old.len() < before.len() || new.len() < after.len(), ..Self::default() };
        let mut alike = 0;
        let ops = differences(&old_texts, &new_texts);
        let is_equal = |op: &DiffOp| matches!(op, DiffOp::Equal { .. });
        // What differs so far: in the one text and in the other.
        let (mut own, mut other) = (0..0, 0..0);
        for (at, op) in ops.iter().enumerate() {
            let text = stretch(old, &old_words, &op.old_range());
            let inside = at > 0 && at + 1 < ops.len();
            // A blank between two words that differ is no reason to mark them apart.
            if is_equal(op) && !(inside && text.chars().all(|char| !char.is_alphanumeric()) && text.len() < 4)
            {
                alike += text.len();
                both.own(stretch(old, &old_words, &own), stretch(new, &new_words, &other));
                both.before.extend(same(text));
                both.after.extend(same(stretch(new, &new_words, &op.new_range())));
                (own, other) =
                    (op.old_range().end..op.old_range().end, op.new_range().end..op.new_range().end);
            } else {
                (own.end, other.end) = (op.old_range().end, op.new_range().end);
            }
        }
        both.own(stretch(old, &old_words, &own), stretch(new, &new_words, &other));
        both.alike = (100 * alike).checked_div(old.len().max(new.len())).unwrap_or(100);
        both
    }

    fn own(&mut self, before: &str, after: &str) {
        self.before.extend((!before.is_empty()).then(|| Fragment::Own(Text::new(before))));
        self.after.extend((!after.is_empty()).then(|| Fragment::Own(Text::new(after))));
    }

    /// Whether the texts differ.
    pub(in crate::web) fn differ(&self) -> bool {
        self.before.iter().chain(&self.after).any(|fragment| matches!(fragment, Fragment::Own(_)))
    }
}

/// What turns one list into the other; approximate when finding out takes too long.
pub(in crate::web) fn differences<T: Eq + std::hash::Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let deadline = Instant::now().checked_add(TIME_MAX);
    capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline)
}

/// The text from the first to the last of these words.
fn stretch<'t>(text: &'t str, words: &[Range<usize>], range: &Range<usize>) -> &'t str {
    let here = words.get(range.clone()).unwrap_or_default();
    let ends = here.first().zip(here.last());
    ends.and_then(|(first, last)| text.get(first.start..last.end)).unwrap_or_default()
}

fn same(text: &str) -> Vec<Fragment> {
    let length = text.chars().count();
    if length <= ALIKE_MAX {
        return vec![Fragment::Same(Text::new(text))];
    }
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (at(ALIKE_ENDS), at(length - ALIKE_ENDS));
    vec![
        Fragment::Same(Text::new(text.get(..head).unwrap_or_default())),
        Fragment::Skipped(format!("{} characters alike", format::number(length - 2 * ALIKE_ENDS))),
        Fragment::Same(Text::new(text.get(tail..).unwrap_or_default())),
    ]
}

/// Where the words of a text are: letters and digits, white space, a redaction's marker, or one other sign.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut last = Class::Other;
    let mut until = 0;
    for (at, char) in text.char_indices() {
        if at < until {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if let Some(length) = (char == '[').then(|| marker(rest)).flatten() {
            words.push(at..at + length);
            (last, until) = (Class::Other, at + length);
            continue;
        }
        let class = Class::of(char);
        let end = at + char.len_utf8();
        match words.last_mut() {
            Some(word) if class != Class::Other && class == last => word.end = end,
            _ => words.push(at..end),
        }
        last = class;
    }
    words
}

/// The length of what looks like a redaction's marker at the start of a text.
fn marker(text: &str) -> Option<usize> {
    let inside = cut(text, MARKER_MAX);
    let end = inside.find(']')?;
    let marked = inside.get(1..end)?.contains(':') && !inside.get(..end)?.contains(char::is_whitespace);
    marked.then_some(end + 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Other,
}

impl Class {
    fn of(char: char) -> Self {
        match char {
            _ if char.is_alphanumeric() || char == '_' => Self::Word,
            _ if char.is_whitespace() => Self::Space,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fragments: &[Fragment]) -> String {
        let one = |fragment: &Fragment| match fragment {
            Fragment::Same(text) => text.to_string(),
            Fragment::Own(text) => format!("<{text}>"),
            Fragment::Skipped(said) => format!("…{said}…"),
        };
        fragments.iter().map(one).collect()
    }

    #[test]
    fn words_that_differ_are_marked() {
        for (before, after, first, second) in [
            ("I will refund it.", "I will refund it.", "I will refund it.", "I will refund it."),
            ("refund it now", "refund it later", "refund it <now>", "refund it <later>"),
            ("", "new", "", "<new>"),
            ("a b", "a  b", "a< >b", "a<  >b"),
            ("größe 1", "größe 2", "größe <1>", "größe <2>"),
            ("it is gone now", "it was there now", "it <is gone> now", "it <was there> now"),
        ] {
            let words = Words::of(before, after);
            assert_eq!((shown(&words.before).as_str(), shown(&words.after).as_str()), (first, second));
            assert_eq!(words.differ(), before != after);
        }
    }

    #[test]
    fn markers_of_redaction_stay_whole() {
        let words = Words::of("to [redacted:email] now", "to [redacted:phone] now");
        let chip = |rule: &str| Text::new(format!("[redacted:{rule}]")).to_string();
        assert_eq!(shown(&words.before), format!("to <{}> now", chip("email")));
        assert_eq!(shown(&words.after), format!("to <{}> now", chip("phone")));
    }

    #[test]
    fn what_is_alike_is_left_out_where_it_is_long_and_huge_texts_end() {
        let long = "word ".repeat(1_000);
        let words = Words::of(&format!("{long}a"), &format!("{long}b"));
        assert!(shown(&words.before).contains("characters alike") && words.alike > 95);
        let (one, other): (String, String) = (
            (0..90_000).map(|n| format!("{n} ")).collect(),
            (0..90_000).map(|n| format!("{} ", n * 7)).collect(),
        );
        let words = Words::of(&one, &other);
        assert!(words.cut && words.differ());
    }
}
