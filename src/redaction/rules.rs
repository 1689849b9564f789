//! The rules, compiled: one pass over a text says which of them can hit at all, then only those are tried.
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use sha2::{Digest, Sha256};

use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::card;
use crate::redaction::keys::KeyNames;
use crate::redaction::mark::{Hit, Mark};
use crate::redaction::pack::{self, Builtin, Check};
use crate::redaction::settings::{PatternRule, RuleError, Settings};

const PATTERNS_MAX: usize = 200;
const KEYS_MAX: usize = 200;
const PATTERN_SIZE_MAX: usize = 1024 * 1024;
/// The bit of the secret key names; the bits below belong to the rules of the pack.
const KEYS_BIT: u64 = 1 << 63;
/// The bit of escapes, which can hide anything in JSON.
const ESCAPES_BIT: u64 = 1 << 62;

/// Compiled rules.
#[derive(Debug)]
pub(crate) struct Rules {
    keywords: AhoCorasick,
    /// For each keyword the rules that need it, as bits.
    wants: Vec<u64>,
    builtin: Vec<(Regex, Check, Arc<Mark>)>,
    custom: Vec<(Regex, Arc<Mark>)>,
    custom_set: Option<RegexSet>,
    keys: KeyNames,
    secret: Arc<Mark>,
    card: Arc<Mark>,
    version: Arc<str>,
}

/// Which rules a text may concern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    bits: u64,
    cards: bool,
    custom: bool,
}

impl Look {
    /// Whether there is anything to look for, in the open or behind escapes.
    pub(crate) fn any(self) -> bool {
        self.bits != 0 || self.cards || self.custom
    }
}

impl Rules {
    /// Compiles the pack and what the operator added.
    pub(crate) fn new(settings: &Settings, pack: &[Builtin]) -> Result<Self, RuleError> {
        for (count, most) in [(settings.patterns.len(), PATTERNS_MAX), (settings.keys.len(), KEYS_MAX)] {
            if count > most {
                return Err(RuleError::TooMany(count, most));
            }
        }
        let keys = KeyNames::new(&settings.keys)?;
        let mut wants: BTreeMap<String, u64> = BTreeMap::new();
        let mut builtin = Vec::new();
        for (at, rule) in pack.iter().chain(settings.email.then_some(&pack::EMAIL)).enumerate() {
            let pattern = rule.pattern.replace("{keys}", &keys.pattern());
            let regex = Regex::new(&pattern).map_err(|error| RuleError::Pack(error.to_string()))?;
            builtin.push((regex, rule.check, Mark::redacted(rule.name)));
            let bit = 1_u64.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default();
            if rule.keywords.is_empty() {
                keys.spellings().into_iter().for_each(|word| *wants.entry(word).or_default() |= bit);
            }
            rule.keywords.iter().for_each(|word| *wants.entry((*word).to_owned()).or_default() |= bit);
        }
        keys.spellings().into_iter().for_each(|word| *wants.entry(word).or_default() |= KEYS_BIT);
        ["\\u", "\\/"].iter().for_each(|word| *wants.entry((*word).to_owned()).or_default() |= ESCAPES_BIT);
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .prefilter(false)
            .build(wants.keys())
            .map_err(|error| RuleError::Pack(error.to_string()))?;
        let custom = settings.patterns.iter().map(custom).collect::<Result<Vec<_>, _>>()?;
        let custom_set = custom_set(&settings.patterns)?;
        Ok(Self {
            keywords,
            wants: wants.into_values().collect(),
            builtin,
            custom,
            custom_set,
            keys,
            secret: Mark::redacted("secret"),
            card: Mark::redacted("card-number"),
            version: version(settings).into(),
        })
    }

    /// Which rules these are: the pack's version and a digest of what was added to it.
    pub(crate) fn version(&self) -> &Arc<str> {
        &self.version
    }

    /// Which rules a text may concern. `text` is the view that rules look at.
    pub(crate) fn look(&self, text: &str) -> Look {
        Look {
            bits: self.bits(text),
            cards: card::suspects_card(text),
            custom: self.custom_set.as_ref().is_some_and(|set| text.contains('\\') || set.is_match(text)),
        }
    }

    /// Everything that the rules find in a text, in no order, overlaps included.
    pub(crate) fn find(
        &self,
        text: &str,
        look: Look,
        budget: &mut Budget,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Overrun> {
        for (at, (regex, check, mark)) in self.builtin.iter().enumerate() {
            if look.bits & (1 << at) == 0 {
                continue;
            }
            for captures in regex.captures_iter(text) {
                budget.spend()?;
                if self.counts(*check, &captures, text) {
                    hits.extend(value_of(&captures).map(|range| Hit { range, mark: Arc::clone(mark) }));
                }
            }
        }
        if look.cards {
            for range in card::find_cards(text) {
                budget.spend()?;
                hits.push(Hit { range, mark: Arc::clone(&self.card) });
            }
        }
        for (regex, mark) in self.custom.iter().filter(|_| look.custom) {
            for found in regex.find_iter(text) {
                budget.spend()?;
                hits.push(Hit { range: found.range(), mark: Arc::clone(mark) });
            }
        }
        budget.check_time()
    }

    /// The mark for the value under this key, when the key says that it is secret.
    pub(crate) fn secret_key(&self, key: &str) -> Option<Arc<Mark>> {
        let suspected = !key.is_ascii() || self.bits(key) & KEYS_BIT != 0;
        (suspected && self.keys.is_secret(key)).then(|| Arc::clone(&self.secret))
    }

    /// The mark for a number that is a card's or that a pattern of the operator hits.
    pub(crate) fn number(&self, number: &str) -> Option<Arc<Mark>> {
        if card::is_card(number) {
            return Some(Arc::clone(&self.card));
        }
        self.custom.iter().find(|(regex, _)| regex.is_match(number)).map(|(_, mark)| Arc::clone(mark))
    }

    /// Whether no number below 10^12 can be hit.
    pub(crate) fn skips_small_numbers(&self) -> bool {
        self.custom.is_empty()
    }

    /// The keywords in a text, as the bits of what needs them.
    fn bits(&self, text: &str) -> u64 {
        let Some(first) = self.keywords.find(text) else { return 0 };
        let from = text.get(first.start()..).unwrap_or_default();
        self.keywords
            .find_overlapping_iter(from)
            .filter_map(|found| self.wants.get(found.pattern().as_usize()))
            .fold(0, |bits, wanted| bits | wanted)
    }

    fn counts(&self, check: Check, captures: &Captures<'_>, text: &str) -> bool {
        let group = |at| captures.get(at);
        match check {
            Check::Any => true,
            Check::Value(holds) => value_of(captures).and_then(|range| text.get(range)).is_some_and(holds),
            Check::Assigned => {
                let (Some(key), Some(separator)) = (group(1), group(2)) else { return false };
                let quoted = group(3).is_some() && separator.as_str().trim() != "" || group(4).is_some();
                let value = value_of(captures).and_then(|range| text.get(range)).unwrap_or_default();
                let before = text.get(..key.start()).unwrap_or_default();
                let from = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_.-".contains(c)).len();
                let key = text.get(from..key.end()).unwrap_or_default();
                self.keys.is_secret(key) && pack::is_secret_value(value, separator.as_str(), quoted)
            }
        }
    }
}

/// What a match redacts: its last group that took part, else all of it.
fn value_of(captures: &Captures<'_>) -> Option<Range<usize>> {
    (0..captures.len()).rev().find_map(|at| captures.get(at)).map(|found| found.range())
}

fn custom(rule: &PatternRule) -> Result<(Regex, Arc<Mark>), RuleError> {
    let well_named = (1..=40).contains(&rule.name.len())
        && rule.name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !well_named {
        return Err(RuleError::Name(rule.name.clone()));
    }
    let regex = RegexBuilder::new(&rule.pattern)
        .size_limit(PATTERN_SIZE_MAX)
        .build()
        .map_err(|error| RuleError::Pattern { name: rule.name.clone(), source: Box::new(error) })?;
    if regex.is_match("") {
        return Err(RuleError::MatchesNothing(rule.name.clone()));
    }
    Ok((regex, Mark::redacted(&rule.name)))
}

fn custom_set(rules: &[PatternRule]) -> Result<Option<RegexSet>, RuleError> {
    if rules.is_empty() {
        return Ok(None);
    }
    RegexSetBuilder::new(rules.iter().map(|rule| &rule.pattern))
        .size_limit(PATTERN_SIZE_MAX * rules.len())
        .build()
        .map(Some)
        .map_err(|error| RuleError::Pattern { name: "all together".to_owned(), source: Box::new(error) })
}

fn version(settings: &Settings) -> String {
    let mut version = pack::PACK_VERSION.to_owned();
    if settings.email {
        version.push_str("+email");
    }
    if !(settings.keys.is_empty() && settings.patterns.is_empty()) {
        let mut hash = Sha256::new();
        for key in &settings.keys {
            hash.update(format!("key {} {key}", key.len()));
        }
        for rule in &settings.patterns {
            hash.update(format!("pattern {} {} {}", rule.name, rule.pattern.len(), rule.pattern));
        }
        let hash: [u8; 32] = hash.finalize().into();
        version.push('+');
        version.push_str(&data_encoding::HEXLOWER.encode(hash.get(..4).unwrap_or_default()));
    }
    version
}
