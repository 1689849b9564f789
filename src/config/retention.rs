//! `[retention]` of recount.toml: how long each class is kept.
use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::store::rows::{ACTS_DAYS_MIN, DAYS_MAX, Retention};

/// `[retention]`, general or of one project: each a whole number of days (`400d`) or years (`7y`).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetentionTable {
    pub(super) acts: Option<String>,
    pub(super) reads: Option<String>,
    pub(super) contents: Option<String>,
    pub(super) activity: Option<String>,
}

impl RetentionTable {
    /// What is written here over the retention so far. Bodies follow the longest of the records unless told.
    pub(super) fn over(&self, so_far: Retention) -> Result<Retention, ConfigError> {
        let days = |setting, text: &Option<String>, least, default| match text {
            None => Ok(default),
            Some(text) => days(text).filter(|days| (least..=DAYS_MAX).contains(days)).ok_or_else(|| {
                ConfigError::Value {
                    setting,
                    value: text.clone(),
                    reason: format!(
                        "write whole days or years, such as 400d or 7y, from {least}d to {DAYS_MAX}d"
                    ),
                }
            }),
        };
        let acts_days = days("retention.acts", &self.acts, ACTS_DAYS_MIN, so_far.acts_days)?;
        let reads_days = days("retention.reads", &self.reads, 1, so_far.reads_days)?;
        let longest = if self.acts.is_none() && self.reads.is_none() {
            so_far.contents_days
        } else {
            acts_days.max(reads_days)
        };
        Ok(Retention {
            acts_days,
            reads_days,
            contents_days: days("retention.contents", &self.contents, 1, longest)?,
            activity_days: days("retention.activity", &self.activity, ACTS_DAYS_MIN, so_far.activity_days)?,
        })
    }
}

fn days(text: &str) -> Option<u16> {
    let (digits, each) = match text.strip_suffix('d') {
        Some(digits) => (digits, 1),
        None => (text.strip_suffix('y')?, 365),
    };
    digits.parse::<u16>().ok()?.checked_mul(each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str) -> Result<Retention, ConfigError> {
        toml::from_str::<RetentionTable>(text).unwrap().over(Retention::default())
    }

    #[test]
    fn classes_have_their_own_days_and_acts_never_less_than_six_months() {
        let kept = over("acts = \"2y\"\nreads = \"30d\"").unwrap();
        assert_eq!((kept.acts_days, kept.reads_days, kept.contents_days), (730, 30, 730));
        assert_eq!(over("contents = \"30d\"").unwrap().contents_days, 30);
        assert_eq!(over("").unwrap(), Retention::default());
        for (text, named) in [
            ("acts = \"182d\"", "retention.acts can't be \"182d\""),
            ("activity = \"90d\"", "from 183d"),
            ("reads = \"0d\"", "retention.reads"),
            ("reads = \"soon\"", "whole days or years"),
            ("contents = \"200y\"", "36500d"),
        ] {
            let error = over(text).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
