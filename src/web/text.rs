//! Text that somebody else wrote, made safe to show: escaped, hidden characters visible, redactions as chips.
use std::fmt;

use askama::filters::HtmlSafe;

use crate::domain::hidden::{is_hidden, name_of};

pub(in crate::web) use crate::domain::hidden::{plain, shortened};

/// What redaction leaves behind in a text: `[redacted:rule]`, `[removed:rule]`, or `[withheld:why]` where it
/// could not look.
const MARKERS: [(&str, &str); 3] =
    [("[redacted:", "redacted"), ("[withheld:", "withheld"), ("[removed:", "removed")];

/// Foreign text. Shows itself as HTML in which nothing of it can act.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Text(String);

impl Text {
    /// Takes the text as it is.
    pub(in crate::web) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether there is nothing to show.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text itself, for comparing and cutting it. Not for showing.
    pub(in crate::web) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is more than one line.
    pub(in crate::web) fn is_long(&self) -> bool {
        self.0.len() > 120 || self.0.contains('\n')
    }

    /// About how many bytes it takes on a page: what is escaped or made visible takes more than it has.
    pub(in crate::web) fn drawn_bytes(&self) -> usize {
        let drawn = |char: char| match char {
            '<' | '>' | '&' | '"' | '\'' => 5,
            // It may begin a chip.
            '[' => 12,
            _ if is_hidden(char) => 36,
            _ => char.len_utf8(),
        };
        self.0.chars().map(drawn).sum()
    }

    /// Its first characters.
    pub(in crate::web) fn beginning(&self, chars: usize) -> String {
        shortened(&self.0, chars)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Every `<`, `>`, `&` and quote is escaped below, so the output is safe in elements and in quoted attributes
/// of elements that take text.
impl HtmlSafe for Text {}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('[') {
            let (before, mark) = rest.split_at(at);
            escape(f, before)?;
            match marker(mark) {
                Some((said, rule, tail)) => {
                    write!(
                        f,
                        "<span class=\"redacted\"><span class=\"sr\">{said} by rule </span>{rule}</span>"
                    )?;
                    rest = tail;
                }
                None => {
                    f.write_str("[")?;
                    rest = mark.get(1..).unwrap_or_default();
                }
            }
        }
        escape(f, rest)
    }
}

/// A marker at the start of a text: what was done, the rule, and what follows.
fn marker(text: &str) -> Option<(&'static str, &str, &str)> {
    MARKERS.iter().find_map(|(start, said)| {
        let (rule, tail) = text.strip_prefix(start)?.split_once(']')?;
        is_rule_name(rule).then_some((*said, rule, tail))
    })
}

/// Rule names are short and plain, so anything else in brackets stays text.
fn is_rule_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn escape(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut from = 0;
    for (at, char) in text.char_indices() {
        let entity = match char {
            '<' => "&lt;",
            '>' => "&gt;",
            '&' => "&amp;",
            '"' => "&#34;",
            '\'' => "&#39;",
            _ if !is_hidden(char) => continue,
            _ => "",
        };
        f.write_str(text.get(from..at).unwrap_or_default())?;
        if entity.is_empty() {
            write!(f, "<span class=\"ctl\">{}</span>", name_of(char))?;
        } else {
            f.write_str(entity)?;
        }
        from = at + char.len_utf8();
    }
    f.write_str(text.get(from..).unwrap_or_default())
}

/// The text with its first letter in upper case.
pub(in crate::web) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    first.chain(letters).collect()
}

/// The longest start of `text` that has at most `bytes` bytes and ends between characters.
pub(in crate::web) fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_inert_and_hides_nothing() {
        for (text, html) in [
            ("plain", "plain"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\"><img onerror=x>", "&#34;&gt;&lt;img onerror=x&gt;"),
            ("it's & more", "it&#39;s &amp; more"),
            ("a\u{202e}b", "a<span class=\"ctl\">U+202E</span>b"),
            ("a\0b\r", "a<span class=\"ctl\">NUL</span>b<span class=\"ctl\">CR</span>"),
            ("two\nlines\tok", "two\nlines\tok"),
            ("你好 👩‍👩‍👧", "你好 👩‍👩‍👧"),
        ] {
            assert_eq!(Text::from(text).to_string(), html);
            assert!(Text::from(text).drawn_bytes() + 4 >= html.len(), "{text}");
        }
    }

    #[test]
    fn markers_become_chips_and_lookalikes_stay_text() {
        let chip = "<span class=\"redacted\"><span class=\"sr\">redacted by rule </span>email</span>";
        for (text, html) in [
            ("to [redacted:email].", format!("to {chip}.")),
            ("[redacted:email][redacted:email]", format!("{chip}{chip}")),
            ("[redacted:<b>]", "[redacted:&lt;b&gt;]".to_owned()),
            ("[redacted:", "[redacted:".to_owned()),
            ("[redacted:] [redacted:email]", format!("[redacted:] {chip}")),
            (
                "[1] [withheld:too-deep]",
                format!("[1] {}", chip.replace("email", "too-deep").replace("redacted by", "withheld by")),
            ),
        ] {
            assert_eq!(Text::from(text).to_string(), html, "{text}");
        }
    }

    #[test]
    fn cutting_never_splits_a_character() {
        assert_eq!(cut("ab€", 4), "ab");
        assert_eq!(cut("ab€", 5), "ab€");
        assert_eq!(cut("ab", 99), "ab");
        assert_eq!(shortened("kettle", 3), "ket…");
        assert_eq!(shortened("ket", 3), "ket");
        assert_eq!(plain("a\u{202e}\nb"), "a[U+202E] b");
    }
}
