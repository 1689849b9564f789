//! Redacts values, keys included, however deep they are nested.
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::record::Redaction;
use crate::domain::value::Value;
use crate::redaction::budget::Overrun;
use crate::redaction::finder::Finder;
use crate::redaction::fold::Folded;
use crate::redaction::mark::Mark;
use crate::redaction::place::Place;
use crate::redaction::settings::Limits;
use crate::redaction::text::TextScrub;

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Did {
    /// It may stay as it is.
    Nothing,
    /// Parts of it, or all, were replaced.
    Replaced,
    /// It could not be looked at within its budget: nothing of it stays.
    Withheld,
}

/// One pass over a step, and what it has done so far.
pub(crate) struct Scrubber<'a> {
    finder: Finder<'a>,
    limits: &'a Limits,
    /// By path, rule and method.
    redactions: BTreeMap<(String, String, &'static str), (u32, u64)>,
    /// Values found under secret keys.
    pub(crate) secrets: Vec<(String, Arc<Mark>)>,
    /// Paths of what was withheld.
    pub(crate) withheld: Vec<String>,
    /// Bodies of which nothing may stay, and the mark for each.
    pub(crate) lost: BTreeMap<usize, Arc<Mark>>,
}

impl<'a> Scrubber<'a> {
    /// A pass that looks for these.
    pub(crate) fn new(finder: Finder<'a>, limits: &'a Limits) -> Self {
        Self {
            finder,
            limits,
            redactions: BTreeMap::new(),
            secrets: Vec::new(),
            withheld: Vec::new(),
            lost: BTreeMap::new(),
        }
    }

    /// What was done.
    pub(crate) fn redactions(&self) -> impl Iterator<Item = Redaction> {
        self.redactions.iter().map(|((path, rule, method), (count, bytes))| Redaction {
            path: path.clone(),
            rule: rule.clone(),
            method: (*method).to_owned(),
            count: *count,
            bytes: *bytes,
        })
    }

    /// Redacts a text in place.
    pub(crate) fn text(&mut self, place: &Place<'_>, text: &mut String) -> Did {
        if text.is_empty() {
            return Did::Nothing;
        }
        let result = TextScrub::new(self.finder, self.limits, text.len()).and_then(|mut scrub| {
            let new = scrub.scrub(text)?;
            Ok((new, scrub))
        });
        match result {
            Ok((new, scrub)) => {
                self.collect(place, scrub);
                let Some(new) = new else { return Did::Nothing };
                *text = new;
                Did::Replaced
            }
            Err(Overrun) => {
                let mark = Mark::withheld("budget");
                self.note(place, &mark, text.len());
                self.withheld.push(place.to_string());
                text.clone_from(&mark.text);
                Did::Withheld
            }
        }
    }

    /// Redacts keys and values in place. `secret` is the mark of a secret key above them.
    pub(crate) fn pairs(
        &mut self,
        place: &Place<'_>,
        pairs: &mut [(String, Value)],
        secret: Option<&Arc<Mark>>,
    ) {
        for (key, value) in pairs {
            let suspected = self.finder.suspect(key, &Folded::of(key)).any() || !key.is_ascii();
            let own = if suspected { self.finder.secret_key(key) } else { None };
            if suspected {
                self.text(place, key);
            }
            self.value(&place.below(key), value, own.as_ref().or(secret));
        }
    }

    /// Redacts a value in place; under a secret key nothing of it stays but truth values.
    pub(crate) fn value(&mut self, place: &Place<'_>, value: &mut Value, secret: Option<&Arc<Mark>>) {
        match (value, secret) {
            (Value::Empty | Value::Bool(_), _) => {}
            (Value::String(text), None) => {
                self.text(place, text);
            }
            (Value::String(text), Some(mark)) => {
                self.mask(place, text, mark);
            }
            (Value::Bytes(bytes), None) => self.bytes(place, bytes),
            (Value::Array(values), _) => {
                for (at, value) in values.iter_mut().enumerate() {
                    self.value(&place.item(at), value, secret);
                }
            }
            (Value::Map(pairs), _) => self.pairs(place, pairs, secret),
            (frame @ Value::Framed(_), None) => self.frame(place, frame),
            (number @ (Value::Int(_) | Value::Double(_)), None) => self.number(place, number),
            (value @ Value::Framed(_), Some(mark)) => {
                let finder = self.finder;
                if let Value::Framed(pieces) = &*value
                    && !self.secret_frame(&finder, pieces, mark)
                {
                    self.note(place, mark, 0);
                    *value = Value::String(mark.text.clone());
                }
            }
            (value @ (Value::Int(_) | Value::Double(_) | Value::Bytes(_)), Some(mark)) => {
                let mut text = spelt(value);
                self.mask(place, &mut text, mark);
                *value = Value::String(text);
            }
        }
    }

    /// Counts what a rule did at a place.
    pub(crate) fn note(&mut self, place: &Place<'_>, mark: &Mark, bytes: usize) {
        let done = self.redactions.entry((place.to_string(), mark.rule.clone(), mark.method)).or_default();
        done.0 = done.0.saturating_add(1);
        done.1 = done.1.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Puts the mark in the place of a secret, unless it is masked already.
    pub(crate) fn mask(&mut self, place: &Place<'_>, text: &mut String, mark: &Arc<Mark>) -> Did {
        let new = match TextScrub::new(self.finder, self.limits, 0) {
            Ok(mut scrub) => {
                let new = scrub.mask(text, mark);
                self.collect(place, scrub);
                new
            }
            Err(Overrun) => Some(mark.text.clone()),
        };
        let Some(new) = new else { return Did::Nothing };
        *text = new;
        Did::Replaced
    }

    fn bytes(&mut self, place: &Place<'_>, bytes: &mut Vec<u8>) {
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        if self.text(place, &mut text) != Did::Nothing {
            *bytes = text.into_bytes();
        }
    }

    fn number(&mut self, place: &Place<'_>, value: &mut Value) {
        let small = matches!(value, Value::Int(int) if int.unsigned_abs() < 1_000_000_000_000);
        if small && self.finder.skips_small_numbers() {
            return;
        }
        let text = spelt(value);
        if let Some(mark) = self.finder.number(&text) {
            self.note(place, &mark, text.len());
            *value = Value::String(mark.text.clone());
        }
    }

    fn collect(&mut self, place: &Place<'_>, scrub: TextScrub<'_>) {
        for (mark, bytes) in scrub.hits {
            self.note(place, &mark, bytes);
        }
        self.secrets.extend(scrub.secrets);
    }
}

fn spelt(value: &Value) -> String {
    match value {
        Value::Int(int) => int.to_string(),
        Value::Double(double) => double.to_string(),
        Value::String(text) => text.clone(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Empty | Value::Bool(_) | Value::Array(_) | Value::Map(_) | Value::Framed(_) => String::new(),
    }
}
