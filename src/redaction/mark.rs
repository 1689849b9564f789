//! What stands in the place of something redacted, and how hits become a new text.
use std::ops::Range;
use std::sync::Arc;

use crate::domain::secret::SecretKey;
use crate::redaction::base64;
use crate::redaction::pseudonym::{pseudonym, sealed};
use crate::redaction::settings::Method;

/// The name under which allow-list mode removes.
const NOT_LISTED: &str = "not-listed";

/// What a rule leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The rule, with its version where it is an operator's.
    pub(crate) rule: String,
    /// `remove`, `mask`, `replace`, `pseudonym`, `encrypt` or `withhold`.
    pub(crate) method: &'static str,
    /// What is written instead.
    pub(crate) text: String,
}

impl Mark {
    /// The mark of content that could not be looked at.
    pub(crate) fn withheld(why: &str) -> Arc<Self> {
        let (rule, text) = (why.to_owned(), format!("[withheld:{why}]"));
        Arc::new(Self { rule, method: "withhold", text })
    }

    /// Whether an operator's rule left it.
    pub(crate) fn is_own(&self) -> bool {
        self.rule.contains('@')
    }

    /// A pseudonym in the place of the value that the rule hit.
    pub(crate) fn pseudonym(rule: &str, pseudonym: String) -> Arc<Self> {
        Arc::new(Self { rule: rule.to_owned(), method: "pseudonym", text: pseudonym })
    }
}

/// A rule as far as what it does goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Its name, in marks and pseudonyms.
    pub(crate) id: String,
    /// Its name with its version, in annotations.
    pub(crate) label: String,
    /// Operators' rules first, in the order in which they were written, then the built-in ones.
    pub(crate) rank: u32,
    does: Does,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Does {
    Always(Arc<Mark>),
    Mask(usize),
    Hash,
    Encrypt,
    /// Says what the blob was.
    Describe,
}

impl Rule {
    /// A built-in rule.
    pub(crate) fn builtin(id: &str) -> Arc<Self> {
        let mark = Mark { rule: id.to_owned(), method: "replace", text: format!("[redacted:{id}]") };
        Self::of_builtin(id, Does::Always(Arc::new(mark)))
    }

    /// The built-in rule on blobs.
    pub(crate) fn describing(id: &str) -> Arc<Self> {
        Self::of_builtin(id, Does::Describe)
    }

    /// What is not on the list in allow-list mode.
    pub(crate) fn unlisted() -> Arc<Self> {
        let mark =
            Mark { rule: NOT_LISTED.to_owned(), method: "remove", text: "[removed:not-listed]".to_owned() };
        Self::of_builtin(NOT_LISTED, Does::Always(Arc::new(mark)))
    }

    fn of_builtin(id: &str, does: Does) -> Arc<Self> {
        Arc::new(Self { id: id.to_owned(), label: id.to_owned(), rank: u32::MAX, does })
    }

    /// An operator's rule.
    pub(crate) fn new(id: &str, version: u32, rank: u32, method: &Method) -> Arc<Self> {
        let label = format!("{id}@{version}");
        let always =
            |method, text: String| Does::Always(Arc::new(Mark { rule: label.clone(), method, text }));
        let does = match method {
            Method::Remove => always("remove", String::new()),
            Method::Replace(with) => {
                always("replace", with.clone().unwrap_or_else(|| format!("[redacted:{id}]")))
            }
            Method::Mask(show_last) => Does::Mask(*show_last),
            Method::Hash => Does::Hash,
            Method::Encrypt => Does::Encrypt,
        };
        Arc::new(Self { id: id.to_owned(), label, rank, does })
    }

    /// Whether an attribute is gone with its key when the rule selects it as a whole.
    pub(crate) fn drops_pairs(&self) -> bool {
        matches!(&self.does, Does::Always(mark) if mark.method == "remove")
    }

    /// Whether the value is looked for elsewhere too: what is merely not on a list is not.
    pub(crate) fn echoes(&self) -> bool {
        self.id != NOT_LISTED
    }

    /// What stands for this value.
    pub(crate) fn mark(&self, value: &str, key: &SecretKey) -> Arc<Mark> {
        let (method, text) = match &self.does {
            Does::Always(mark) => return Arc::clone(mark),
            Does::Mask(show_last) => ("mask", masked(value, *show_last)),
            Does::Hash => ("pseudonym", pseudonym(key, &self.id, value)),
            Does::Encrypt => ("encrypt", sealed(key, &self.id, value)),
            Does::Describe => ("replace", base64::described(value)),
        };
        Arc::new(Mark { rule: self.label.clone(), method, text })
    }
}

/// Letters and digits as `*`, but for the last ones. A value too short to hide anything shows none.
fn masked(value: &str, show_last: usize) -> String {
    let signs = value.chars().filter(|char| char.is_alphanumeric()).count();
    let shown = if signs >= 2 * show_last.max(1) { show_last } else { 0 };
    let mut hidden = signs - shown;
    let star = |char: char| match char {
        char if char.is_alphanumeric() && hidden > 0 => {
            hidden -= 1;
            '*'
        }
        char => char,
    };
    value.chars().map(star).collect()
}

/// Whether a text is a mark already: ours, or the usual ones of senders that mask themselves.
pub(crate) fn is_mark(text: &str) -> bool {
    let text = text.trim();
    [
        "[redacted",
        "[withheld",
        "[removed:",
        "[base64:",
        "[Redacted",
        "[REDACTED",
        "[Scrubbed",
        "[Filtered",
        "<redacted",
        "__REDACTED",
    ]
    .iter()
    .any(|mark| text.starts_with(mark))
        || !text.contains(|c: char| c.is_alphanumeric())
}

/// Something that was found, in bytes of the text.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    /// Where.
    pub(crate) range: Range<usize>,
    /// By what.
    pub(crate) by: By,
}

/// What found it.
#[derive(Debug, Clone)]
pub(crate) enum By {
    /// A rule.
    Rule(Arc<Rule>),
    /// A value that was redacted elsewhere in the step, by what stands for it there.
    Echo(Arc<Mark>),
}

impl By {
    /// What stands for this value.
    pub(crate) fn mark(&self, value: &str, key: &SecretKey) -> Arc<Mark> {
        match self {
            Self::Rule(rule) => rule.mark(value, key),
            Self::Echo(mark) => Arc::clone(mark),
        }
    }

    /// The name of what found it, for a pseudonym.
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Rule(rule) => &rule.id,
            Self::Echo(mark) => mark.rule.split('@').next().unwrap_or_default(),
        }
    }

    /// Its name with its version.
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Rule(rule) => &rule.label,
            Self::Echo(mark) => &mark.rule,
        }
    }

    /// Of two that found the same, the lower one counts: pseudonyms stay whole, then the operator decides.
    fn rank(&self) -> u32 {
        match self {
            Self::Echo(mark) if mark.method == "pseudonym" => 0,
            Self::Rule(rule) => rule.rank,
            Self::Echo(_) => u32::MAX,
        }
    }
}

/// Hits in order without overlaps: overlapping ones become one, and the longest of them says what is done.
pub(crate) fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.retain(|hit| !hit.range.is_empty());
    hits.sort_by_key(|hit| (hit.range.start, usize::MAX - hit.range.len(), hit.by.rank()));
    let mut merged: Vec<(Hit, usize)> = Vec::with_capacity(hits.len());
    for hit in hits {
        let length = hit.range.len();
        match merged.last_mut() {
            Some((last, longest)) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
                if length > *longest {
                    last.by = hit.by;
                    *longest = length;
                }
            }
            Some(_) | None => merged.push((hit, length)),
        }
    }
    merged.into_iter().map(|(hit, _)| hit).collect()
}

/// The text with every range replaced by the text of its mark. Ranges are in order and do not overlap.
pub(crate) fn replaced(text: &str, marks: &[(Range<usize>, Arc<Mark>)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, mark) in marks {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(&mark.text);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(range: Range<usize>, rule: &str) -> Hit {
        Hit { range, by: By::Rule(Rule::builtin(rule)) }
    }

    fn written(text: &str, hits: Vec<Hit>) -> String {
        let key = SecretKey::new(1, [7; 32]);
        let marks: Vec<_> = merged(hits)
            .into_iter()
            .map(|hit| (hit.range.clone(), hit.by.mark(&text[hit.range], &key)))
            .collect();
        replaced(text, &marks)
    }

    #[test]
    fn overlapping_hits_become_one_and_the_longest_names_it() {
        let text = "😀 aaaabbbbcccc dd";
        let hits = vec![hit(9..17, "long"), hit(5..11, "short"), hit(18..20, "other"), hit(5..7, "in")];
        assert_eq!(written(text, hits), "😀 [redacted:long] [redacted:other]");
        let pseudonym = Hit { range: 0..4, by: By::Echo(Mark::pseudonym("x", "x(1):1".to_owned())) };
        assert_eq!(written("abcd", vec![hit(0..4, "x"), pseudonym]), "x(1):1");
        let own = Hit { range: 0..4, by: By::Rule(Rule::new("own", 1, 3, &Method::Replace(None))) };
        assert_eq!(written("abcd", vec![hit(0..4, "x"), own]), "[redacted:own]");
        assert_eq!(written("abcd", vec![hit(2..2, "empty")]), "abcd");
    }

    #[test]
    fn each_method_leaves_what_it_says() {
        let key = SecretKey::new(3, [7; 32]);
        let left = |method: Method| Rule::new("acct", 2, 0, &method).mark("4111-2222", &key);
        assert_eq!(left(Method::Remove).text, "");
        assert_eq!(left(Method::Mask(0)).text, "****-****");
        assert_eq!(left(Method::Mask(4)).text, "****-2222");
        assert_eq!(left(Method::Replace(None)).text, "[redacted:acct]");
        assert_eq!(left(Method::Replace(Some("x".to_owned()))).text, "x");
        assert!(left(Method::Hash).text.starts_with("acct(9):v3."));
        assert!(left(Method::Encrypt).text.starts_with("acct(9):e3."));
        assert_eq!(left(Method::Encrypt).rule, "acct@2");
        assert_eq!(masked("123", 4), "***");
    }

    #[test]
    fn marks_of_others_are_known() {
        for mark in ["[redacted:jwt]", "****", "", "__REDACTED__", "[Scrubbed due to 'session']"] {
            assert!(is_mark(mark), "{mark}");
        }
        assert!(!is_mark("hunter2"));
    }
}
