//! `[quota]` of recount.toml: how much a key may send in a minute.
use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::ingest::Quota;

/// `[quota]`, general or of one project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuotaTable {
    /// Spans and log records.
    pub(super) spans_per_minute: Option<u64>,
    /// Bytes, decompressed.
    pub(super) bytes_per_minute: Option<u64>,
}

impl QuotaTable {
    /// The quota, over the one for all.
    pub(super) fn over(&self, general: Quota) -> Result<Quota, ConfigError> {
        for (setting, given) in [
            ("quota.spans_per_minute", self.spans_per_minute),
            ("quota.bytes_per_minute", self.bytes_per_minute),
        ] {
            if given == Some(0) {
                return Err(ConfigError::Value {
                    setting,
                    value: "0".to_owned(),
                    reason: "nothing could be sent; leave it out for any amount".to_owned(),
                });
            }
        }
        Ok(Quota {
            spans_per_minute: self.spans_per_minute.or(general.spans_per_minute),
            bytes_per_minute: self.bytes_per_minute.or(general.bytes_per_minute),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_quota_stands_over_that_of_all() {
        let read = |text: &str| toml::from_str::<QuotaTable>(text).unwrap();
        let general = read("spans_per_minute = 600").over(Quota::default()).unwrap();
        let own = read("bytes_per_minute = 1000").over(general).unwrap();
        assert_eq!((own.spans_per_minute, own.bytes_per_minute), (Some(600), Some(1000)));
        let error = read("spans_per_minute = 0").over(general).unwrap_err().to_string();
        assert!(error.contains("quota.spans_per_minute") && error.contains("leave it out"), "{error}");
    }
}
