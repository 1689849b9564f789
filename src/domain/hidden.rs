//! Characters that change what a reader sees without being seen, and what to call them.
use std::fmt::Write;

/// Controls, text direction, invisible tags. Joiners are none: scripts and emoji need them.
pub fn is_hidden(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        _ if char.is_control() => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// What such a character is called.
pub fn name_of(char: char) -> String {
    match char {
        '\0' => "NUL".to_owned(),
        '\r' => "CR".to_owned(),
        '\u{1b}' => "ESC".to_owned(),
        _ => format!("U+{:04X}", u32::from(char)),
    }
}

/// JSON of the same value in which hidden characters are escapes. In JSON they stand in texts only.
pub fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for char in json.chars() {
        if !is_hidden(char) {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// The text on one line, with hidden characters by name: `[ESC]`, `[U+202E]`.
/// For terminals, titles and labels.
pub fn plain(text: &str) -> String {
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
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_value() {
        let hostile = "a\u{1b}[31mb\u{9b}2Jc\u{202e}d\re\nf\u{e0041}";
        // Serde writes the second control and the direction as they are.
        let json = serde_json::to_string(hostile).unwrap();
        let made = escaped_json(&json);
        assert!(json.chars().any(is_hidden) && !made.chars().any(is_hidden), "{made}");
        assert_eq!(serde_json::from_str::<String>(&made).unwrap(), hostile);
    }

    #[test]
    fn nothing_acts_on_a_terminal() {
        assert_eq!(
            plain("a\u{1b}[31mb\u{9b}2Jc\u{202e}d\re\nf\u{e0041}"),
            "a[ESC][31mb[U+009B]2Jc[U+202E]d[CR]e f[U+E0041]"
        );
    }
}
