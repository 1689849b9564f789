//! `[tools.<name>]` of recount.toml: what the operator says of tools, as written.
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::config::span::span_ns;
use crate::conventions::{ToolRule, ToolRules};
use crate::domain::kind::Kind;
use crate::domain::policy::OnUnknown;

/// One tool's table; the design's section 5 shows an example.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolTable {
    kind: Option<String>,
    target: Option<String>,
    #[serde(default)]
    entities: BTreeMap<String, String>,
    value: Option<String>,
    key_ttl: Option<String>,
    #[serde(default)]
    read_back: bool,
    phrase: Option<String>,
    escalate_over: Option<f64>,
    second_person_over: Option<f64>,
    on_unknown: Option<String>,
}

/// Checks all tables. Of several rules that match a tool, the one with the longest name without `*` is used.
pub(super) fn tool_rules(tables: BTreeMap<String, ToolTable>) -> Result<ToolRules, ConfigError> {
    let mut rules =
        tables.into_iter().map(|(tool, table)| table.rule(tool)).collect::<Result<Vec<_>, _>>()?;
    rules.sort_by_key(|rule| (rule.tool.contains('*'), std::cmp::Reverse(rule.tool.len())));
    ToolRules::new(rules).map_err(|error| ConfigError::Value {
        setting: "tools",
        value: String::new(),
        reason: error.to_string(),
    })
}

impl ToolTable {
    fn rule(self, tool: String) -> Result<ToolRule, ConfigError> {
        let kind = match self.kind {
            Some(word) => Some(tool_kind(&tool, word)?),
            None => None,
        };
        let on_unknown = match self.on_unknown {
            Some(word) => Some(OnUnknown::from_word(&word).ok_or_else(|| {
                refused("tools.on_unknown", &tool, word, "it is `reconcile`, `replay` or `escalate`")
            })?),
            None => None,
        };
        let key_ttl_ns =
            match self.key_ttl {
                Some(text) => Some(span_ns(&text).ok_or_else(|| {
                    refused("tools.key_ttl", &tool, text, "write it as 90s, 15m, 24h or 30d")
                })?),
                None => None,
            };
        Ok(ToolRule {
            tool,
            kind,
            target: self.target,
            entities: self.entities.into_iter().collect(),
            value: self.value,
            key_ttl_ns,
            read_back: self.read_back,
            phrase: self.phrase,
            escalate_over: self.escalate_over,
            second_person_over: self.second_person_over,
            on_unknown,
        })
    }
}

fn tool_kind(tool: &str, word: String) -> Result<Kind, ConfigError> {
    match Kind::from_word(&word) {
        Some(kind @ (Kind::Act | Kind::Read | Kind::Reconcile | Kind::Wait)) => Ok(kind),
        Some(Kind::Think | Kind::Agent | Kind::Transport | Kind::Other) | None => {
            Err(refused("tools.kind", tool, word, "it is `act`, `read`, `reconcile` or `wait`"))
        }
    }
}

fn refused(setting: &'static str, tool: &str, value: String, reason: &str) -> ConfigError {
    ConfigError::Value { setting, value, reason: format!("{reason} (in [tools.{tool}])") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Result<ToolRules, ConfigError> {
        tool_rules(toml::from_str(text).unwrap())
    }

    #[test]
    fn the_most_exact_rule_wins() {
        let rules = rules(
            "[\"*\"]\nkind = \"read\"\n[\"issue_*\"]\nkind = \"act\"\n[issue_refund]\nkey_ttl = \"24h\"",
        );
        let rules = rules.unwrap();
        assert_eq!(rules.for_tool("issue_refund").unwrap().key_ttl_ns, Some(86_400_000_000_000));
        assert_eq!(rules.for_tool("issue_credit").unwrap().kind, Some(Kind::Act));
        assert_eq!(rules.for_tool("look").unwrap().kind, Some(Kind::Read));
    }

    #[test]
    fn a_wrong_value_is_named_with_its_tool() {
        for (text, named) in [
            ("[a]\nkind = \"think\"", "tools.kind"),
            ("[a]\nkey_ttl = \"soon\"", "tools.key_ttl"),
            ("[a]\non_unknown = \"pray\"", "tools.on_unknown"),
            ("[a]\ntarget = \"order:{$.id\"", "brace"),
        ] {
            let error = rules(text).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains('a'), "{error}");
        }
    }
}
