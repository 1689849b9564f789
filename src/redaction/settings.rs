//! What an operator may set about redaction, and why a setting can't be used.
use std::time::Duration;

use crate::redaction::selector::SelectorError;

/// The packs that are on unless an operator says otherwise.
pub const PACKS_DEFAULT: &[&str] = &["secrets", "cards", "iban", "base64"];

/// Settings of the rules for one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What happens to what no rule speaks of.
    pub mode: Mode,
    /// The built-in packs that are on. `secrets` always is.
    pub packs: Vec<String>,
    /// Built-in rules that are off.
    pub off: Vec<String>,
    /// The operator's own rules, in the order in which they were written.
    pub rules: Vec<RuleSpec>,
    /// How much work a field may cost.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Deny,
            packs: PACKS_DEFAULT.iter().map(|pack| (*pack).to_owned()).collect(),
            off: Vec::new(),
            rules: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// The default with these rules.
    pub fn with_rules(rules: Vec<RuleSpec>) -> Self {
        Self { rules, ..Self::default() }
    }

    /// The default with one more pack.
    pub fn with_pack(pack: &str) -> Self {
        let mut settings = Self::default();
        settings.packs.push(pack.to_owned());
        settings
    }
}

/// What happens to what no rule speaks of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is kept.
    #[default]
    Deny,
    /// It is removed, unless one of these selectors selects it.
    Allow(Vec<String>),
}

/// A rule as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSpec {
    /// Its name, shown in marks: lower-case letters, digits and hyphens.
    pub id: String,
    /// Its version, raised by the operator with every change.
    pub version: u32,
    /// Which values it concerns; `None`: all.
    pub selector: Option<String>,
    /// What it finds in them.
    pub finds: Finds,
    /// What it does with what it finds.
    pub method: Method,
    /// Where it is written, for messages: a file and its place there.
    pub origin: String,
}

impl RuleSpec {
    /// A rule on all values that replaces what it finds.
    pub fn new(id: &str, finds: Finds) -> Self {
        Self {
            id: id.to_owned(),
            version: 1,
            selector: None,
            finds,
            method: Method::Replace(None),
            origin: String::new(),
        }
    }

    /// A rule that finds a pattern.
    pub fn pattern(id: &str, pattern: &str) -> Self {
        Self::new(id, Finds::Pattern { pattern: pattern.to_owned(), groups: Vec::new() })
    }

    /// A rule on values under these keys.
    pub fn keys(id: &str, keys: &[&str]) -> Self {
        Self::new(id, Finds::Key(keys.iter().map(|key| (*key).to_owned()).collect()))
    }

    /// The same with this method.
    #[must_use]
    pub fn does(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The same, only where the selector says.
    #[must_use]
    pub fn at(self, selector: &str) -> Self {
        Self { selector: Some(selector.to_owned()), ..self }
    }
}

/// What a rule finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finds {
    /// What a built-in rule, or every rule of a built-in pack, finds.
    Builtin(String),
    /// A regular expression in the syntax of the `regex` crate (linear time, no look-around).
    Pattern {
        /// The expression.
        pattern: String,
        /// The groups that are redacted; none: the whole match.
        groups: Vec<usize>,
    },
    /// Values under keys of these names, however they are spelt.
    Key(Vec<String>),
    /// Everything that the selector selects.
    Anything,
}

/// What a rule does with what it finds. In a field that identifies (run, step, key, target, entity, user, …)
/// the value becomes a keyed pseudonym whatever the method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// Nothing is left; of an attribute, neither key nor value.
    Remove,
    /// Letters and digits become `*`, but for so many at the end (at most 4).
    Mask(usize),
    /// A mark with the rule's name, or this text.
    Replace(Option<String>),
    /// A keyed pseudonym: the same value always has the same.
    Hash,
    /// Encrypted under the project's key; the same value always gives the same text.
    Encrypt,
}

impl Method {
    /// Its word in settings and on pages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Mask(_) => "mask",
            Self::Replace(_) => "replace",
            Self::Hash => "hash",
            Self::Encrypt => "encrypt",
        }
    }
}

/// Limits on one field. A field that goes beyond is withheld whole, never let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Length in bytes.
    pub field_bytes_max: usize,
    /// Number of matches.
    pub field_hits_max: u32,
    /// Time.
    pub field_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            field_bytes_max: 64 * 1024 * 1024,
            field_hits_max: 100_000,
            field_time_max: Duration::from_secs(5),
        }
    }
}

/// A rule that can't be used. The redactor is not built: a missing rule would let something through.
#[derive(Debug, thiserror::Error)]
#[error("redaction rule {}: {wrong}", named(id, origin))]
pub struct RuleError {
    /// The rule, or the setting.
    pub id: String,
    /// Where it is written.
    pub origin: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

fn named(id: &str, origin: &str) -> String {
    if origin.is_empty() { format!("`{id}`") } else { format!("`{id}` ({origin})") }
}

/// What is wrong with a rule.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// The name would not fit into a mark.
    #[error("an id is 1 to 40 lower-case letters, digits and hyphens")]
    Id,
    /// Two rules have this name.
    #[error("another rule has this id; ids are unique, built-in ones included")]
    Taken,
    /// The pattern is no regular expression, or too large a one.
    #[error("the pattern can't be used: {0}")]
    Pattern(Box<regex::Error>),
    /// The pattern is too long.
    #[error("the pattern has {0} characters, more than {1}")]
    Long(usize, usize),
    /// The pattern matches everywhere.
    #[error("the pattern matches the empty text, so it would match everywhere")]
    MatchesNothing,
    /// There is no such group.
    #[error("the pattern has no group {0}")]
    Group(usize),
    /// The selector can't be read.
    #[error("the selector can't be read: {0}")]
    Selector(SelectorError),
    /// The key has no letter or digit to compare.
    #[error("key `{0}` has no letter or digit")]
    Key(String),
    /// No such built-in rule or pack.
    #[error("there is no built-in rule or pack `{0}`; there are: {1}")]
    Unknown(String, String),
    /// `anything` everywhere would leave nothing.
    #[error("`anything` needs a selector that says where")]
    Everywhere,
    /// Masks show at most four characters.
    #[error("a mask shows at most 4 characters, not {0}")]
    Shows(usize),
    /// Too many of something.
    #[error("{0} {2} are more than the {1} that may be set")]
    TooMany(usize, usize, &'static str),
    /// The built-in rules themselves can't be built.
    #[error("the built-in rules can't be built: {0}")]
    Pack(String),
}
