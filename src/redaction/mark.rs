//! What stands in the place of something redacted, and how hits become a new text.
use std::ops::Range;
use std::sync::Arc;

/// What a rule leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The rule.
    pub(crate) rule: String,
    /// `replace`, `pseudonym` or `withhold`.
    pub(crate) method: &'static str,
    /// What is written instead.
    pub(crate) text: String,
}

impl Mark {
    /// The mark of a rule that removes.
    pub(crate) fn redacted(rule: &str) -> Arc<Self> {
        let (rule, text) = (rule.to_owned(), format!("[redacted:{rule}]"));
        Arc::new(Self { rule, method: "replace", text })
    }

    /// The mark of content that could not be looked at.
    pub(crate) fn withheld(why: &str) -> Arc<Self> {
        let (rule, text) = (why.to_owned(), format!("[withheld:{why}]"));
        Arc::new(Self { rule, method: "withhold", text })
    }

    /// A pseudonym in the place of the value that the rule hit.
    pub(crate) fn pseudonym(rule: &str, pseudonym: String) -> Arc<Self> {
        Arc::new(Self { rule: rule.to_owned(), method: "pseudonym", text: pseudonym })
    }
}

/// Whether a text is a mark already: ours, or the usual ones of senders that mask themselves.
pub(crate) fn is_mark(text: &str) -> bool {
    let text = text.trim();
    ["[redacted", "[withheld", "[Redacted", "[REDACTED", "[Scrubbed", "[Filtered", "<redacted", "__REDACTED"]
        .iter()
        .any(|mark| text.starts_with(mark))
        || !text.contains(|c: char| c.is_alphanumeric())
}

/// Something that a rule found, in bytes of the text.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    /// Where.
    pub(crate) range: Range<usize>,
    /// What to write instead.
    pub(crate) mark: Arc<Mark>,
}

/// Hits in order without overlaps: overlapping ones become one, with the mark of the longest.
pub(crate) fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.retain(|hit| !hit.range.is_empty());
    hits.sort_by_key(|hit| (hit.range.start, usize::MAX - hit.range.len(), hit.mark.method != "pseudonym"));
    let mut merged: Vec<(Hit, usize)> = Vec::with_capacity(hits.len());
    for hit in hits {
        let length = hit.range.len();
        match merged.last_mut() {
            Some((last, longest)) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
                if length > *longest {
                    last.mark = hit.mark;
                    *longest = length;
                }
            }
            Some(_) | None => merged.push((hit, length)),
        }
    }
    merged.into_iter().map(|(hit, _)| hit).collect()
}

/// The text with every hit replaced. Hits are in order and do not overlap.
pub(crate) fn replaced(text: &str, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for hit in hits {
        out.push_str(text.get(from..hit.range.start).unwrap_or_default());
        out.push_str(&hit.mark.text);
        from = hit.range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(range: Range<usize>, rule: &str) -> Hit {
        Hit { range, mark: Mark::redacted(rule) }
    }

    #[test]
    fn overlapping_hits_become_one_and_the_longest_names_it() {
        let text = "😀 aaaabbbbcccc dd";
        let hits =
            merged(vec![hit(9..17, "long"), hit(5..11, "short"), hit(18..20, "other"), hit(5..7, "in")]);
        assert_eq!(replaced(text, &hits), "😀 [redacted:long] [redacted:other]");
        let pseudonym = Hit { range: 0..4, mark: Mark::pseudonym("x", "x(1):1".to_owned()) };
        assert_eq!(replaced("abcd", &merged(vec![hit(0..4, "x"), pseudonym])), "x(1):1");
        assert_eq!(replaced("abcd", &merged(vec![hit(2..2, "empty")])), "abcd");
    }

    #[test]
    fn marks_of_others_are_known() {
        for mark in ["[redacted:jwt]", "****", "", "__REDACTED__", "[Scrubbed due to 'session']"] {
            assert!(is_mark(mark), "{mark}");
        }
        assert!(!is_mark("hunter2"));
    }
}
