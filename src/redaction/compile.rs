//! From settings to rules: everything checked, every pattern compiled, or an error that names the rule.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::redaction::keys::KeyNames;
use crate::redaction::mark::Rule;
use crate::redaction::pack::{ASSIGNED, Builtin, FLAG, SCANNED, Words};
use crate::redaction::pii::PII;
use crate::redaction::secrets::SECRETS;
use crate::redaction::selector::Selector;
use crate::redaction::settings::{Finds, Method, Mode, RuleError, RuleSpec, Settings, Wrong};
use crate::redaction::source::Source;

const RULES_MAX: usize = 200;
const NAMES_MAX: usize = 200;
const PATTERN_CHARS_MAX: usize = 4096;
const PATTERN_SIZE_MAX: usize = 1024 * 1024;
const SELECTORS_MAX: usize = 500;
/// The bit of the secret key names; the bits below belong to the built-in patterns.
pub(crate) const KEYS_BIT: u128 = 1 << 127;
/// The bit of escapes, which can hide anything in JSON.
pub(crate) const ESCAPES_BIT: u128 = 1 << 126;
/// Packs that stand for several.
const GROUPS: &[(&str, &[&str])] = &[("pii", &["email", "phone", "iban", "cards", "ip"])];

/// A built-in rule, ready to use.
pub(crate) type Built = (Builtin, Regex);

/// The built-in rules with their patterns: compiled once for all.
pub(crate) static BUILT: LazyLock<Result<Vec<Built>, String>> =
    LazyLock::new(|| built(SECRETS.iter().chain(PII)));

/// Compiles built-in rules.
pub(crate) fn built<'a>(rules: impl Iterator<Item = &'a Builtin>) -> Result<Vec<Built>, String> {
    let keys = KeyNames::builtin().pattern();
    rules
        .map(|rule| {
            let regex = Regex::new(&rule.pattern.replace("{keys}", &keys));
            Ok((*rule, regex.map_err(|error| format!("{}: {error}", rule.name))?))
        })
        .collect()
}

/// An operator's pattern.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) regex: Regex,
    /// What is redacted of a match; none: all of it.
    pub(crate) groups: Vec<usize>,
    pub(crate) scope: Option<Selector>,
    pub(crate) rule: Arc<Rule>,
}

/// Names of keys whose values a rule redacts.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) names: KeyNames,
    /// `name = value` and `--name value` in plain text; the built-in names have theirs among the patterns.
    pub(crate) assigned: Vec<Regex>,
    pub(crate) source: Source,
}

/// Everything compiled, in the order in which it counts.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) keywords: AhoCorasick,
    pub(crate) wants: Vec<u128>,
    /// Built-in patterns that have no words: tried on every text with a digit.
    pub(crate) digit_bits: u128,
    pub(crate) builtin: Vec<(Built, Source)>,
    pub(crate) scanned: BTreeMap<&'static str, Source>,
    pub(crate) custom: Vec<Custom>,
    pub(crate) custom_set: Option<RegexSet>,
    pub(crate) keys: Vec<Keys>,
    pub(crate) anything: Vec<(Selector, Arc<Rule>)>,
}

/// Compiles settings over these built-in rules.
pub(crate) fn compile(settings: &Settings, built: &[Built]) -> Result<Parts, RuleError> {
    let names = Names::of(settings, built)?;
    if settings.rules.len() > RULES_MAX {
        return Err(of_setting("rules", Wrong::TooMany(settings.rules.len(), RULES_MAX, "rules")));
    }
    let mut own = Own::default();
    let mut taken: BTreeSet<&str> = names.builtin.clone();
    for (rank, spec) in (0_u32..).zip(&settings.rules) {
        let wrong = |wrong| RuleError { id: spec.id.clone(), origin: spec.origin.clone(), wrong };
        if !is_id(&spec.id) {
            return Err(wrong(Wrong::Id));
        }
        if !taken.insert(&spec.id) {
            return Err(wrong(Wrong::Taken));
        }
        own.add(spec, rank, &names).map_err(wrong)?;
    }
    if let Mode::Allow(listed) = &settings.mode {
        own.anything.push((unlisted(listed)?, Rule::unlisted()));
    }
    let builtin: Vec<(Built, Source)> = built
        .iter()
        .map(|(rule, regex)| ((*rule, regex.clone()), names.source(rule.name, &own.overrides)))
        .filter(|(_, source)| source.is_used())
        .collect();
    let scanned = SCANNED
        .iter()
        .map(|(name, _, _)| (*name, names.source(name, &own.overrides)))
        .filter(|(_, source)| source.is_used())
        .collect();
    let secret = names.source("secret", &own.overrides);
    own.keys.push(Keys { names: KeyNames::builtin(), assigned: Vec::new(), source: secret });
    let (keywords, wants, digit_bits) = words(&builtin, &own.keys)?;
    let custom_set = custom_set(&own.custom)?;
    let Own { custom, keys, anything, .. } = own;
    Ok(Parts { keywords, wants, digit_bits, builtin, scanned, custom, custom_set, keys, anything })
}

/// Whether a built-in rule is on under these settings.
pub(crate) fn is_on(settings: &Settings, name: &str) -> bool {
    let built = BUILT.as_deref().unwrap_or_default();
    Names::of(settings, built).is_ok_and(|names| names.on.contains(name))
}

/// What is removed in allow-list mode: content that no selector of the list selects. What identifies and what
/// names (the span, the tool, the model, the agent) stays, and passes the rules.
fn unlisted(listed: &[String]) -> Result<Selector, RuleError> {
    const CONTENT: &str = "attributes || resource || scope.attributes || events || links || parameters || \
         context || output || arguments || result || proposed.arguments || bodies || status_message || \
         error.message || findings || value";
    if listed.len() > SELECTORS_MAX {
        return Err(of_setting("allow", Wrong::TooMany(listed.len(), SELECTORS_MAX, "selectors")));
    }
    let parse = |text: &str| {
        Selector::parse(text).map_err(|error| RuleError {
            id: "allow".to_owned(),
            origin: format!("`{text}`"),
            wrong: Wrong::Selector(error),
        })
    };
    let listed = listed.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?;
    Ok(Selector::And(vec![parse(CONTENT)?, Selector::Not(Box::new(Selector::Or(listed)))]))
}

/// Built-in names: what there is, and what is on.
struct Names {
    builtin: BTreeSet<&'static str>,
    by_pack: BTreeMap<&'static str, BTreeSet<&'static str>>,
    on: BTreeSet<&'static str>,
}

impl Names {
    fn of(settings: &Settings, built: &[Built]) -> Result<Self, RuleError> {
        let mut names = Self { builtin: BTreeSet::new(), by_pack: BTreeMap::new(), on: BTreeSet::new() };
        let patterns = built.iter().map(|(rule, _)| (rule.name, rule.pack));
        for (name, pack) in patterns.chain(SCANNED.iter().map(|(name, pack, _)| (*name, *pack))) {
            names.builtin.insert(name);
            names.by_pack.entry(pack).or_default().insert(name);
        }
        for pack in settings.packs.iter().map(String::as_str).chain(["secrets"]) {
            let found = names.find(pack).map_err(|wrong| of_setting("packs", wrong))?;
            names.on.extend(found);
        }
        for off in &settings.off {
            let found = names.find(off).map_err(|wrong| of_setting("off", wrong))?;
            names.on.retain(|name| !found.contains(name));
        }
        Ok(names)
    }

    /// The rules that a rule's name, a pack or a group of packs stands for.
    fn find(&self, name: &str) -> Result<BTreeSet<&'static str>, Wrong> {
        if let Some(one) = self.builtin.get(name) {
            return Ok(BTreeSet::from([*one]));
        }
        let group = GROUPS.iter().find(|(group, _)| *group == name).map_or(&[][..], |(_, packs)| packs);
        let packs = group.iter().copied().chain([name]);
        let found: BTreeSet<&'static str> =
            packs.filter_map(|pack| self.by_pack.get(pack)).flatten().copied().collect();
        // Tests bring packs of their own, without secrets.
        if found.is_empty() && name != "secrets" {
            let packs = self.by_pack.keys().copied().chain(GROUPS.iter().map(|(group, _)| *group));
            let known: BTreeSet<&str> = packs.chain(self.builtin.iter().copied()).collect();
            let known: Vec<&str> = known.into_iter().collect();
            return Err(Wrong::Unknown(name.to_owned(), known.join(", ")));
        }
        Ok(found)
    }

    fn source(&self, name: &str, overrides: &[Override]) -> Source {
        let rule = if name == "base64" { Rule::describing(name) } else { Rule::builtin(name) };
        let own = overrides.iter().filter(|own| own.names.contains(name));
        Source::new(
            self.on.contains(name).then_some(rule),
            own.map(|own| (own.scope.clone(), Arc::clone(&own.rule))).collect(),
        )
    }
}

/// An operator's rule on what a built-in one finds.
struct Override {
    names: BTreeSet<&'static str>,
    scope: Option<Selector>,
    rule: Arc<Rule>,
}

/// The operator's rules.
#[derive(Default)]
struct Own {
    custom: Vec<Custom>,
    keys: Vec<Keys>,
    anything: Vec<(Selector, Arc<Rule>)>,
    overrides: Vec<Override>,
}

impl Own {
    fn add(&mut self, spec: &RuleSpec, rank: u32, names: &Names) -> Result<(), Wrong> {
        if let Method::Mask(shown @ 5..) = spec.method {
            return Err(Wrong::Shows(shown));
        }
        let scope = spec.selector.as_deref().map(Selector::parse).transpose().map_err(Wrong::Selector)?;
        let rule = Rule::new(&spec.id, spec.version, rank, &spec.method);
        match &spec.finds {
            Finds::Builtin(name) => {
                self.overrides.push(Override { names: names.find(name)?, scope, rule });
            }
            Finds::Pattern { pattern, groups } => {
                let regex = pattern_of(pattern)?;
                if let Some(group) = groups.iter().find(|group| **group >= regex.captures_len()) {
                    return Err(Wrong::Group(*group));
                }
                self.custom.push(Custom { regex, groups: groups.clone(), scope, rule });
            }
            Finds::Key(given) => {
                if given.is_empty() || given.len() > NAMES_MAX {
                    return Err(Wrong::TooMany(given.len(), NAMES_MAX, "keys (or none)"));
                }
                let names = KeyNames::new(given)?;
                let assigned =
                    [ASSIGNED, FLAG].map(|form| Regex::new(&form.replace("{keys}", &names.pattern())));
                let assigned = assigned.into_iter().collect::<Result<Vec<_>, _>>();
                let assigned = assigned.map_err(|error| Wrong::Pattern(Box::new(error)))?;
                let source = Source::new(None, vec![(scope, rule)]);
                self.keys.push(Keys { names, assigned, source });
            }
            Finds::Anything => self.anything.push((scope.ok_or(Wrong::Everywhere)?, rule)),
        }
        Ok(())
    }
}

fn is_id(id: &str) -> bool {
    (1..=40).contains(&id.len()) && id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn pattern_of(pattern: &str) -> Result<Regex, Wrong> {
    let chars = pattern.chars().count();
    if chars > PATTERN_CHARS_MAX {
        return Err(Wrong::Long(chars, PATTERN_CHARS_MAX));
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(PATTERN_SIZE_MAX)
        .build()
        .map_err(|error| Wrong::Pattern(Box::new(error)))?;
    if regex.is_match("") { Err(Wrong::MatchesNothing) } else { Ok(regex) }
}

fn of_setting(id: &str, wrong: Wrong) -> RuleError {
    RuleError { id: id.to_owned(), origin: "a setting".to_owned(), wrong }
}

/// The words to look for first, for each of them the bits of what needs it, and the bits of what needs a
/// digit.
fn words(builtin: &[(Built, Source)], keys: &[Keys]) -> Result<(AhoCorasick, Vec<u128>, u128), RuleError> {
    let mut wants: BTreeMap<String, u128> = BTreeMap::new();
    let mut digit_bits = 0;
    let secret_names = KeyNames::builtin();
    for (at, ((rule, _), _)) in builtin.iter().enumerate() {
        let bit = 1_u128.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default();
        match rule.words {
            Words::Any(words) => {
                words.iter().for_each(|word| *wants.entry((*word).to_owned()).or_default() |= bit);
            }
            Words::Keys => {
                secret_names.spellings().into_iter().for_each(|word| *wants.entry(word).or_default() |= bit);
            }
            Words::Digits => digit_bits |= bit,
        }
    }
    let spellings = keys.iter().flat_map(|keys| keys.names.spellings());
    spellings.for_each(|word| *wants.entry(word).or_default() |= KEYS_BIT);
    ["\\u", "\\/"].iter().for_each(|word| *wants.entry((*word).to_owned()).or_default() |= ESCAPES_BIT);
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .prefilter(false)
        .build(wants.keys())
        .map_err(|error| of_setting("keys", Wrong::Pack(error.to_string())))?;
    Ok((keywords, wants.into_values().collect(), digit_bits))
}

fn custom_set(custom: &[Custom]) -> Result<Option<RegexSet>, RuleError> {
    if custom.is_empty() {
        return Ok(None);
    }
    RegexSetBuilder::new(custom.iter().map(|custom| custom.regex.as_str()))
        .size_limit(PATTERN_SIZE_MAX * custom.len())
        .build()
        .map(Some)
        .map_err(|error| of_setting("all patterns together", Wrong::Pattern(Box::new(error))))
}
