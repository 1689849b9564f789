//! Which findings an address asks for: the same words for the page and for the API.
use jiff::Timestamp;

use crate::domain::finding::{Code, Severity};
use crate::store::FindingFilter;
use crate::store::queries::FindingCursor;
use crate::web::error::WebError;
use crate::web::link::encoded;
use crate::web::list::address::Range;
use crate::web::params::Params;
use crate::web::text::{cut, plain};

const WEEK_NS: u64 = 7 * 86_400_000_000_000;
/// The names in addresses, in the order in which they are written.
const NAMES: [&str; 9] = ["code", "severity", "agent", "tool", "run", "week", "t", "from", "to"];

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Asked {
    /// This code.
    pub(in crate::web) code: Option<Code>,
    /// Codes of this severity.
    pub(in crate::web) severity: Option<Severity>,
    /// The week that begins on this Monday, as its start in nanoseconds since 1970.
    pub(in crate::web) week_ns: Option<u64>,
    /// How far back.
    pub(in crate::web) range: Range,
    /// After this place in the list.
    pub(in crate::web) after: Option<FindingCursor>,
    words: Vec<(&'static str, String)>,
    from_ns: Option<u64>,
    to_ns: Option<u64>,
}

impl Asked {
    /// Reads parameters; `more` are the names that the caller reads itself.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, WebError> {
        let known: Vec<&str> = NAMES.iter().chain(&["cursor"]).chain(more).copied().collect();
        params.only(&known)?;
        let wrong = |name: &str, remedy: &str| {
            let word = plain(cut(params.get(name).unwrap_or_default(), 60));
            WebError::Invalid(format!("`{name}` can't be `{word}`: {remedy}"))
        };
        let code = params.get("code").map(|word| {
            Code::from_word(word).ok_or_else(|| wrong("code", "/about/findings lists the codes"))
        });
        let severity = params.get("severity").map(|word| {
            Severity::from_word(word).ok_or_else(|| wrong("severity", "it is danger, warn or info"))
        });
        let week = params.get("week").map(|word| {
            monday_ns(word).ok_or_else(|| wrong("week", "write the day it begins on, such as 2026-11-30"))
        });
        let after = params.get("cursor").map(|text| {
            let remedy = "take `next` of the answer before, or leave it out";
            FindingCursor::parse(text).ok_or_else(|| wrong("cursor", remedy))
        });
        let range = params.get("t").map(|word| {
            let known = Range::ALL.into_iter().find(|range| range.word() == word);
            known.ok_or_else(|| wrong("t", "it is 1h, 24h, 7d or 30d"))
        });
        let words = NAMES.iter().filter_map(|name| Some((*name, params.get(name)?.to_owned())));
        Ok(Self {
            code: code.transpose()?,
            severity: severity.transpose()?,
            week_ns: week.transpose()?,
            range: range.transpose()?.unwrap_or_default(),
            after: after.transpose()?,
            words: words.collect(),
            from_ns: params.moment("from")?,
            to_ns: params.moment("to")?,
        })
    }

    /// What was asked for under a name.
    pub(in crate::web) fn word(&self, name: &str) -> Option<&str> {
        self.words.iter().find(|(known, _)| *known == name).map(|(_, word)| word.as_str())
    }

    /// The query string with another word under one name; `None` leaves it out.
    pub(in crate::web) fn with(&self, name: &str, word: Option<&str>) -> String {
        let pair = |name: &str, word: &str| format!("{name}={}", encoded(word));
        let pairs = NAMES.iter().filter_map(|known| {
            let word = if *known == name { word } else { self.word(known) };
            word.map(|word| pair(known, word))
        });
        format!("?{}", pairs.collect::<Vec<_>>().join("&"))
    }

    /// The filter, with codes or without.
    pub(in crate::web) fn filter(&self, now_ns: u64, with_codes: bool) -> FindingFilter {
        let asked = |code: &Code| {
            self.code.is_none_or(|wanted| wanted == *code)
                && self.severity.is_none_or(|wanted| wanted == code.severity())
        };
        let some = with_codes && (self.code.is_some() || self.severity.is_some());
        let codes: Vec<Code> = Code::ALL.iter().copied().filter(|code| some && asked(code)).collect();
        let owned = |name| self.word(name).map(str::to_owned);
        FindingFilter {
            codes,
            run_id: owned("run"),
            agent: owned("agent"),
            tool: owned("tool"),
            from_ns: self.week_ns.or(self.from_ns).or(self.range.starts_ns(now_ns)),
            to_ns: self.week_ns.map(|week| week + WEEK_NS).or(self.to_ns),
        }
    }

    /// A code and a severity that no code has both of: then there is nothing to list.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.code.zip(self.severity).is_some_and(|(code, severity)| code.severity() != severity)
    }
}

/// The start of a day, `2026-11-30`, in UTC.
fn monday_ns(text: &str) -> Option<u64> {
    let at: Timestamp = format!("{text}T00:00:00Z").parse().ok()?;
    u64::try_from(at.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_edited() {
        let asked = Asked::read(&Params::read("code=no-key&agent=a%20b&week=2026-11-30"), &[]).unwrap();
        let filter = asked.filter(0, true);
        assert_eq!(
            (filter.codes.as_slice(), filter.agent.as_deref()),
            ([Code::NoKey].as_slice(), Some("a b"))
        );
        assert_eq!(filter.from_ns, Some(1_795_996_800_000_000_000));
        assert_eq!(filter.to_ns, Some(1_795_996_800_000_000_000 + WEEK_NS));
        assert_eq!(asked.with("agent", None), "?code=no-key&week=2026-11-30");
        assert_eq!(asked.with("tool", Some("x&y")), "?code=no-key&agent=a%20b&tool=x%26y&week=2026-11-30");
        assert!(asked.filter(0, false).codes.is_empty());
        let danger = Asked::read(&Params::read("severity=danger"), &[]).unwrap();
        assert!(danger.filter(0, true).codes.contains(&Code::DoubleEffect) && !danger.is_empty());
        assert!(Asked::read(&Params::read("severity=danger&code=no-key"), &[]).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_named_with_a_remedy() {
        for (query, says) in [
            ("code=nonsense", "/about/findings"),
            ("severity=red", "danger, warn or info"),
            ("week=monday", "2026-11-30"),
            ("cursor=junk", "leave it out"),
            ("colour=red", "`colour` is no parameter"),
        ] {
            let error = Asked::read(&Params::read(query), &[]).unwrap_err().to_string();
            assert!(error.contains(says), "{query}: {error}");
        }
    }
}
