//! The filter language of the list of runs: words, `field:value`, `-field:value`, `field:>n`, quotes.
//!
//! A term that can't be read is an error that names it: nothing is ever ignored.
use std::fmt;

use crate::domain::finding::Code;
use crate::domain::outcome::Outcome;

/// Longest filter that is read, in bytes.
pub(in crate::web) const QUERY_BYTES_MAX: usize = 4 << 10;
/// Most terms in one filter.
const TERMS_MAX: usize = 40;

/// A filter: every term must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Query {
    /// The terms, in the order typed.
    pub(in crate::web) terms: Vec<Term>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::web) struct Term {
    /// Written with a minus before it: the condition must not hold.
    pub(in crate::web) negated: bool,
    /// The condition.
    pub(in crate::web) test: Test,
}

/// What is asked of a run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::web) enum Test {
    /// A word or quoted phrase occurs in what identifies the run.
    Word(String),
    /// The field is (or contains) this.
    Is(Field, String),
    /// The number is above, below or exactly this.
    Number(Field, Compare, f64),
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Compare {
    /// `>`.
    More,
    /// `>=`.
    AtLeast,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// No sign.
    Equal,
}

/// What values a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Attribute,
    Number,
    Seconds,
    Outcome,
    State,
    Complete,
    Finding,
    Has,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $shape:ident;)+) => {
        /// A field that can be asked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::web) enum Field { $($(#[$doc])* $variant),+ }

        impl Field {
            /// Every field, in the order of the help.
            pub(in crate::web) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that is typed.
            pub(in crate::web) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            fn shape(self) -> Shape {
                match self { $(Self::$variant => Shape::$shape),+ }
            }

            fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

fields! {
    /// The worst open outcome of its acts.
    Outcome = "outcome", Outcome;
    /// The agent's name.
    Agent = "agent", Text;
    /// An account: `account:2291` is `entity:account:2291`.
    Account = "account", Text;
    /// An entity, `type:id`.
    Entity = "entity", Text;
    /// A model that answered.
    Model = "model", Text;
    /// A tool that was called.
    Tool = "tool", Text;
    /// An idempotency key used in it.
    Key = "key", Text;
    /// A finding's code.
    Finding = "finding", Finding;
    /// What asks for a look.
    Has = "has", Has;
    /// The run id.
    Run = "run", Text;
    /// An attribute that a record was sent with, `key=value` as the page shows it.
    Attribute = "attribute", Attribute;
    /// The conversation.
    Session = "session", Text;
    /// The end user.
    User = "user", Text;
    /// The sending service.
    Service = "service", Text;
    /// The deployment environment.
    Environment = "env", Text;
    /// Running, ended or lost.
    State = "state", State;
    /// Whether the record is whole.
    Complete = "complete", Complete;
    /// How many steps.
    Steps = "steps", Number;
    /// How many attempts.
    Attempts = "attempts", Number;
    /// How many attempts beyond the first.
    Retries = "retries", Number;
    /// How many acts.
    Acts = "acts", Number;
    /// How many attempts ended in an error.
    Errors = "errors", Number;
    /// How many acts are confirmed.
    Confirmed = "confirmed", Number;
    /// How many acts failed.
    Failed = "failed", Number;
    /// How many acts are unknown.
    Unknown = "unknown", Number;
    /// How many acts are submitted.
    Submitted = "submitted", Number;
    /// How long it took, in seconds (`took:>30s`, `took:>500ms`, `took:>2m`).
    Took = "took", Seconds;
    /// Tokens in and out.
    Tokens = "tokens", Number;
    /// Cost in US dollars.
    Cost = "cost", Number;
}

/// A term that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct QueryError {
    /// What was typed.
    pub(in crate::web) typed: String,
    /// What is wrong with it, after the word: "is not a field".
    pub(in crate::web) wrong: String,
    /// The nearest thing that can be read: what to say, and the whole filter with it.
    pub(in crate::web) near: Option<(String, String)>,
}

impl Query {
    /// Reads a filter.
    pub(in crate::web) fn read(text: &str) -> Result<Self, QueryError> {
        Self::read_by(text, false)
    }

    /// Reads what texts are searched for: what has a colon and is nowhere near a field, such as `C:\temp`,
    /// `https://example.com` or `order:4812`, is text like any other.
    pub(in crate::web) fn read_texts(text: &str) -> Result<Self, QueryError> {
        Self::read_by(text, true)
    }

    fn read_by(text: &str, texts: bool) -> Result<Self, QueryError> {
        let error = |typed: &str, wrong: &str| QueryError {
            typed: typed.to_owned(),
            wrong: wrong.to_owned(),
            near: None,
        };
        if text.len() > QUERY_BYTES_MAX {
            return Err(error("This filter", &format!("is longer than {QUERY_BYTES_MAX} bytes")));
        }
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (word, after) =
                next_word(rest).ok_or_else(|| error(rest, "opens a quote that is never closed"))?;
            let read = match term(word) {
                Err(wrong) if texts && wrong.no_field => Ok(said(word)),
                read => read,
            };
            terms.push(read.map_err(|wrong| wrong.within(text, word))?);
            rest = after.trim_start();
        }
        if terms.len() > TERMS_MAX {
            return Err(error("This filter", &format!("has more than {TERMS_MAX} terms")));
        }
        Ok(Self { terms })
    }

    /// The condition that a field has this value, as if `field:value` were typed.
    pub(in crate::web) fn term_of(field: Field, value: &str) -> Result<Term, QueryError> {
        let word = format!("{}:{}", field.name(), spelt(value));
        term(&word).map_err(|wrong| wrong.within(&word, &word))
    }

    /// Whether this very condition is among the terms.
    pub(in crate::web) fn has(&self, test: &Test) -> bool {
        self.terms.iter().any(|term| !term.negated && term.test == *test)
    }

    /// The filter without this condition when it is there, else with it: what a facet links to.
    pub(in crate::web) fn toggled(&self, test: Test) -> Self {
        let mut terms = self.terms.clone();
        if self.has(&test) {
            terms.retain(|term| term.negated || term.test != test);
        } else {
            terms.push(Term { negated: false, test });
        }
        Self { terms }
    }

    /// The filter without any condition on the field, and with this one instead; `None` takes it away.
    pub(in crate::web) fn with_only(&self, field: Field, value: Option<&str>) -> Self {
        let mut terms = self.terms.clone();
        terms.retain(|term| !matches!(&term.test, Test::Is(of, _) if *of == field));
        if let Some(value) = value {
            terms.push(Term { negated: false, test: Test::Is(field, value.to_owned()) });
        }
        Self { terms }
    }
}

/// What is wrong with one word, before the whole filter is known.
struct Wrong {
    typed: String,
    wrong: String,
    instead: Option<(String, String)>,
    /// It names a field, and no field is anything like it.
    no_field: bool,
}

impl Wrong {
    fn within(self, filter: &str, word: &str) -> QueryError {
        let near = self.instead.map(|(say, instead)| (say, filter.replacen(word, &instead, 1)));
        QueryError { typed: self.typed, wrong: self.wrong, near }
    }
}

/// The next word, quotes kept whole; `None` when a quote is never closed.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            '\\' if quoted && !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ if char.is_whitespace() && !quoted => return Some(text.split_at(at)),
            _ => {}
        }
        escaped = false;
    }
    (!quoted).then_some((text, ""))
}

fn term(word: &str) -> Result<Term, Wrong> {
    let (negated, body) = match word.strip_prefix('-') {
        Some(body) if !body.is_empty() => (true, body),
        _ => (false, word),
    };
    let test = match body.split_once(':') {
        Some((name, value)) if !name.starts_with('"') => field_test(name, value, word)?,
        _ => Test::Word(unquoted(body)),
    };
    if let Test::Number(field, Compare::Equal, number) = &test
        && negated
    {
        let above = format!("{}:>{number}", field.name());
        return Err(Wrong {
            typed: word.to_owned(),
            wrong: "can't be asked: a number is above, below or equal".to_owned(),
            instead: Some((above.clone(), above)),
            no_field: false,
        });
    }
    Ok(Term { negated, test })
}

/// A word as text, whatever it looks like.
fn said(word: &str) -> Term {
    let (negated, body) = word.strip_prefix('-').map_or((false, word), |body| (true, body));
    Term { negated, test: Test::Word(unquoted(body)) }
}

fn field_test(name: &str, value: &str, word: &str) -> Result<Test, Wrong> {
    let lower = name.to_ascii_lowercase();
    let value_text = unquoted(value);
    let Some(field) = Field::from_name(&lower) else { return Err(unknown_name(name, word)) };
    if value_text.is_empty() {
        let wrong = "has no value".to_owned();
        return Err(Wrong { typed: format!("{name}:"), wrong, instead: None, no_field: false });
    }
    match field.shape() {
        Shape::Text => Ok(Test::Is(field, value_text)),
        Shape::Attribute if value_text.contains('=') => Ok(Test::Is(field, value_text)),
        Shape::Attribute => {
            Err(not_a_number(name, &value_text, "a key and its value, such as http.method=POST"))
        }
        Shape::Number => number(&value_text, 1.0)
            .map(|(compare, n)| Test::Number(field, compare, n))
            .ok_or_else(|| not_a_number(name, &value_text, "a number, such as 3, >3 or <=3")),
        Shape::Seconds => seconds(&value_text)
            .map(|(compare, n)| Test::Number(field, compare, n))
            .ok_or_else(|| not_a_number(name, &value_text, "a duration, such as >30s, >500ms or <2m")),
        Shape::Outcome | Shape::State | Shape::Complete | Shape::Finding | Shape::Has => {
            let allowed = field.words();
            let value = value_text.to_ascii_lowercase();
            if allowed.contains(&value.as_str()) {
                return Ok(Test::Is(field, value));
            }
            let near = nearest(&value, allowed.iter().copied());
            Err(Wrong {
                typed: value_text,
                wrong: format!("is not what {lower} takes"),
                instead: near.map(|near| (near.to_owned(), word.replacen(value_of(word), near, 1))),
                no_field: false,
            })
        }
    }
}

fn value_of(word: &str) -> &str {
    word.split_once(':').map_or(word, |(_, value)| value)
}

fn not_a_number(name: &str, value: &str, wanted: &str) -> Wrong {
    let wrong = format!("is not what {name} takes: {wanted}");
    Wrong { typed: value.to_owned(), wrong, instead: None, no_field: false }
}

fn unknown_name(name: &str, word: &str) -> Wrong {
    // What goes on with two slashes is an address.
    let is_address = value_of(word).starts_with("//");
    let near = nearest(&name.to_ascii_lowercase(), Field::ALL.iter().map(|field| field.name()));
    let near = near.filter(|_| !is_address);
    let instead = match near {
        Some(near) => (near.to_owned(), word.replacen(name, near, 1)),
        None => {
            let quoted = quoted(word.trim_start_matches('-'));
            (format!("{quoted} as words"), quoted)
        }
    };
    let no_field = near.is_none();
    Wrong { typed: name.to_owned(), wrong: "is not a field".to_owned(), instead: Some(instead), no_field }
}

impl Field {
    /// The words a field with a fixed set of values takes; empty for free text and numbers.
    pub(in crate::web) fn words(self) -> Vec<&'static str> {
        match self.shape() {
            Shape::Outcome => Outcome::ALL.iter().map(|outcome| outcome.word()).chain(["none"]).collect(),
            Shape::State => vec!["running", "ended", "lost"],
            Shape::Complete => vec!["yes", "no", "not_provable"],
            Shape::Finding => Code::ALL.iter().map(|code| code.word()).collect(),
            Shape::Has => {
                vec!["finding", "retry", "reconcile", "gap", "error", "resolution", "throttle"]
            }
            Shape::Text | Shape::Attribute | Shape::Number | Shape::Seconds => Vec::new(),
        }
    }
}

fn number(text: &str, unit: f64) -> Option<(Compare, f64)> {
    let (compare, digits) = if let Some(rest) = text.strip_prefix(">=") {
        (Compare::AtLeast, rest)
    } else if let Some(rest) = text.strip_prefix("<=") {
        (Compare::AtMost, rest)
    } else if let Some(rest) = text.strip_prefix('>') {
        (Compare::More, rest)
    } else if let Some(rest) = text.strip_prefix('<') {
        (Compare::Less, rest)
    } else {
        (Compare::Equal, text)
    };
    let digits = digits.trim_start_matches('$').replace(',', "");
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some((compare, number * unit))
}

fn seconds(text: &str) -> Option<(Compare, f64)> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0), ("", 1.0)];
    units.iter().find_map(|(unit, seconds)| {
        let digits = text.strip_suffix(unit)?;
        number(digits, *seconds)
    })
}

fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return text.to_owned();
    };
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Quotes a value where the filter language needs it.
fn spelt(text: &str) -> String {
    let is_plain = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"');
    if is_plain { text.to_owned() } else { quoted(text) }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, term) in self.terms.iter().enumerate() {
            let gap = if at == 0 { "" } else { " " };
            let minus = if term.negated { "-" } else { "" };
            write!(f, "{gap}{minus}{}", term.test)?;
        }
        Ok(())
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) if word.contains(':') || word.starts_with('-') => f.write_str(&quoted(word)),
            Self::Word(word) => f.write_str(&spelt(word)),
            Self::Is(field, value) => write!(f, "{}:{}", field.name(), spelt(value)),
            Self::Number(field, compare, number) => {
                let sign = match compare {
                    Compare::More => ">",
                    Compare::AtLeast => ">=",
                    Compare::Less => "<",
                    Compare::AtMost => "<=",
                    Compare::Equal => "",
                };
                write!(f, "{}:{sign}{number}", field.name())
            }
        }
    }
}

/// The word with the fewest typing slips between it and `typed`, when there are few.
fn nearest<'a>(typed: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = typed.chars().count() / 3 + 1;
    words
        .map(|word| (slips(typed, word), word))
        .filter(|(slips, _)| *slips <= allowed)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, word)| word)
}

/// Levenshtein distance over characters, one row at a time.
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (to, above) in b.iter().zip(row.iter().skip(1)) {
            let here = (diagonal + usize::from(from != *to)).min(left + 1).min(above + 1);
            diagonal = *above;
            left = here;
            next.push(here);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_read_and_write_back() {
        for (text, back) in [
            ("", ""),
            ("  kettle   lamp ", "kettle lamp"),
            ("outcome:unknown -agent:bot", "outcome:unknown -agent:bot"),
            ("Outcome:UNKNOWN", "outcome:unknown"),
            ("took:>30s tokens:>=1,000 cost:<0.05", "took:>30 tokens:>=1000 cost:<0.05"),
            ("took:>500ms took:<2m", "took:>0.5 took:<120"),
            ("has:retry -has:gap", "has:retry -has:gap"),
            ("\"cracked kettle\" agent:\"a b\"", "\"cracked kettle\" agent:\"a b\""),
            ("\"http://x\" \"say \\\"hi\\\"\"", "\"http://x\" \"say \\\"hi\\\"\""),
            ("account:2291 entity:order:4812", "account:2291 entity:order:4812"),
            ("退款 müller", "退款 müller"),
            ("-", "\"-\""),
        ] {
            let query = Query::read(text).unwrap();
            assert_eq!(query.to_string(), back, "{text}");
            assert_eq!(Query::read(&query.to_string()).unwrap(), query, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_with_the_nearest_that_can() {
        for (text, typed, wrong, near) in [
            ("outcom:unknown x", "outcom", "is not a field", Some("outcome:unknown x")),
            ("outcome:unknwn", "unknwn", "is not what outcome takes", Some("outcome:unknown")),
            (
                "finding:doubleeffect",
                "doubleeffect",
                "is not what finding takes",
                Some("finding:double-effect"),
            ),
            ("zzzz:4812", "zzzz", "is not a field", Some("\"zzzz:4812\"")),
            ("agent:", "agent:", "has no value", None),
            ("has:retries", "retries", "is not what has takes", Some("has:retry")),
            (
                "-retries:3",
                "-retries:3",
                "can't be asked: a number is above, below or equal",
                Some("retries:>3"),
            ),
            ("\"open", "\"open", "opens a quote that is never closed", None),
        ] {
            let error = Query::read(text).unwrap_err();
            assert_eq!((error.typed.as_str(), error.wrong.as_str()), (typed, wrong), "{text}");
            assert_eq!(error.near.map(|(_, whole)| whole).as_deref(), near, "{text}");
        }
        assert!(Query::read("tokens:many").unwrap_err().wrong.contains("a number"));
        assert!(Query::read("took:>fast").unwrap_err().wrong.contains("a duration"));
        assert!(Query::read(&"x".repeat(QUERY_BYTES_MAX + 1)).is_err());
        assert!(Query::read(&"x ".repeat(TERMS_MAX + 1)).is_err());
    }

    #[test]
    fn facets_edit_the_same_filter() {
        let query = Query::read("lamp outcome:unknown").unwrap();
        let agent = Test::Is(Field::Agent, "a b".to_owned());
        let more = query.toggled(agent.clone());
        assert_eq!(more.to_string(), "lamp outcome:unknown agent:\"a b\"");
        assert_eq!(more.toggled(agent), query);
        assert_eq!(query.with_only(Field::Outcome, Some("failed")).to_string(), "lamp outcome:failed");
        assert_eq!(query.with_only(Field::Outcome, None).to_string(), "lamp");
    }
}
