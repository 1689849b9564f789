//! `[redaction]` of recount.toml and of its rule files: the rules as written.
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::config::error::ConfigError;
use crate::redaction::{Finds, Method, Mode, RuleSpec, Settings};

const FILES_MAX: usize = 16;
const FILE_BYTES_MAX: u64 = 1 << 20;

/// `[redaction]`, general or of one project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RedactionTable {
    /// `deny` or `allow`.
    mode: Option<String>,
    /// In allow-list mode: the selectors of what is kept.
    allow: Option<Vec<String>>,
    /// Whether e-mail addresses are redacted too: the pack `email`.
    pub(super) emails: Option<bool>,
    /// Packs that are on beside the default ones.
    #[serde(default)]
    packs: Vec<String>,
    /// Built-in rules and packs that are off.
    #[serde(default)]
    off: Vec<String>,
    /// Files with further rules, relative to this one.
    #[serde(default)]
    files: Vec<PathBuf>,
    #[serde(default)]
    rules: Vec<Spanned<RuleTable>>,
}

/// A file that has rules only.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    #[serde(default)]
    rules: Vec<Spanned<RuleTable>>,
}

/// One rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    id: String,
    version: Option<u32>,
    selector: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    builtin: Option<String>,
    pattern: Option<String>,
    groups: Option<Vec<usize>>,
    keys: Option<Vec<String>>,
    method: Option<String>,
    with: Option<String>,
    show_last: Option<usize>,
}

/// Where a table is written: the file's path and text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl RedactionTable {
    /// Adds what is written here to the settings so far.
    pub(super) fn add_to(
        self,
        mut settings: Settings,
        written: Written<'_>,
    ) -> Result<Settings, ConfigError> {
        settings.mode = match (self.mode.as_deref(), self.allow) {
            (None, None) => settings.mode,
            (Some("deny"), None) => Mode::Deny,
            (Some("allow"), Some(allow)) => Mode::Allow(allow),
            (Some("allow"), None) => {
                return Err(unusable(
                    written,
                    "redaction.mode is `allow`, so redaction.allow has to list what is kept",
                ));
            }
            (None | Some("deny"), Some(_)) => {
                return Err(unusable(written, "redaction.allow needs redaction.mode = \"allow\""));
            }
            (Some(_), _) => return Err(unusable(written, "redaction.mode is `deny` or `allow`")),
        };
        settings.packs.extend(self.emails.filter(|on| *on).map(|_| "email".to_owned()));
        settings.packs.extend(self.packs);
        settings.off.extend(self.off);
        for rule in self.rules {
            settings.rules.push(rule_of(rule, written)?);
        }
        if self.files.len() > FILES_MAX {
            return Err(unusable(written, "redaction.files names more than 16 files"));
        }
        let folder = written.path.parent().unwrap_or(Path::new("."));
        for file in self.files {
            settings.rules.extend(rules_in(&folder.join(file))?);
        }
        Ok(settings)
    }
}

/// The rules in a file of rules: `[[rules]]`.
///
/// # Errors
/// A [`ConfigError`] that names the file and the place.
pub fn rules_in(path: &Path) -> Result<Vec<RuleSpec>, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let text = std::fs::metadata(path).and_then(|found| {
        if found.len() > FILE_BYTES_MAX {
            return Err(std::io::Error::other("a file of rules has at most 1 MiB"));
        }
        std::fs::read_to_string(path)
    });
    rules_of(path, &text.map_err(unreadable)?)
}

/// The rules in the text of such a file.
///
/// # Errors
/// As for [`rules_in`].
pub fn rules_of(path: &Path, text: &str) -> Result<Vec<RuleSpec>, ConfigError> {
    let written = Written { path, text };
    let file: RuleFile = toml::from_str(text).map_err(|error| unusable(written, &error.to_string()))?;
    file.rules.into_iter().map(|rule| rule_of(rule, written)).collect()
}

fn rule_of(rule: Spanned<RuleTable>, written: Written<'_>) -> Result<RuleSpec, ConfigError> {
    let origin = place(written, rule.span());
    let rule = rule.into_inner();
    let id = rule.id.clone();
    let wrong = |why: &str| unusable(written, &format!("redaction rule `{id}` ({origin}): {why}"));
    let given = [
        ("builtin", rule.builtin.is_some()),
        ("pattern", rule.pattern.is_some() || rule.groups.is_some()),
        ("key", rule.keys.is_some()),
    ];
    // What a rule gives says its type, where it does not.
    let told = given.iter().find(|(_, given)| *given).map(|(kind, _)| (*kind).to_owned());
    let kind = rule.kind.or(told).unwrap_or_default();
    if let Some((field, _)) = given.iter().find(|(of, given)| *given && *of != kind) {
        return Err(wrong(&format!("its type is `{kind}`, so it has no `{field}`")));
    }
    let finds = match kind.as_str() {
        "builtin" => Finds::Builtin(rule.builtin.ok_or_else(|| wrong("`builtin` names a rule or pack"))?),
        "pattern" => {
            let pattern = rule.pattern.ok_or_else(|| wrong("`pattern` is missing"))?;
            Finds::Pattern { pattern, groups: rule.groups.unwrap_or_default() }
        }
        "key" => Finds::Key(rule.keys.ok_or_else(|| wrong("`keys` is missing"))?),
        "anything" => Finds::Anything,
        _ => return Err(wrong("its type is `builtin`, `pattern`, `key` or `anything`")),
    };
    let method = match (rule.method.as_deref().unwrap_or("replace"), rule.with, rule.show_last) {
        ("replace", with, None) => Method::Replace(with),
        ("mask", None, shown) => Method::Mask(shown.unwrap_or_default()),
        ("remove", None, None) => Method::Remove,
        ("hash", None, None) => Method::Hash,
        ("encrypt", None, None) => Method::Encrypt,
        ("mask" | "remove" | "hash" | "encrypt", Some(_), _) => {
            return Err(wrong("only `replace` has `with`"));
        }
        ("replace" | "remove" | "hash" | "encrypt", _, Some(_)) => {
            return Err(wrong("only `mask` has `show_last`"));
        }
        _ => return Err(wrong("its method is `remove`, `mask`, `replace`, `hash` or `encrypt`")),
    };
    let (version, selector) = (rule.version.unwrap_or(1), rule.selector);
    Ok(RuleSpec { id: rule.id, version, selector, finds, method, origin })
}

fn place(written: Written<'_>, span: Range<usize>) -> String {
    let line = written.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
    format!("{}, line {line}", written.path.display())
}

fn unusable(written: Written<'_>, message: &str) -> ConfigError {
    ConfigError::Unusable { path: written.path.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> Result<Settings, ConfigError> {
        let written = Written { path: Path::new("recount.toml"), text };
        toml::from_str::<RedactionTable>(text).unwrap().add_to(Settings::default(), written)
    }

    #[test]
    fn rules_are_read_as_written() {
        let settings = added(
            "mode = \"allow\"\nallow = [\"arguments\"]\npacks = [\"phone\"]\noff = [\"jwt\"]\n\n\
             [[rules]]\nid = \"order\"\nversion = 3\nselector = \"arguments.**\"\ntype = \"pattern\"\n\
             pattern = \"ORD-([0-9]+)\"\ngroups = [1]\nmethod = \"hash\"\n\n\
             [[rules]]\nid = \"pin\"\nkeys = [\"pin\"]\nmethod = \"mask\"\nshow_last = 2\n",
        )
        .unwrap();
        assert_eq!(settings.mode, Mode::Allow(vec!["arguments".to_owned()]));
        assert!(settings.packs.contains(&"phone".to_owned()) && settings.packs.contains(&"cards".to_owned()));
        let finds = Finds::Pattern { pattern: "ORD-([0-9]+)".to_owned(), groups: vec![1] };
        let [order, pin] = &settings.rules[..] else { panic!("two rules were written") };
        assert_eq!((&order.finds, order.version, &order.method), (&finds, 3, &Method::Hash));
        assert_eq!(order.origin, "recount.toml, line 6");
        assert_eq!((pin.origin.as_str(), &pin.method), ("recount.toml, line 15", &Method::Mask(2)));
    }

    #[test]
    fn what_means_nothing_is_refused_with_its_place() {
        for (text, named) in [
            ("mode = \"allow\"", "redaction.allow"),
            ("allow = [\"a\"]", "redaction.mode"),
            ("mode = \"strict\"", "`deny` or `allow`"),
            ("[[rules]]\nid = \"x\"\ntype = \"regex\"", "`x` (recount.toml, line 1)"),
            ("[[rules]]\nid = \"x\"", "its type is `builtin`, `pattern`, `key` or `anything`"),
            (
                "[[rules]]\nid = \"x\"\npattern = \"a\"\nkeys = [\"b\"]",
                "its type is `pattern`, so it has no `key`",
            ),
            ("\n[[rules]]\nid = \"x\"\ntype = \"key\"\npattern = \"a\"", "line 2"),
            ("[[rules]]\nid = \"x\"\ntype = \"anything\"\nmethod = \"erase\"", "its method is"),
            ("[[rules]]\nid = \"x\"\ntype = \"anything\"\nmethod = \"hash\"\nwith = \"y\"", "`with`"),
            ("[[rules]]\nid = \"x\"\ntype = \"anything\"\nshow_last = 2", "`show_last`"),
            ("files = [\"/nowhere/rules.toml\"]", "/nowhere/rules.toml"),
        ] {
            let error = added(text).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        let error = toml::from_str::<RedactionTable>("[[rules]]\nid = \"x\"\ntype = \"key\"\nkey = \"y\"")
            .unwrap_err();
        assert!(error.to_string().contains("key"), "{error}");
    }
}
