//! A rule: what it counts, over which time, and above how many it holds.
use std::time::Duration;

use crate::domain::counting::counted;
use crate::domain::finding::Code;

/// Why a rule can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A kind of rule that does not exist.
    #[error(
        "`when` can't be `{0}`: it is unknown, key_ends, double_effect, finding, retries, refused or \
         dropped"
    )]
    When(String),
    /// A rule about findings without a code, or with one that does not exist.
    #[error("`code` takes the code of a finding, such as double-effect; /about/findings lists them")]
    Code,
    /// A code on a rule that is not about findings.
    #[error("`code` goes with when = \"finding\" only")]
    NoCode,
    /// A name that can't be one.
    #[error("`name` takes 1 to 80 characters, none of them a control character")]
    Name,
}

/// What a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::notices) enum When {
    /// Acts unknown for longer than `within`.
    Unknown,
    /// Unknown acts whose key the provider forgets within `within`.
    KeyEnds,
    /// Findings of this code in runs listed in the last `within`.
    Finding(Code),
    /// Retries of runs that began in the last `within`.
    Retries,
    /// What was refused in the last `within`.
    Refused,
}

/// A rule, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub(in crate::notices) name: String,
    pub(in crate::notices) when: When,
    pub(in crate::notices) within: Duration,
    pub(in crate::notices) more_than: u64,
    pub(in crate::notices) to: Vec<String>,
}

impl Rule {
    /// Checks a rule. Without a name it is called by what it counts; all webhooks hear of it unless `to`
    /// names some.
    ///
    /// # Errors
    /// [`RuleError`], each one sentence that names the field and the remedy.
    pub fn new(
        name: Option<&str>,
        (when, code): (&str, Option<&str>),
        (within, more_than): (Duration, u64),
        to: Vec<String>,
    ) -> Result<Self, RuleError> {
        let kind = match (when, code) {
            ("finding", code) => When::Finding(code.and_then(Code::from_word).ok_or(RuleError::Code)?),
            (_, Some(_)) => return Err(RuleError::NoCode),
            ("unknown", None) => When::Unknown,
            ("key_ends", None) => When::KeyEnds,
            ("double_effect", None) => When::Finding(Code::DoubleEffect),
            ("dropped", None) => When::Finding(Code::DroppedByClient),
            ("retries", None) => When::Retries,
            ("refused", None) => When::Refused,
            (other, None) => return Err(RuleError::When(other.chars().take(40).collect())),
        };
        let name = name.unwrap_or(when);
        if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
            return Err(RuleError::Name);
        }
        Ok(Self { name: name.to_owned(), when: kind, within, more_than, to })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The webhooks that hear of it; empty for all.
    pub fn to(&self) -> &[String] {
        &self.to
    }

    /// What it says, in a sentence without a full stop.
    pub fn sentence(&self) -> String {
        let (more, within) = (self.more_than, words(self.within));
        match self.when {
            When::Unknown => {
                format!("more than {} unknown for longer than {within}", counted(more, "act", "acts"))
            }
            When::KeyEnds => format!(
                "more than {} whose key ends within {within}",
                counted(more, "unknown act", "unknown acts")
            ),
            When::Finding(code) => {
                let findings = counted(more, "finding", "findings");
                format!("more than {findings} {} within {within}", code.word())
            }
            When::Retries => format!("more than {} within {within}", counted(more, "retry", "retries")),
            When::Refused => format!("more than {} within {within}", counted(more, "refusal", "refusals")),
        }
    }
}

/// A duration in its largest whole unit.
pub(in crate::notices) fn words(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let unit = units.into_iter().find(|(unit, _)| seconds >= *unit && seconds.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{seconds} s"), |(unit, word)| format!("{} {word}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: Option<&str>, when: &str, code: Option<&str>) -> Result<String, RuleError> {
        Rule::new(name, (when, code), (Duration::from_secs(5_400), 3), Vec::new()).map(|rule| rule.sentence())
    }

    #[test]
    fn rules_say_what_they_count() {
        for (when, code, said) in [
            ("unknown", None, "more than 3 acts unknown for longer than 90 min"),
            ("key_ends", None, "more than 3 unknown acts whose key ends within 90 min"),
            ("double_effect", None, "more than 3 findings double-effect within 90 min"),
            ("dropped", None, "more than 3 findings dropped-by-client within 90 min"),
            ("finding", Some("no-key"), "more than 3 findings no-key within 90 min"),
            ("retries", None, "more than 3 retries within 90 min"),
            ("refused", None, "more than 3 refusals within 90 min"),
        ] {
            assert_eq!(made(None, when, code).as_deref(), Ok(said));
        }
        assert_eq!(words(Duration::from_secs(7_201)), "7201 s");
        assert_eq!(words(Duration::from_secs(172_800)), "2 d");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        assert_eq!(made(None, "sometimes", None), Err(RuleError::When("sometimes".to_owned())));
        assert_eq!(made(None, "finding", None), Err(RuleError::Code));
        assert_eq!(made(None, "finding", Some("nonsense")), Err(RuleError::Code));
        assert_eq!(made(None, "refused", Some("no-key")), Err(RuleError::NoCode));
        assert_eq!(made(Some("a\nb"), "refused", None), Err(RuleError::Name));
    }
}
