//! `[[webhooks]]` of recount.toml: who is told of unknowns and alerts.
use std::time::Duration;

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::config::span::span_ns;
use crate::notices::Endpoint;

/// How long something is unknown before that is told, and how long before its key ends.
const HOUR: Duration = Duration::from_secs(3600);

/// One webhook.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookTable {
    name: Option<String>,
    shape: Option<String>,
    url: String,
    secret: String,
    #[serde(default)]
    events: Vec<String>,
    aged_after: Option<String>,
    key_ends_within: Option<String>,
    #[serde(default)]
    allow_private: bool,
}

/// Without its secret.
impl std::fmt::Debug for WebhookTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookTable").field("events", &self.events).finish_non_exhaustive()
    }
}

/// Checks all webhooks.
pub(super) fn webhooks(tables: Vec<WebhookTable>) -> Result<Vec<Endpoint>, ConfigError> {
    tables.into_iter().enumerate().map(|(place, table)| table.endpoint(place + 1)).collect()
}

impl WebhookTable {
    fn endpoint(self, number: usize) -> Result<Endpoint, ConfigError> {
        let refused = |reason: String| ConfigError::Value {
            setting: "webhooks",
            value: format!("number {number}"),
            reason,
        };
        let time = |text: Option<String>, name: &str| match text {
            None => Ok(HOUR),
            Some(text) => span_ns(&text)
                .map(Duration::from_nanos)
                .ok_or_else(|| refused(format!("write {name} as 90s, 15m, 24h or 30d"))),
        };
        let limits = (time(self.aged_after, "aged_after")?, time(self.key_ends_within, "key_ends_within")?);
        Endpoint::new(&self.url, &self.secret, &self.events, limits, self.allow_private)
            .and_then(|made| made.called(self.name.as_deref(), self.shape.as_deref()))
            .map_err(|error| refused(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Whole {
        webhooks: Vec<WebhookTable>,
    }

    #[test]
    fn a_webhook_that_cannot_be_used_is_named_without_its_secret() {
        let read = |text: &str| webhooks(toml::from_str::<Whole>(text).unwrap().webhooks);
        let fine = "[[webhooks]]\nurl = \"https://ops.example/x\"\nsecret = \"0123456789abcdef\"\n";
        assert_eq!(read(fine).unwrap().len(), 1);
        for (more, named) in [
            ("events = [\"x\"]", "there is no `x`"),
            ("aged_after = \"soon\"", "aged_after"),
            ("shape = \"teams\"", "json or slack"),
        ] {
            let error = read(&format!("{fine}{more}")).unwrap_err().to_string();
            assert!(
                error.contains(named) && error.contains("number 1") && !error.contains("0123"),
                "{error}"
            );
        }
    }
}
