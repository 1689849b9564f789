//! Redacts values, keys included, however deep they are nested.
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::domain::record::Redaction;
use crate::domain::value::Value;
use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::finder::Finder;
use crate::redaction::fold::Folded;
use crate::redaction::mark::{By, Mark, Rule};
use crate::redaction::place::Place;
use crate::redaction::rules::Whole;
use crate::redaction::selector::{Leaf, Spot};
use crate::redaction::settings::Limits;
use crate::redaction::source::At;
use crate::redaction::text::TextScrub;

/// Values, each with what stands for it.
type Values = Vec<(String, Arc<Mark>)>;

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
    /// The record came as an event or log record.
    event: bool,
    /// By path, rule and method.
    redactions: BTreeMap<(String, String, &'static str), (u32, u64)>,
    /// Values found under secret keys.
    pub(crate) secrets: Vec<(String, Arc<Mark>)>,
    /// Those too short to be looked for in texts: only what identifies is compared with them, as a whole.
    pub(crate) short: Vec<(String, Arc<Mark>)>,
    /// Paths of what was withheld.
    pub(crate) withheld: Vec<String>,
    /// Bodies of which nothing may stay, and what takes each.
    pub(crate) lost: BTreeMap<usize, By>,
}

impl<'a> Scrubber<'a> {
    /// A pass that looks for these.
    pub(crate) fn new(finder: Finder<'a>, limits: &'a Limits) -> Self {
        Self {
            finder,
            limits,
            event: false,
            redactions: BTreeMap::new(),
            secrets: Vec::new(),
            short: Vec::new(),
            withheld: Vec::new(),
            lost: BTreeMap::new(),
        }
    }

    /// The same for a record that came so.
    pub(crate) fn on(self, event: bool) -> Self {
        Self { event, ..self }
    }

    /// What it looks for.
    pub(crate) fn finder(&self) -> Finder<'a> {
        self.finder
    }

    /// A place as rules with selectors see it; nowhere, when there are none.
    pub(crate) fn spot(&self, place: &Place<'_>) -> Spot {
        if self.finder.is_scoped() { place.spot(self.event) } else { Spot::default() }
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
        let spot = self.spot(place);
        self.text_at(place, &spot, text)
    }

    /// Redacts pieces of one text where something is hit across them; `None` when nothing is.
    pub(crate) fn pieces(&mut self, place: &Place<'_>, pieces: &[&str]) -> Option<Vec<String>> {
        let (joined, spot) = (pieces.concat(), self.spot(place));
        let mut ends = Vec::with_capacity(pieces.len());
        pieces.iter().fold(0, |end, piece| {
            ends.push(end + piece.len());
            end + piece.len()
        });
        let folded = Folded::of(&joined);
        let suspicion = self.finder.suspect(&joined, &folded);
        if !suspicion.any() {
            return None;
        }
        let at = At { spot: &spot, inner: &[], leaf: Leaf::Text };
        let found = Budget::of_field(self.limits, joined.len())
            .and_then(|mut budget| self.finder.find(&joined, &folded, (suspicion, at), &mut budget));
        let Ok(mut hits) = found else {
            let mark = Mark::withheld("budget");
            self.note(place, &mark, joined.len());
            self.withheld.push(place.to_string());
            return Some(pieces.iter().map(|_| mark.text.clone()).collect());
        };
        let in_one = |range: &Range<usize>| {
            let of = |at: usize| ends.partition_point(|end| *end <= at);
            of(range.start) == of(range.end.saturating_sub(1))
        };
        hits.retain(|hit| !in_one(&hit.range));
        let marks = self.finder.marks(&joined, hits);
        marks.iter().for_each(|(range, mark)| self.note(place, mark, range.len()));
        (!marks.is_empty()).then(|| cut(&joined, &ends, &marks))
    }

    /// Redacts a text that stands elsewhere, or in several places, for selectors.
    pub(crate) fn text_at(&mut self, place: &Place<'_>, spot: &Spot, text: &mut String) -> Did {
        let result = TextScrub::new(self.finder, self.limits, spot, text.len()).and_then(|mut scrub| {
            let new = scrub.whole(text)?;
            Ok((new, scrub))
        });
        match result {
            Ok((new, scrub)) => {
                self.collect(place, (scrub.hits, scrub.secrets, scrub.short));
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

    /// Redacts keys and values in place. `secret` is the rule on a secret key above them.
    pub(crate) fn pairs(
        &mut self,
        place: &Place<'_>,
        pairs: &mut Vec<(String, Value)>,
        secret: Option<&Arc<Rule>>,
    ) {
        pairs.retain_mut(|(key, value)| self.pair(place, key, value, secret));
    }

    /// False when nothing of the pair stays, not even its key.
    fn pair(
        &mut self,
        place: &Place<'_>,
        key: &mut String,
        value: &mut Value,
        secret: Option<&Arc<Rule>>,
    ) -> bool {
        let suspected = self.finder.suspect(key, &Folded::of(key)).any() || !key.is_ascii();
        let spot = self.spot(&place.below(key));
        let at = At { spot: &spot, inner: &[], leaf: Leaf::Text };
        if let Whole::All(rule) = self.finder.whole(at)
            && rule.drops_pairs()
        {
            // The key may tell what the rule takes, so the place does not name it.
            self.value(place, value, Some(&rule));
            return false;
        }
        let own = if suspected { self.finder.secret_key(key, at) } else { None };
        if suspected {
            self.text(place, key);
        }
        let rule = own.as_ref().or(secret);
        self.value(&place.below(key), value, rule);
        !own.is_some_and(|rule| rule.drops_pairs())
    }

    /// Redacts a value in place; under a secret key nothing of it stays but truth values.
    pub(crate) fn value(&mut self, place: &Place<'_>, value: &mut Value, secret: Option<&Arc<Rule>>) {
        match (value, secret) {
            (Value::Empty | Value::Bool(_), _) => {}
            (Value::String(text), None) => {
                self.text(place, text);
            }
            (Value::String(text), Some(rule)) => {
                self.mask(place, text, &By::Rule(Arc::clone(rule)));
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
            (value @ Value::Framed(_), Some(rule)) => {
                if let Value::Framed(pieces) = &*value
                    && !self.secret_frame(pieces, rule)
                {
                    let mark = rule.mark("", self.finder.key);
                    self.note(place, &mark, 0);
                    *value = Value::String(mark.text.clone());
                }
            }
            (value @ (Value::Int(_) | Value::Double(_) | Value::Bytes(_)), Some(rule)) => {
                let mut text = spelt(value);
                self.mask(place, &mut text, &By::Rule(Arc::clone(rule)));
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
    pub(crate) fn mask(&mut self, place: &Place<'_>, text: &mut String, by: &By) -> Did {
        let spot = Spot::default();
        let new = match TextScrub::new(self.finder, self.limits, &spot, 0) {
            Ok(mut scrub) => {
                let new = scrub.mask(text, by);
                self.collect(place, (scrub.hits, scrub.secrets, scrub.short));
                new
            }
            Err(Overrun) => Some(by.mark(text, self.finder.key).text.clone()),
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
        let (text, spot) = (spelt(value), self.spot(place));
        if let Some(by) = self.finder.number(&text, At { spot: &spot, inner: &[], leaf: Leaf::Number }) {
            let mark = by.mark(&text, self.finder.key);
            self.note(place, &mark, text.len());
            *value = Value::String(mark.text.clone());
        }
    }

    fn collect(
        &mut self,
        place: &Place<'_>,
        (hits, secrets, short): (Vec<(Arc<Mark>, usize)>, Values, Values),
    ) {
        for (mark, bytes) in hits {
            self.note(place, &mark, bytes);
        }
        self.secrets.extend(secrets);
        self.short.extend(short);
    }
}

/// The pieces without what the marks cover; each mark stands where it began.
fn cut(joined: &str, ends: &[usize], marks: &[(Range<usize>, Arc<Mark>)]) -> Vec<String> {
    let mut start = 0;
    ends.iter()
        .map(|end| {
            let (mut out, mut from) = (String::new(), start);
            for (range, mark) in marks.iter().filter(|(range, _)| range.start < *end && range.end > start) {
                out.push_str(joined.get(from..range.start.max(from)).unwrap_or_default());
                if range.start >= start {
                    out.push_str(&mark.text);
                }
                from = range.end.min(*end);
            }
            out.push_str(joined.get(from..*end).unwrap_or_default());
            start = *end;
            out
        })
        .collect()
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
