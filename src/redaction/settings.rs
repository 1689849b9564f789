//! What an operator may set about redaction, and why a setting can't be used.
use std::time::Duration;

/// Settings of the rules. The built-in pack is always on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether e-mail addresses are redacted too.
    pub email: bool,
    /// Further names of keys whose values are secret, such as `iban`; case, `-`, `_` and `.` do not matter.
    pub keys: Vec<String>,
    /// Further patterns.
    pub patterns: Vec<PatternRule>,
    /// How much work a field may cost.
    pub limits: Limits,
}

/// A pattern whose matches are redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternRule {
    /// Its name, shown in markers: lower-case letters, digits and hyphens.
    pub name: String,
    /// A regular expression in the syntax of the `regex` crate (linear time, no look-around).
    pub pattern: String,
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
pub enum RuleError {
    /// The name would not fit into a marker.
    #[error("redaction pattern `{0}`: a name is 1 to 40 lower-case letters, digits and hyphens")]
    Name(String),
    /// The pattern is no regular expression, or too large a one.
    #[error("redaction pattern `{name}`: {source}")]
    Pattern {
        /// The rule.
        name: String,
        /// What is wrong and where.
        source: Box<regex::Error>,
    },
    /// The pattern matches everywhere.
    #[error("redaction pattern `{0}` matches the empty text, so it would match everywhere")]
    MatchesNothing(String),
    /// The key has no letter or digit to compare.
    #[error("redaction key `{0}` has no letter or digit")]
    Key(String),
    /// Too many rules.
    #[error("{0} redaction rules are more than the {1} that may be set")]
    TooMany(usize, usize),
    /// The built-in rules themselves can't be built.
    #[error("the built-in redaction rules cannot be built: {0}")]
    Pack(String),
}
