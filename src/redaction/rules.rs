//! The rules at work: one pass over a text says which of them can hit at all, then only those are tried.
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use regex::Captures;

use crate::redaction::base64::{self, Run};
use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::card;
use crate::redaction::compile::{BUILT, Built, KEYS_BIT, Keys, Parts, compile};
use crate::redaction::iban;
use crate::redaction::known::Known;
use crate::redaction::mark::{By, Hit, Rule};
use crate::redaction::pack::{self, Check};
use crate::redaction::selector::Selected;
use crate::redaction::settings::{RuleError, Settings, Wrong};
use crate::redaction::source::At;
use crate::redaction::version::version;

/// Compiled rules.
#[derive(Debug)]
pub(crate) struct Rules {
    parts: Parts,
    known: Known,
    scoped: bool,
    ids: Vec<String>,
    version: Arc<str>,
}

/// Which rules a text may concern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    bits: u128,
    cards: bool,
    iban: bool,
    base64: bool,
    custom: bool,
}

impl Look {
    /// Whether there is anything to look for, in the open or behind escapes.
    pub(crate) fn any(self) -> bool {
        self.bits != 0 || self.cards || self.iban || self.base64 || self.custom
    }
}

/// What rules on whole values say of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whole {
    /// Nothing.
    No,
    /// Nothing of it may stay.
    All(Arc<Rule>),
    /// Parts of it may stay, if it is JSON; else nothing.
    Parts(Arc<Rule>),
    /// Parts of it may not stay, if it is JSON.
    Inside,
}

impl Rules {
    /// Compiles the packs and what the operator added.
    pub(crate) fn new(settings: &Settings) -> Result<Self, RuleError> {
        let built = BUILT.as_ref().map_err(|error| RuleError {
            id: "built-in".to_owned(),
            origin: String::new(),
            wrong: Wrong::Pack(error.clone()),
        })?;
        Self::over(settings, built)
    }

    /// Compiles settings over other built-in rules.
    pub(crate) fn over(settings: &Settings, built: &[Built]) -> Result<Self, RuleError> {
        let parts = compile(settings, built)?;
        let scoped = !parts.anything.is_empty()
            || parts.custom.iter().any(|custom| custom.scope.is_some())
            || parts.keys.iter().any(|keys| keys.source.is_scoped())
            || parts.scanned.values().any(|source| source.is_scoped())
            || parts.builtin.iter().any(|(_, source)| source.is_scoped());
        let own = settings.rules.iter().map(|rule| rule.id.as_str());
        let builtin = built.iter().map(|(rule, _)| rule.name);
        let scanned = pack::SCANNED.iter().map(|(name, _, _)| *name);
        let ids: BTreeSet<&str> = own.chain(builtin).chain(scanned).chain(["withheld"]).collect();
        let ids = ids.into_iter().map(str::to_owned).collect();
        Ok(Self { parts, known: Known::new(), scoped, ids, version: version(settings).into() })
    }

    /// Which rules these are: the version of the packs and a digest of all settings.
    pub(crate) fn version(&self) -> &Arc<str> {
        &self.version
    }

    /// The name of every rule that may have made a pseudonym, be it off now.
    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The texts that these rules found clean lately.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Whether any rule asks where a value stands.
    pub(crate) fn is_scoped(&self) -> bool {
        self.scoped
    }

    /// Which rules a text may concern. `text` is the view that rules look at.
    pub(crate) fn look(&self, text: &str) -> Look {
        if self.known.is_clean(text) {
            return Look::default();
        }
        let look = self.look_closer(text);
        if !look.any() {
            self.known.remember(text);
        }
        look
    }

    fn look_closer(&self, text: &str) -> Look {
        let is_on = |name| self.parts.scanned.contains_key(name);
        let hidden = |run: &Run| match run {
            Run::Big(_) => true,
            Run::Text(_, plain) => self.look_plainly(plain).any(),
        };
        let mut look = self.look_plainly(text);
        look.base64 = is_on("base64") && base64::runs(text).iter().any(hidden);
        look
    }

    /// Without a look behind base64.
    fn look_plainly(&self, text: &str) -> Look {
        let parts = &self.parts;
        let is_on = |name| parts.scanned.contains_key(name);
        let mut bits = self.bits(text);
        if parts.digit_bits != 0 && text.bytes().any(|byte| byte.is_ascii_digit()) {
            bits |= parts.digit_bits;
        }
        Look {
            bits,
            cards: is_on("card-number") && card::suspects_card(text),
            iban: is_on("iban") && !iban::find(text).is_empty(),
            base64: false,
            custom: parts.custom_set.as_ref().is_some_and(|set| text.contains('\\') || set.is_match(text)),
        }
    }

    /// Everything that the rules find in a text, in no order, overlaps included.
    pub(crate) fn find(
        &self,
        text: &str,
        (look, at): (Look, At<'_>),
        budget: &mut Budget,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Overrun> {
        self.find_patterns(text, (look, at), budget, hits)?;
        type Find = fn(&str) -> Vec<Range<usize>>;
        let scanned: [(&str, bool, Find); 2] =
            [("card-number", look.cards, card::find_cards), ("iban", look.iban, iban::find)];
        for (name, _, find) in scanned.into_iter().filter(|(_, looked, _)| *looked) {
            let Some(rule) = self.parts.scanned.get(name).and_then(|source| source.at(at)) else { continue };
            for range in find(text) {
                budget.spend()?;
                hits.push(Hit { range, by: By::Rule(Arc::clone(rule)) });
            }
        }
        if look.base64 {
            self.find_base64(text, at, budget, hits)?;
        }
        self.find_own(text, (look, at), budget, hits)?;
        budget.check_time()
    }

    fn find_patterns(
        &self,
        text: &str,
        (look, at): (Look, At<'_>),
        budget: &mut Budget,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Overrun> {
        for (bit, ((builtin, regex), source)) in self.parts.builtin.iter().enumerate() {
            if look.bits & (1 << bit) == 0 {
                continue;
            }
            let Some(rule) = source.at(at) else { continue };
            for captures in regex.captures_iter(text) {
                budget.spend()?;
                if self.counts(builtin.check, &captures, text) {
                    let range = value_of(&captures);
                    hits.extend(range.map(|range| Hit { range, by: By::Rule(Arc::clone(rule)) }));
                }
            }
        }
        Ok(())
    }

    /// Blobs, and short runs with something in them that a rule finds: the run is redacted by that rule.
    fn find_base64(
        &self,
        text: &str,
        at: At<'_>,
        budget: &mut Budget,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Overrun> {
        for run in base64::runs(text) {
            budget.spend()?;
            match run {
                Run::Big(range) => {
                    let rule = self.parts.scanned.get("base64").and_then(|source| source.at(at));
                    hits.extend(rule.map(|rule| Hit { range, by: By::Rule(Arc::clone(rule)) }));
                }
                Run::Text(range, plain) => {
                    let look = self.look_plainly(&plain);
                    let mut inside = Vec::new();
                    self.find(&plain, (look, at), budget, &mut inside)?;
                    hits.extend(inside.pop().map(|hit| Hit { range, by: hit.by }));
                }
            }
        }
        Ok(())
    }

    /// What the operator's own patterns and keys find.
    fn find_own(
        &self,
        text: &str,
        (look, at): (Look, At<'_>),
        budget: &mut Budget,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Overrun> {
        for custom in self.parts.custom.iter().filter(|_| look.custom) {
            if !at.is_in(custom.scope.as_ref()) {
                continue;
            }
            for captures in custom.regex.captures_iter(text) {
                budget.spend()?;
                let groups: &[usize] = if custom.groups.is_empty() { &[0] } else { &custom.groups };
                for found in groups.iter().filter_map(|group| captures.get(*group)) {
                    hits.push(Hit { range: found.range(), by: By::Rule(Arc::clone(&custom.rule)) });
                }
            }
        }
        for keys in self.parts.keys.iter().filter(|_| look.bits & KEYS_BIT != 0) {
            let Some(rule) = keys.source.at(at).filter(|_| !keys.assigned.is_empty()) else { continue };
            for captures in keys.assigned.iter().flat_map(|regex| regex.captures_iter(text)) {
                budget.spend()?;
                if is_assigned(keys, &captures, text) {
                    let range = value_of(&captures);
                    hits.extend(range.map(|range| Hit { range, by: By::Rule(Arc::clone(rule)) }));
                }
            }
        }
        Ok(())
    }

    /// The rule on the value under this key, when the key says that it is secret.
    pub(crate) fn secret_key(&self, key: &str, at: At<'_>) -> Option<Arc<Rule>> {
        if key.is_ascii() && self.bits(key) & KEYS_BIT == 0 {
            return None;
        }
        let secret = self.parts.keys.iter().filter(|keys| keys.names.is_secret(key));
        secret.filter_map(|keys| keys.source.at(at)).map(Arc::clone).next()
    }

    /// The rule on a number that is a card's, that a pattern hits, or of which nothing may stay.
    pub(crate) fn number(&self, number: &str, at: At<'_>) -> Option<Arc<Rule>> {
        if let Whole::All(rule) | Whole::Parts(rule) = self.whole(at) {
            return Some(rule);
        }
        let mut own = self.parts.custom.iter().filter(|custom| at.is_in(custom.scope.as_ref()));
        if let Some(custom) = own.find(|custom| custom.regex.is_match(number)) {
            return Some(Arc::clone(&custom.rule));
        }
        let cards = self.parts.scanned.get("card-number").and_then(|source| source.at(at));
        cards.filter(|_| card::is_card(number)).map(Arc::clone)
    }

    /// Whether no number below 10^12 can be hit.
    pub(crate) fn skips_small_numbers(&self) -> bool {
        self.parts.custom.is_empty() && self.parts.anything.is_empty()
    }

    /// What rules on whole values say of this place.
    pub(crate) fn whole(&self, at: At<'_>) -> Whole {
        let mut inside = false;
        for (selector, rule) in &self.parts.anything {
            let below = selector.reaches_below(at.spot, at.inner);
            if selector.selects(at.spot, at.inner, at.leaf) != Selected::No {
                let rule = Arc::clone(rule);
                return if below { Whole::Parts(rule) } else { Whole::All(rule) };
            }
            inside |= below;
        }
        if inside { Whole::Inside } else { Whole::No }
    }

    /// The keywords in a text, as the bits of what needs them.
    fn bits(&self, text: &str) -> u128 {
        let Some(first) = self.parts.keywords.find(text) else { return 0 };
        // The first to end; a longer one around it may begin earlier.
        let start = first.end().saturating_sub(self.parts.keywords.max_pattern_len());
        let start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let from = text.get(start..).unwrap_or_default();
        self.parts
            .keywords
            .find_overlapping_iter(from)
            .filter_map(|found| self.parts.wants.get(found.pattern().as_usize()))
            .fold(0, |bits, wanted| bits | wanted)
    }

    fn counts(&self, check: Check, captures: &Captures<'_>, text: &str) -> bool {
        let value = || value_of(captures).and_then(|range| text.get(range));
        match check {
            Check::Any => true,
            Check::Value(holds) => value().is_some_and(holds),
            Check::Entropy(tenths) => value().is_some_and(|value| pack::entropy_tenths(value) >= tenths),
            Check::Assigned => self.parts.keys.last().is_some_and(|keys| is_assigned(keys, captures, text)),
        }
    }
}

/// What a match redacts: its last group that took part, else all of it.
fn value_of(captures: &Captures<'_>) -> Option<Range<usize>> {
    (0..captures.len()).rev().find_map(|at| captures.get(at)).map(|found| found.range())
}

/// Whether the word before a value is a key of these, and the value may be a secret.
fn is_assigned(keys: &Keys, captures: &Captures<'_>, text: &str) -> bool {
    let group = |at| captures.get(at);
    let (Some(key), Some(separator)) = (group(1), group(2)) else { return false };
    let quoted = group(3).is_some() && separator.as_str().trim() != "" || group(4).is_some();
    let value = value_of(captures).and_then(|range| text.get(range)).unwrap_or_default();
    let before = text.get(..key.start()).unwrap_or_default();
    let from = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_.-".contains(c)).len();
    let key = text.get(from..key.end()).unwrap_or_default();
    keys.names.is_secret(key) && pack::is_secret_value(value, separator.as_str(), quoted)
}
