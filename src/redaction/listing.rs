//! The rules as people read them, in the order in which they count.
use std::collections::BTreeSet;

use crate::redaction::compile::is_on;
use crate::redaction::pack::{PACK_VERSION, SCANNED};
use crate::redaction::pii::PII;
use crate::redaction::secrets::SECRETS;
use crate::redaction::settings::{Finds, Method, Mode, RuleSpec, Settings};

/// One rule, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLine {
    /// Its name in marks.
    pub id: String,
    /// Its name in annotations: with its version, where it is an operator's.
    pub label: String,
    /// What it finds.
    pub finds: String,
    /// Where it looks: a selector, or `everywhere`.
    pub place: String,
    /// What it does.
    pub does: String,
    /// Its version.
    pub version: String,
    /// Where it comes from: a file and line, or a built-in pack.
    pub origin: String,
    /// Whether it is on.
    pub on: bool,
}

/// All rules of these settings: the operator's as written, then the built-in ones.
pub fn listing(settings: &Settings) -> Vec<RuleLine> {
    let mut lines: Vec<RuleLine> = settings.rules.iter().map(own).collect();
    if let Mode::Allow(listed) = &settings.mode {
        lines.push(RuleLine {
            id: "not-listed".to_owned(),
            label: "not-listed".to_owned(),
            finds: "content that the list does not name".to_owned(),
            place: format!("!({})", listed.join(" || ")),
            does: "remove".to_owned(),
            version: PACK_VERSION.to_owned(),
            origin: "mode = \"allow\"".to_owned(),
            on: true,
        });
    }
    let patterns = SECRETS.iter().chain(PII).map(|rule| (rule.name, rule.pack, rule.about));
    let mut seen = BTreeSet::new();
    for (name, pack, about) in patterns.chain(SCANNED.iter().copied()) {
        match lines.iter_mut().find(|line| line.id == name && !seen.insert(name)) {
            Some(line) if !line.finds.contains(about) => line.finds = format!("{}; {about}", line.finds),
            Some(_) => {}
            None => {
                seen.insert(name);
                lines.push(RuleLine {
                    id: name.to_owned(),
                    label: name.to_owned(),
                    finds: about.to_owned(),
                    place: "everywhere".to_owned(),
                    does: if name == "base64" { "describe" } else { "replace" }.to_owned(),
                    version: PACK_VERSION.to_owned(),
                    origin: format!("pack {pack}"),
                    on: is_on(settings, name),
                });
            }
        }
    }
    lines
}

fn own(rule: &RuleSpec) -> RuleLine {
    let finds = match &rule.finds {
        Finds::Builtin(name) => format!("what `{name}` finds"),
        Finds::Pattern { pattern, .. } => pattern.clone(),
        Finds::Key(names) => format!("values under {}", names.join(", ")),
        Finds::Anything => "anything".to_owned(),
    };
    let does = match &rule.method {
        Method::Mask(shown @ 1..) => format!("mask, last {shown} shown"),
        Method::Replace(Some(with)) => format!("replace with {with}"),
        Method::Hash => "hash: keyed pseudonym".to_owned(),
        other @ (Method::Remove | Method::Mask(_) | Method::Replace(None) | Method::Encrypt) => {
            other.word().to_owned()
        }
    };
    RuleLine {
        id: rule.id.clone(),
        label: format!("{}@{}", rule.id, rule.version),
        finds,
        place: rule.selector.clone().unwrap_or_else(|| "everywhere".to_owned()),
        does,
        version: rule.version.to_string(),
        origin: rule.origin.clone(),
        on: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_listed_once_and_says_whether_it_is_on() {
        let mut settings = Settings::with_rules(vec![RuleSpec::keys("pin", &["pin"])]);
        settings.off.push("jwt".to_owned());
        let lines = listing(&settings);
        let ids: BTreeSet<&str> = lines.iter().map(|line| line.id.as_str()).collect();
        assert_eq!(ids.len(), lines.len());
        let on = |id: &str| lines.iter().find(|line| line.id == id).unwrap().on;
        assert!(on("pin") && on("secret") && on("card-number") && on("iban"));
        assert!(!on("jwt") && !on("email") && !on("us-ssn"));
        assert_eq!((lines[0].id.as_str(), lines[0].label.as_str()), ("pin", "pin@1"));
    }
}
