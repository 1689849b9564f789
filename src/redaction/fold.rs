//! A view of a text with look-alikes made plain and invisible characters gone, mapped back to the text.
//!
//! Rules look at the view, so that full-width digits or a zero-width space do not hide a card number.
use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// First code points of runs of ten decimal digits that NFKC leaves as they are.
const DIGIT_BLOCKS: [u32; 12] =
    [0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0E50];

/// The view. Ranges found in it are brought back with [`Folded::original`].
#[derive(Debug)]
pub(crate) struct Folded<'a> {
    view: Cow<'a, str>,
    /// Each character that is not ASCII: where it stands in the view and in the text.
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct Mark {
    view: Range<usize>,
    original: Range<usize>,
}

impl<'a> Folded<'a> {
    /// The view of a text; the text itself when nothing in it needs folding.
    pub(crate) fn of(text: &'a str) -> Self {
        if text.is_ascii() || is_plain(text) {
            return Self { view: Cow::Borrowed(text), marks: Vec::new() };
        }
        let mut view = String::with_capacity(text.len());
        let mut marks = Vec::new();
        for (at, char) in text.char_indices() {
            if char.is_ascii() {
                view.push(char);
                continue;
            }
            let start = view.len();
            if !is_invisible(char) {
                std::iter::once(char).nfkc().for_each(|folded| view.push(plain(folded)));
            }
            marks.push(Mark { view: start..view.len(), original: at..at + char.len_utf8() });
        }
        Self { view: Cow::Owned(view), marks }
    }

    /// What rules look at.
    pub(crate) fn view(&self) -> &str {
        &self.view
    }

    /// Whether the view is not the text itself.
    pub(crate) fn differs(&self) -> bool {
        matches!(self.view, Cow::Owned(_))
    }

    /// The range of the text behind a range of the view: whole characters, invisible ones inside included.
    pub(crate) fn original(&self, view: Range<usize>) -> Range<usize> {
        let start = self.locate(view.start).start;
        let end = if view.is_empty() { start } else { self.locate(view.end - 1).end };
        start..end
    }

    /// The character of the text that gave the byte at this place of the view.
    fn locate(&self, at: usize) -> Range<usize> {
        let after = self.marks.partition_point(|mark| mark.view.start <= at);
        match after.checked_sub(1).and_then(|mark| self.marks.get(mark)) {
            None => at..at + 1,
            Some(mark) if at < mark.view.end => mark.original.clone(),
            Some(mark) => {
                let at = mark.original.end + (at - mark.view.end);
                at..at + 1
            }
        }
    }
}

fn is_plain(text: &str) -> bool {
    is_nfkc_quick(text.chars()) == IsNormalized::Yes
        && text.chars().all(|char| char.is_ascii() || (!is_invisible(char) && plain(char) == char))
}

/// Characters that take no room: zero-width, directional, soft hyphen, variation selectors.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Hyphens, spaces and digits of other scripts as the ASCII ones.
fn plain(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{2043}' => '-',
        '\u{2000}'..='\u{200a}' | '\u{a0}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{1680}' => ' ',
        '\u{2024}' | '\u{b7}' | '\u{3002}' | '\u{2022}' => '.',
        '\u{660}'..='\u{e59}' => {
            let code = u32::from(char);
            let digit = DIGIT_BLOCKS.iter().find_map(|zero| code.checked_sub(*zero).filter(|at| *at < 10));
            digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(char)
        }
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_look_alikes_and_finds_the_way_back() {
        for (text, folded) in [
            ("plain", "plain"),
            ("größe 你好", "größe 你好"),
            ("４１１１", "4111"),
            ("4\u{200b}11\u{ad}1", "4111"),
            ("bob＠x.com", "bob@x.com"),
            ("😀 𝟒𝟏𝟏𝟏 a\u{a0}b", "😀 4111 a b"),
            ("٤١١١", "4111"),
            ("41–11", "41-11"),
            ("\u{feff}ﬁ", "fi"),
        ] {
            let view = Folded::of(text);
            assert_eq!(view.view(), folded);
            assert_eq!(&text[view.original(0..folded.len())], text.trim_start_matches('\u{feff}'));
        }
        let text = "é：４１\u{200b}１１！x";
        let view = Folded::of(text);
        let at = view.view().find("4111").unwrap();
        assert_eq!(&text[view.original(at..at + 4)], "４１\u{200b}１１");
        assert_eq!(&text[view.original(view.view().len() - 1..view.view().len())], "x");
    }
}
