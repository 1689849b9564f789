//! What somebody else wrote, made safe for a terminal: nothing in it moves the cursor or hides.
use std::fmt::Write;

use crate::domain::hidden::{is_hidden, name_of};

/// The text on one line, with hidden characters by name: `[ESC]`, `[U+202E]`.
pub(in crate::console) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => out.push(' '),
            _ if is_hidden(char) => {
                // Writing to a string cannot fail.
                write!(out, "[{}]", name_of(char)).unwrap_or_default();
            }
            _ => out.push(char),
        }
    }
    out
}

/// At most so many characters, with an ellipsis where something was left out.
pub(in crate::console) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31mb\u{9b}2Jc\u{202e}d\re\nf\u{e0041}";

    #[test]
    fn nothing_acts_on_a_terminal() {
        assert_eq!(plain(HOSTILE), "a[ESC][31mb[U+009B]2Jc[U+202E]d[CR]e f[U+E0041]");
    }
}
