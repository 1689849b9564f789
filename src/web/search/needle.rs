//! From a typed word or phrase to what the store looks for.
//!
//! Text is found in any case, whether accents stand apart or not, and also where JSON writes it with escapes:
//! a quote as `\"`, a line end as `\n`, a letter beyond ASCII as `\u00fc`, in JSON within JSON with more
//! backslashes.
use std::fmt::Write;

use unicode_normalization::UnicodeNormalization;

use crate::store::Needle;

/// What stands before a word: a beginning, no letter or digit, or the escape of a line end.
const BEFORE: &str = r"(?:^|[^a-z0-9]|\\[bfnrt])";
/// What stands after it.
const AFTER: &str = "(?:$|[^a-z0-9])";
/// What stands between the words of a phrase: spaces and line ends, also as escapes.
const BETWEEN: &str = r"(?:\s|\\+[nrt])+";
/// The shortest beginning of an id.
const ID_CHARS_MIN: usize = 4;

/// What is looked for when this is typed.
pub(in crate::web) fn needle(typed: &str) -> Needle {
    let (text, begins) = stem(typed);
    let mut pattern = core(text);
    if text.starts_with(is_word) {
        pattern.insert_str(0, BEFORE);
    }
    if text.ends_with(is_word) && !begins {
        pattern.push_str(AFTER);
    }
    let words = if begins { text.trim_end_matches(is_word) } else { text };
    let has_words = words.chars().any(|char| is_word(char) || (!char.is_ascii() && !char.is_whitespace()));
    Needle { words: if has_words { words.to_owned() } else { String::new() }, pattern }
}

/// The pattern of a needle with what is to be marked as its group: not what may stand around it, and of a
/// beginning the whole word.
pub(in crate::web) fn marking(needle: &Needle) -> String {
    let pattern = needle.pattern.as_str();
    let (before, rest) = match pattern.strip_prefix(BEFORE) {
        Some(rest) => (BEFORE, rest),
        None => ("", pattern),
    };
    match rest.strip_suffix(AFTER) {
        Some(core) => format!("{before}({core}){AFTER}"),
        None if rest.ends_with(is_word) => format!("{before}({rest}[a-z0-9]*)"),
        None => format!("{before}({rest})"),
    }
}

/// The text alone as a pattern, without what may stand around it.
fn core(text: &str) -> String {
    let mut pattern = String::new();
    let folded: String = text.nfc().collect::<String>().to_lowercase();
    let mut chars = folded.trim().chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            _ if char.is_whitespace() => {
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
                pattern.push_str(BETWEEN);
            }
            '\\' => pattern.push_str(r"\\+"),
            '"' | '/' => {
                pattern.push_str(r"\\*");
                pattern.push(char);
            }
            _ if char.is_ascii_alphanumeric() => pattern.push(char),
            _ if char.is_ascii() => pattern.extend(['\\', char]),
            _ => pattern.push_str(&beyond_ascii(char)),
        }
    }
    pattern
}

/// A character beyond ASCII, as it is or as any of its escapes.
fn beyond_ascii(char: char) -> String {
    let upper: String = char.to_uppercase().collect();
    let apart: String = char.nfd().collect();
    let mut spellings = vec![char.to_string()];
    for spelling in [char.to_string(), upper.clone(), apart, upper.nfd().collect()] {
        let escaped = escaped(&spelling);
        if !spellings.contains(&escaped) {
            spellings.push(escaped);
        }
    }
    format!("(?:{})", spellings.join("|"))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if char.is_ascii() {
            out.push(char.to_ascii_lowercase());
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            write!(out, r"\\+u{unit:04x}").unwrap_or_default();
        }
    }
    out
}

/// What is typed without the star that says that more may follow.
pub(in crate::web) fn stem(typed: &str) -> (&str, bool) {
    let text = typed.trim();
    match text.strip_suffix('*') {
        Some(stem) if stem.ends_with(is_word) && stem.chars().filter(|char| is_word(*char)).count() > 1 => {
            (stem, true)
        }
        _ => (text, false),
    }
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric()
}

/// What is typed as the beginning of an id: lower case, without dashes; `None` when no id looks like it.
pub(in crate::web) fn id_of(typed: &str) -> Option<String> {
    let (text, _) = stem(typed);
    let is_id = |char: char| is_word(char) || matches!(char, '-' | '_' | '.' | ':');
    let id: String = text.chars().filter(|char| *char != '-').collect::<String>().to_lowercase();
    let fits = id.chars().count() >= ID_CHARS_MIN && text.chars().all(is_id);
    (fits && id.contains(|char: char| char.is_ascii_digit())).then_some(id)
}

/// The pattern of an id that may have dashes anywhere, as a group.
pub(in crate::web) fn id_pattern(id: &str) -> String {
    let chars = id.chars().map(|char| core(&char.to_string()));
    format!("{BEFORE}({})", chars.collect::<Vec<_>>().join("-?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn finds(typed: &str, text: &str) -> bool {
        let folded: String = text.nfc().collect::<String>().to_lowercase();
        Regex::new(&needle(typed).pattern).unwrap().is_match(&folded)
    }

    #[test]
    fn what_is_visible_is_found() {
        for (typed, text) in [
            ("你好", r#"{"msg":"\u4f60\u597d"}"#),
            ("你好", r#"{"a":"{\"msg\":\"\\u4f60\\u597d\"}"}"#),
            ("müller", r#"{"name":"M\u00fcller"}"#),
            ("MÜLLER", r#"{"name":"M\u00DCLLER"}"#),
            ("café", "cafe\u{301} noir"),
            ("café", r"caf\u00e9"),
            ("café", r"cafe\u0301"),
            ("🧾", r"a \ud83e\uddfe"),
            ("100%", "100% sure"),
            ("it's \"ok\"", r#"{"in":"it's \"ok\""}"#),
            (r"C:\temp", r"C:\temp"),
            (r"C:\temp", r#"{"in":"C:\\temp"}"#),
            ("acct-42/x.y", "acct-42/x.y"),
            ("a/b", r"a\/b"),
            ("cracked kettle", r"a cracked\nkettle"),
            ("cracked kettle", "Cracked \n kettle"),
            ("hello", r#""one\nhello""#),
            ("refun*", "issue_refund"),
            ("%", "100%"),
        ] {
            assert!(finds(typed, text), "{typed} in {text}: {}", needle(typed).pattern);
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        for (typed, text) in [
            ("A_1", "AB1"),
            ("refund", "refunds"),
            ("100%", "100 %"),
            ("order-7001", "order-70011"),
            ("cracked kettle", "kettle cracked"),
            ("x.y", "xzy"),
            ("(a|b)*", "ab"),
        ] {
            assert!(!finds(typed, text), "{typed} in {text}");
        }
    }

    #[test]
    fn the_index_is_asked_for_whole_words_only() {
        for (typed, words) in [
            ("refund", "refund"),
            ("Müller", "Müller"),
            ("A_1", "A_1"),
            ("refun*", ""),
            ("order-70*", "order-"),
            ("%", ""),
            ("a*", "a*"),
            ("*", ""),
            ("退款", "退款"),
        ] {
            assert_eq!(needle(typed).words, words, "{typed}");
        }
    }

    #[test]
    fn ids_have_many_spellings() {
        for (typed, id) in [
            ("008EFFF7-9803-8103-D269-B633813FC703", Some("008efff798038103d269b633813fc703")),
            ("run-031", Some("run031")),
            ("call_8f2*", Some("call_8f2")),
            ("4812", Some("4812")),
            ("481", None),
            ("refund", None),
            ("a b 1 2", None),
        ] {
            assert_eq!(id_of(typed).as_deref(), id, "{typed}");
        }
        let pattern = Regex::new(&id_pattern("550e8400")).unwrap();
        assert!(pattern.is_match("run 550e-8400-e29b") && !pattern.is_match("1550e8400"));
    }
}
