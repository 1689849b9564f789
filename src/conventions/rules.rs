//! What the operator says about tools: kind, target, entities and the rest, applied after the dialects.
use thiserror::Error;

use crate::conventions::fill;
use crate::domain::entity::Entity;
use crate::domain::kind::Kind;
use crate::domain::policy::{OnUnknown, ToolPolicy};
use crate::domain::step::Facts;

/// A rule for the tools whose name matches, as configuration gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolRule {
    /// The tool's name; `*` stands for any text.
    pub tool: String,
    /// Its kind; `None` leaves it to conventions and the verb.
    pub kind: Option<Kind>,
    /// What the act is on, such as `order:{$.order_id}`.
    pub target: Option<String>,
    /// Entities: type, and the path of its id, such as `account` and `$.customer_id`.
    pub entities: Vec<(String, String)>,
    /// The amount at stake, such as `$.amount $.currency`.
    pub value: Option<String>,
    /// How long the provider keeps an idempotency key, nanoseconds, from the attempt's start.
    pub key_ttl_ns: Option<u64>,
    /// Whether it counts as confirmed only once it was read back.
    pub read_back: bool,
    /// How it is told to people, such as `Refunded {amount} {currency} for order {target}`.
    pub phrase: Option<String>,
    /// Amounts above this go to a person.
    pub escalate_over: Option<f64>,
    /// Amounts above this are closed by two people.
    pub second_person_over: Option<f64>,
    /// What to do with an unknown outcome.
    pub on_unknown: Option<OnUnknown>,
}

/// Why a rule can't be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// A path that is none.
    #[error("tools.{tool}: `{path}` is no path; write it as $.field, $.list[0] or $.a.b")]
    Path {
        /// The rule's tool.
        tool: String,
        /// The text.
        path: String,
    },
    /// A template whose brace is not closed.
    #[error("tools.{tool}: `{template}` has a brace that is not closed")]
    Brace {
        /// The rule's tool.
        tool: String,
        /// The text.
        template: String,
    },
    /// A target or entity without a type.
    #[error("tools.{tool}: `{text}` has no type; write it as type:id, such as order:{{$.order_id}}")]
    Type {
        /// The rule's tool.
        tool: String,
        /// The text.
        text: String,
    },
}

/// The operator's rules; the first that matches a tool's name is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolRules(Vec<ReadyRule>);

#[derive(Debug, Clone, PartialEq)]
struct ReadyRule {
    rule: ToolRule,
    target: Option<Vec<Part>>,
    entities: Vec<(String, Path)>,
    value: Option<Vec<Part>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    At(Path),
}

type Path = Vec<String>;

impl ToolRules {
    /// Checks the rules.
    ///
    /// # Errors
    /// The first path, template or type that can't be read.
    pub fn new(rules: Vec<ToolRule>) -> Result<Self, RuleError> {
        rules.into_iter().map(ready).collect::<Result<_, _>>().map(Self)
    }

    /// The rule for a tool.
    pub fn for_tool(&self, tool: &str) -> Option<&ToolRule> {
        self.find(tool).map(|ready| &ready.rule)
    }

    /// What the rules say about unknown outcomes of a tool; without a rule, what holds for any.
    pub fn policy(&self, tool: &str) -> ToolPolicy {
        self.for_tool(tool).map_or_else(ToolPolicy::default, |rule| ToolPolicy {
            on_unknown: rule.on_unknown.unwrap_or_default(),
            escalate_over: rule.escalate_over,
            second_person_over: rule.second_person_over,
            key_ttl_ns: rule.key_ttl_ns,
        })
    }

    fn find(&self, tool: &str) -> Option<&ReadyRule> {
        self.0.iter().find(|ready| matches(&ready.rule.tool, tool))
    }

    /// The kind that a rule gives a tool.
    pub(in crate::conventions) fn kind(&self, tool: Option<&str>) -> Option<Kind> {
        self.find(tool?)?.rule.kind
    }

    /// Adds to a tool step what its rule says; what the record said itself stays.
    pub(in crate::conventions) fn apply(&self, facts: &mut Facts, arguments: Option<&str>) {
        let Some(ready) = facts.tool.as_deref().and_then(|tool| self.find(tool)) else { return };
        let arguments = arguments.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        let written = |template: &Option<Vec<Part>>| write(template.as_ref()?, arguments.as_ref()?);
        facts.target = facts.target.take().or_else(|| written(&ready.target));
        facts.value = facts.value.take().or_else(|| written(&ready.value));
        for (kind, path) in &ready.entities {
            if let Some(id) = arguments.as_ref().and_then(|arguments| at(arguments, path)) {
                fill::add_entity(facts, Entity { kind: kind.clone(), id });
            }
        }
        facts.read_back_required |= ready.rule.read_back;
        let ends = ready.rule.key_ttl_ns.and_then(|ttl| facts.started_ns.checked_add(ttl));
        if facts.key.is_some() {
            facts.key_expires_ns = facts.key_expires_ns.or(ends);
        }
    }
}

fn ready(rule: ToolRule) -> Result<ReadyRule, RuleError> {
    let tool = rule.tool.clone();
    let parsed =
        |template: &Option<String>| template.as_deref().map(|text| template_of(text, &tool)).transpose();
    let (target, value) = (parsed(&rule.target)?, parsed(&rule.value)?);
    if let Some(text) = rule.target.as_ref().filter(|text| Entity::parse(text).is_none()) {
        return Err(RuleError::Type { tool, text: text.clone() });
    }
    let mut entities = Vec::with_capacity(rule.entities.len());
    for (kind, path) in &rule.entities {
        if kind.is_empty() || kind.contains(':') {
            return Err(RuleError::Type { tool, text: kind.clone() });
        }
        entities.push((kind.to_ascii_lowercase(), path_of(path, &tool)?));
    }
    Ok(ReadyRule { rule, target, entities, value })
}

/// Texts with paths in braces (`order:{$.id}`) or standing bare (`$.amount $.currency`).
fn template_of(template: &str, tool: &str) -> Result<Vec<Part>, RuleError> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find(['{', '$']) {
        let (before, from) = rest.split_at(start);
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let (path, after) = match from.strip_prefix('{') {
            Some(inner) => inner
                .split_once('}')
                .ok_or_else(|| RuleError::Brace { tool: tool.to_owned(), template: template.to_owned() })?,
            None => from.split_at(from.find(char::is_whitespace).unwrap_or(from.len())),
        };
        parts.push(Part::At(path_of(path, tool)?));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

/// `$.a.b[0].c` as its segments.
fn path_of(text: &str, tool: &str) -> Result<Path, RuleError> {
    let wrong = || RuleError::Path { tool: tool.to_owned(), path: text.to_owned() };
    let rest = text.trim().strip_prefix('$').ok_or_else(wrong)?;
    let mut path = Vec::new();
    for field in rest.split('.').skip(1) {
        let mut parts = field.split('[');
        let name = parts.next().unwrap_or_default();
        if name.is_empty() {
            return Err(wrong());
        }
        path.push(name.to_owned());
        for index in parts {
            let index =
                index.strip_suffix(']').filter(|index| index.parse::<u32>().is_ok()).ok_or_else(wrong)?;
            path.push(index.to_owned());
        }
    }
    if path.is_empty() { Err(wrong()) } else { Ok(path) }
}

fn write(parts: &[Part], arguments: &serde_json::Value) -> Option<String> {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::At(path) => out.push_str(&at(arguments, path)?),
        }
    }
    Some(out)
}

fn at(arguments: &serde_json::Value, path: &Path) -> Option<String> {
    let mut value = arguments;
    for segment in path {
        value = match value {
            serde_json::Value::Array(elements) => elements.get(segment.parse::<usize>().ok()?)?,
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_)
            | serde_json::Value::Object(_) => value.get(segment)?,
        };
    }
    match value {
        serde_json::Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(truth) => Some(truth.to_string()),
        serde_json::Value::Null | serde_json::Value::Array(_) | serde_json::Value::Object(_) => None,
    }
}

/// Whether a name matches a pattern in which `*` stands for any text. Linear in both for each star.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let Some((middle, last)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    for part in middle.split('*') {
        let Some(found) = left.find(part) else { return false };
        left = left.get(found + part.len()..).unwrap_or_default();
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> ToolRules {
        ToolRules::new(vec![ToolRule {
            tool: "issue_*".to_owned(),
            kind: Some(Kind::Act),
            target: Some("order:{$.order_id}".to_owned()),
            entities: vec![("account".to_owned(), "$.customer.ids[0]".to_owned())],
            value: Some("$.amount $.currency".to_owned()),
            read_back: true,
            key_ttl_ns: Some(5),
            ..ToolRule::default()
        }])
        .unwrap()
    }

    #[test]
    fn a_rule_reads_the_arguments() {
        let mut facts = Facts {
            tool: Some("issue_refund".to_owned()),
            key: Some("k".to_owned()),
            started_ns: 10,
            ..Facts::default()
        };
        let json = r#"{"order_id":"4812","customer":{"ids":[2291]},"amount":40.5,"currency":"EUR"}"#;
        rules().apply(&mut facts, Some(json));
        assert_eq!(facts.target.as_deref(), Some("order:4812"));
        assert_eq!(facts.value.as_deref(), Some("40.5 EUR"));
        assert_eq!(facts.entities, [Entity::account("2291")]);
        assert_eq!((facts.read_back_required, facts.key_expires_ns), (true, Some(15)));
    }

    #[test]
    fn what_is_missing_says_nothing() {
        let mut facts = Facts { tool: Some("issue_refund".to_owned()), ..Facts::default() };
        rules().apply(&mut facts, Some("{\"order_id\":null}"));
        rules().apply(&mut facts, Some("not json"));
        rules().apply(&mut facts, None);
        assert_eq!((facts.target, facts.value, facts.entities.len()), (None, None, 0));
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("abc", "abc", true),
            ("*", "", true),
            ("*b*", "abc", true),
            ("a*b*c*", "axbxcx", true),
            ("ab", "abc", false),
            ("*d*", "abc", false),
            ("abc*abc", "abc", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn wrong_rules_are_refused_with_their_place() {
        let with = |target: &str| ToolRule {
            tool: "t".to_owned(),
            target: Some(target.to_owned()),
            ..ToolRule::default()
        };
        for (target, expected) in [
            ("order:{$.id", "tools.t: `order:{$.id` has a brace that is not closed"),
            ("order:{id}", "tools.t: `id` is no path; write it as $.field, $.list[0] or $.a.b"),
            ("{$.id}", "tools.t: `{$.id}` has no type; write it as type:id, such as order:{$.order_id}"),
        ] {
            assert_eq!(ToolRules::new(vec![with(target)]).unwrap_err().to_string(), expected);
        }
    }
}
