//! Redacts one text: as JSON where it is JSON, down to strings inside strings, else as plain text.
use std::sync::Arc;

use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::finder::{Finder, Suspicion};
use crate::redaction::fold::Folded;
use crate::redaction::json::{self, Leaves};
use crate::redaction::known::Long;
use crate::redaction::mark::{By, Mark, Rule, is_mark, replaced};
use crate::redaction::rules::Whole;
use crate::redaction::selector::{Leaf, Spot, names};
use crate::redaction::settings::Limits;
use crate::redaction::source::At;

/// How many times JSON inside a JSON string is opened again.
const DEPTH_MAX: usize = 5;
/// A shorter secret is not looked for elsewhere: it would hit words that are none.
const ECHO_BYTES_MIN: usize = 8;
/// A longer one is not either: nobody repeats it in an error text.
const ECHO_BYTES_MAX: usize = 4096;
/// More than any JSON text nests.
const LEVELS: usize = 1 << 20;

/// One text being redacted.
pub(crate) struct TextScrub<'a> {
    finder: Finder<'a>,
    budget: Budget,
    spot: &'a Spot,
    depth: usize,
    /// The names below the spot, when some rule asks for them.
    inner: Vec<String>,
    /// For each key on the way: how deep its object is, and how many names come before it.
    entered: Vec<(usize, usize)>,
    /// What was hit, with the length of each hit in bytes.
    pub(crate) hits: Vec<(Arc<Mark>, usize)>,
    /// Values found under secret keys.
    pub(crate) secrets: Vec<(String, Arc<Mark>)>,
    /// Those too short to be looked for in texts, that an operator's rule took.
    pub(crate) short: Vec<(String, Arc<Mark>)>,
}

impl<'a> TextScrub<'a> {
    /// Starts on a field of this length.
    pub(crate) fn new(
        finder: Finder<'a>,
        limits: &Limits,
        spot: &'a Spot,
        bytes: usize,
    ) -> Result<Self, Overrun> {
        Ok(Self {
            finder,
            budget: Budget::of_field(limits, bytes)?,
            spot,
            depth: 0,
            inner: Vec::new(),
            entered: Vec::new(),
            hits: Vec::new(),
            secrets: Vec::new(),
            short: Vec::new(),
        })
    }

    /// The redacted text of a whole field; `None` when it may stay as it is. What was found clean lately is
    /// not looked at again.
    pub(crate) fn whole(&mut self, text: &str) -> Result<Option<String>, Overrun> {
        let sum = match self.finder.long(text) {
            Long::Clean => return Ok(None),
            Long::Unknown(sum) => Some(sum),
            Long::NotKept => None,
        };
        let new = self.scrub(text)?;
        if let Some(sum) = sum
            && new.is_none()
            && self.hits.is_empty()
            && self.secrets.is_empty()
        {
            self.finder.remember_long(sum);
        }
        Ok(new)
    }

    /// The redacted text; `None` when it may stay as it is.
    fn scrub(&mut self, text: &str) -> Result<Option<String>, Overrun> {
        let folded = Folded::of(text);
        let suspicion = self.finder.suspect(text, &folded);
        let may_open = self.depth < DEPTH_MAX && json::looks_like_json(text);
        let rest_goes = match self.finder.whole(self.at(Leaf::Text)) {
            Whole::No if !suspicion.any() => return Ok(None),
            Whole::Inside if !suspicion.any() && !may_open => return Ok(None),
            Whole::No | Whole::Inside => None,
            Whole::All(rule) => return Ok(self.take(text, rule)),
            Whole::Parts(rule) if !may_open => return Ok(self.take(text, rule)),
            Whole::Parts(rule) => Some(rule),
        };
        if !may_open {
            return self.plain(text, &folded, suspicion);
        }
        let (names, keys) = (self.inner.len(), self.entered.len());
        self.depth += 1;
        let spliced = json::splice(text, self);
        self.depth -= 1;
        self.inner.truncate(names);
        self.entered.truncate(keys);
        let spliced = spliced?;
        if spliced.whole {
            return Ok(spliced.text);
        }
        if let Some(rule) = rest_goes {
            return Ok(self.take(text, rule));
        }
        let rest = spliced.text.as_deref().unwrap_or(text);
        let folded = Folded::of(rest);
        let suspicion = self.finder.suspect(rest, &folded);
        Ok(self.plain(rest, &folded, suspicion)?.or(spliced.text))
    }

    /// A value of which nothing may stay; `None` when it is masked already.
    pub(crate) fn mask(&mut self, value: &str, by: &By) -> Option<String> {
        if is_mark(value) {
            return None;
        }
        let mark = match self.finder.echoes.exactly(value) {
            Some(mark) => Arc::clone(mark),
            None => by.mark(value, self.finder.key),
        };
        Some(self.put(value, mark, true))
    }

    /// A value of which a rule on whole values leaves nothing.
    fn take(&mut self, value: &str, rule: Arc<Rule>) -> Option<String> {
        let echoes = rule.echoes();
        let mark = rule.mark(value, self.finder.key);
        Some(self.put(value, mark, echoes))
    }

    fn put(&mut self, value: &str, mark: Arc<Mark>, echoes: bool) -> String {
        self.hits.push((Arc::clone(&mark), value.len()));
        // `Bearer abc`: the part after the scheme is what others repeat.
        let credentials = value.split_once(' ').map(|(_, rest)| rest).filter(|rest| !rest.contains(' '));
        for secret in std::iter::once(value).chain(credentials).filter(|_| echoes) {
            if (ECHO_BYTES_MIN..=ECHO_BYTES_MAX).contains(&secret.len()) {
                self.secrets.push((secret.to_owned(), Arc::clone(&mark)));
            }
        }
        if echoes && mark.is_own() && (1..ECHO_BYTES_MIN).contains(&value.len()) {
            self.short.push((value.to_owned(), Arc::clone(&mark)));
        }
        mark.text.clone()
    }

    fn plain(
        &mut self,
        text: &str,
        folded: &Folded<'_>,
        suspicion: Suspicion,
    ) -> Result<Option<String>, Overrun> {
        let at = At { spot: self.spot, inner: &self.inner, leaf: Leaf::Text };
        let hits = self.finder.find(text, folded, (suspicion, at), &mut self.budget)?;
        let marks = self.finder.marks(text, hits);
        self.hits.extend(marks.iter().map(|(range, mark)| (Arc::clone(mark), range.len())));
        Ok((!marks.is_empty()).then(|| replaced(text, &marks)))
    }

    fn at(&self, leaf: Leaf) -> At<'_> {
        At { spot: self.spot, inner: &self.inner, leaf }
    }

    /// How deep something is, JSON inside strings included.
    fn level(&self, depth: usize) -> usize {
        self.depth * LEVELS + depth
    }

    /// Forgets the keys of objects that are so deep or deeper.
    fn back_to(&mut self, level: usize) {
        while let Some((_, names)) = self.entered.pop_if(|(entered, _)| *entered >= level) {
            self.inner.truncate(names);
        }
    }
}

impl Leaves for TextScrub<'_> {
    fn enter(&mut self, depth: usize, key: &str) {
        if self.finder.is_scoped() {
            let level = self.level(depth);
            self.back_to(level);
            self.entered.push((level, self.inner.len()));
            self.inner.extend(names(key));
        }
    }

    fn leave(&mut self, depth: usize) {
        self.back_to(self.level(depth));
    }

    fn key(&mut self, key: &str) -> Result<Option<String>, Overrun> {
        let folded = Folded::of(key);
        let suspicion = self.finder.suspect(key, &folded);
        if suspicion.any() { self.plain(key, &folded, suspicion) } else { Ok(None) }
    }

    fn secret_key(&self, key: &str) -> Option<Arc<Rule>> {
        self.finder.secret_key(key, self.at(Leaf::Text))
    }

    fn text(&mut self, text: &str) -> Result<Option<String>, Overrun> {
        self.scrub(text)
    }

    fn number(&mut self, number: &str) -> Result<Option<String>, Overrun> {
        let Some(by) = self.finder.number(number, self.at(Leaf::Number)) else { return Ok(None) };
        self.budget.spend()?;
        let mark = by.mark(number, self.finder.key);
        self.hits.push((Arc::clone(&mark), number.len()));
        Ok(Some(mark.text.clone()))
    }

    fn secret(&mut self, value: &str, rule: &Arc<Rule>) -> Option<String> {
        self.mask(value, &By::Rule(Arc::clone(rule)))
    }
}
