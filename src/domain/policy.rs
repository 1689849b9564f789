//! What is to be done about an act whose outcome is unknown, as pure functions of settings and time.
use crate::domain::outcome::Outcome;

/// What to do with an unknown outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnUnknown {
    /// Ask the downstream system.
    #[default]
    Reconcile,
    /// Send again under the same key, while the provider keeps it.
    Replay,
    /// Ask a person.
    Escalate,
}

impl OnUnknown {
    /// The word of the configuration, the API and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reconcile => "reconcile",
            Self::Replay => "replay",
            Self::Escalate => "escalate",
        }
    }

    /// Reads the word back. `retry` is the former word for `replay`.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "reconcile" => Some(Self::Reconcile),
            "replay" | "retry" => Some(Self::Replay),
            "escalate" => Some(Self::Escalate),
            _ => None,
        }
    }
}

/// What the operator's settings say about unknown outcomes of one tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolPolicy {
    /// What to do with them.
    pub on_unknown: OnUnknown,
    /// Amounts above this are for people only.
    pub escalate_over: Option<f64>,
    /// Amounts above this are closed by two people.
    pub second_person_over: Option<f64>,
    /// How long the provider keeps a key, nanoseconds, where attempts do not say it.
    pub key_ttl_ns: Option<u64>,
}

impl ToolPolicy {
    /// Whether only a person may close a case of this value: over the limit, or where the tool's unknowns are
    /// escalated. An amount that can't be read is not below any limit.
    pub fn people_only(&self, value: Option<&str>) -> bool {
        self.on_unknown == OnUnknown::Escalate || over(self.escalate_over, value)
    }

    /// Whether a second person must agree before a case of this value is closed.
    pub fn second_person(&self, value: Option<&str>) -> bool {
        over(self.second_person_over, value)
    }

    /// Until when the provider keeps the key: as an attempt says it, else as long after the first sending as
    /// the settings say.
    pub fn key_ends_ns(&self, told_ns: Option<u64>, first_sent_ns: u64) -> Option<u64> {
        told_ns.or_else(|| first_sent_ns.checked_add(self.key_ttl_ns?))
    }
}

fn over(limit: Option<f64>, value: Option<&str>) -> bool {
    let Some(limit) = limit else { return false };
    // Where a limit is set and there is something at stake that nobody can count, people decide.
    value.is_some_and(|value| Money::parse(value).is_none_or(|money| money.amount > limit))
}

/// Whether sending again under the same key can't make a second effect now: `None` where nobody said how long
/// the provider keeps it.
pub fn replay_safe(has_key: bool, key_ends_ns: Option<u64>, outcome: Outcome, now_ns: u64) -> Option<bool> {
    if !has_key {
        // Nothing was done: sending is no repeat.
        return Some(outcome == Outcome::Failed);
    }
    key_ends_ns.map(|ends| now_ns < ends || outcome == Outcome::Failed)
}

/// An amount with its currency, as read from a value's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Money {
    /// The number.
    pub amount: f64,
    /// `EUR`; empty when the text has none.
    pub currency: String,
}

impl Money {
    /// Reads `40.00 EUR`, `EUR 40`, `40`; `None` for a text without a number of its own.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (number, currency) = match words.as_slice() {
            [one] => (*one, ""),
            [one, other] if one.parse::<f64>().is_ok() => (*one, *other),
            [one, other] => (*other, *one),
            _ => return None,
        };
        let amount: f64 = number.parse().ok().filter(|amount: &f64| amount.is_finite())?;
        let is_currency = currency.len() <= 8 && currency.chars().all(char::is_alphabetic);
        is_currency.then(|| Self { amount, currency: currency.to_ascii_uppercase() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_their_currency() {
        for (text, expected) in [
            ("40.00 EUR", Some((40.0, "EUR"))),
            ("eur 40", Some((40.0, "EUR"))),
            ("12", Some((12.0, ""))),
            ("shipped", None),
            ("inf EUR", None),
            ("NaN", None),
            ("1 2 3", None),
            ("", None),
        ] {
            let found = Money::parse(text);
            let found = found.as_ref().map(|money| (money.amount, money.currency.as_str()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn over_the_limit_people_decide() {
        let policy = ToolPolicy {
            escalate_over: Some(100.0),
            second_person_over: Some(1000.0),
            ..ToolPolicy::default()
        };
        for (value, people, second) in [
            (Some("100 EUR"), false, false),
            (Some("100.01 EUR"), true, false),
            (Some("2400.00 EUR"), true, true),
            (Some("a lot"), true, true),
            (None, false, false),
        ] {
            assert_eq!(
                (policy.people_only(value), policy.second_person(value)),
                (people, second),
                "{value:?}"
            );
        }
        assert!(ToolPolicy { on_unknown: OnUnknown::Escalate, ..ToolPolicy::default() }.people_only(None));
    }

    #[test]
    fn a_replay_is_safe_while_the_provider_keeps_the_key() {
        let policy = ToolPolicy { key_ttl_ns: Some(100), ..ToolPolicy::default() };
        assert_eq!(policy.key_ends_ns(Some(7), 50), Some(7));
        assert_eq!(policy.key_ends_ns(None, 50), Some(150));
        assert_eq!(policy.key_ends_ns(None, u64::MAX), None);
        let safe = |key, ends, now| replay_safe(key, ends, Outcome::Unknown, now);
        assert_eq!(safe(true, Some(150), 149), Some(true));
        assert_eq!(safe(true, Some(150), 150), Some(false));
        assert_eq!(safe(true, None, 0), None, "nobody told");
        assert_eq!(safe(false, Some(150), 0), Some(false), "without a key every sending may act again");
        assert_eq!(replay_safe(false, None, Outcome::Failed, 0), Some(true));
    }
}
