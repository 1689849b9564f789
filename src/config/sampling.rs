//! `[sampling]` of recount.toml: which share of runs keeps its reads.
use serde::Deserialize;

use crate::config::error::ConfigError;

/// `[sampling]`, general or of one project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SamplingTable {
    /// From 0 to 1; acts are always kept.
    pub(super) reads: Option<f64>,
}

impl SamplingTable {
    /// The share, when one is written.
    pub(super) fn rate(&self) -> Result<Option<f64>, ConfigError> {
        match self.reads {
            Some(rate) if !(0.0..=1.0).contains(&rate) => Err(ConfigError::Value {
                setting: "sampling.reads",
                value: rate.to_string(),
                reason: "it is the share of runs whose reads are kept, from 0 to 1".to_owned(),
            }),
            rate => Ok(rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_between_nothing_and_all() {
        let rate = |text: &str| toml::from_str::<SamplingTable>(text).unwrap().rate();
        assert_eq!(rate("reads = 0.25").unwrap(), Some(0.25));
        assert_eq!(rate("").unwrap(), None);
        assert!(rate("reads = 1.5").unwrap_err().to_string().contains("sampling.reads"));
        assert!(rate("reads = nan").is_err());
    }
}
