//! `[[alerts]]` of recount.toml: what is counted, and above how many somebody is told.
use std::time::Duration;

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::config::span::span_ns;
use crate::notices::{Endpoint, Rule};

/// Over which time something is counted when nobody says.
const HOUR: Duration = Duration::from_secs(3600);

/// One rule.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlertTable {
    name: Option<String>,
    when: String,
    code: Option<String>,
    within: Option<String>,
    #[serde(default)]
    more_than: u64,
    #[serde(default)]
    to: Vec<String>,
}

/// Checks all rules; `webhooks` are those that they may name.
pub(super) fn alerts(tables: Vec<AlertTable>, webhooks: &[Endpoint]) -> Result<Vec<Rule>, ConfigError> {
    let mut rules: Vec<Rule> = Vec::new();
    for (place, table) in tables.into_iter().enumerate() {
        let refused = |reason: String| ConfigError::Value {
            setting: "alerts",
            value: format!("number {}", place + 1),
            reason,
        };
        let rule = table.rule().map_err(refused)?;
        if rules.iter().any(|known| known.name() == rule.name()) {
            return Err(refused(format!("there is another rule called `{}`; give it a `name`", rule.name())));
        }
        let stranger = rule.to().iter().find(|to| webhooks.iter().all(|hook| hook.name() != **to));
        if let Some(to) = stranger {
            return Err(refused(format!("`to`: there is no webhook with `name = \"{to}\"`")));
        }
        rules.push(rule);
    }
    Ok(rules)
}

impl AlertTable {
    fn rule(self) -> Result<Rule, String> {
        let within = match &self.within {
            None => HOUR,
            Some(text) => span_ns(text)
                .map(Duration::from_nanos)
                .ok_or_else(|| "write within as 90s, 15m, 24h or 30d".to_owned())?,
        };
        let what = (self.when.as_str(), self.code.as_deref());
        Rule::new(self.name.as_deref(), what, (within, self.more_than), self.to)
            .map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Whole {
        alerts: Vec<AlertTable>,
    }

    fn read(text: &str) -> Result<Vec<Rule>, String> {
        alerts(toml::from_str::<Whole>(text).unwrap().alerts, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn rules_are_read_and_what_cannot_be_is_named() {
        let rules = read(
            "[[alerts]]\nwhen = \"unknown\"\nwithin = \"4h\"\n[[alerts]]\nwhen = \"refused\"\nmore_than = 9",
        )
        .unwrap();
        assert_eq!(rules[0].sentence(), "more than 0 acts unknown for longer than 4 h");
        assert_eq!(
            (rules[1].name(), rules[1].sentence().as_str()),
            ("refused", "more than 9 refusals within 1 h")
        );
        for (text, named) in [
            ("when = \"sometimes\"", "`when`"),
            ("when = \"refused\"\nwithin = \"soon\"", "within"),
            ("when = \"finding\"", "`code`"),
            ("when = \"refused\"\nto = [\"ops\"]", "no webhook with `name = \"ops\"`"),
            ("when = \"refused\"\n[[alerts]]\nwhen = \"refused\"", "another rule called `refused`"),
        ] {
            let error = read(&format!("[[alerts]]\n{text}")).unwrap_err();
            assert!(error.contains(named) && error.contains("alerts"), "{error}");
        }
    }
}
