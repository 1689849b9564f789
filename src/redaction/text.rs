//! Redacts one text: as JSON where it is JSON, down to strings inside strings, else as plain text.
use std::sync::Arc;

use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::finder::{Finder, Suspicion};
use crate::redaction::fold::Folded;
use crate::redaction::json::{self, Leaves};
use crate::redaction::mark::{Mark, is_mark, replaced};
use crate::redaction::settings::Limits;

/// How many times JSON inside a JSON string is opened again.
const DEPTH_MAX: usize = 5;
/// A shorter secret is not looked for elsewhere: it would hit words that are none.
const ECHO_BYTES_MIN: usize = 8;
/// A longer one is not either: nobody repeats it in an error text.
const ECHO_BYTES_MAX: usize = 4096;

/// One text being redacted.
pub(crate) struct TextScrub<'a> {
    finder: Finder<'a>,
    budget: Budget,
    depth: usize,
    /// What was hit, with the length of each hit in bytes.
    pub(crate) hits: Vec<(Arc<Mark>, usize)>,
    /// Values found under secret keys.
    pub(crate) secrets: Vec<(String, Arc<Mark>)>,
}

impl<'a> TextScrub<'a> {
    /// Starts on a field of this length.
    pub(crate) fn new(finder: Finder<'a>, limits: &Limits, bytes: usize) -> Result<Self, Overrun> {
        let budget = Budget::of_field(limits, bytes)?;
        Ok(Self { finder, budget, depth: 0, hits: Vec::new(), secrets: Vec::new() })
    }

    /// The redacted text; `None` when it may stay as it is.
    pub(crate) fn scrub(&mut self, text: &str) -> Result<Option<String>, Overrun> {
        let folded = Folded::of(text);
        let suspicion = self.finder.suspect(text, &folded);
        if !suspicion.any() {
            return Ok(None);
        }
        if self.depth >= DEPTH_MAX || !json::looks_like_json(text) {
            return self.plain(text, &folded, suspicion);
        }
        self.depth += 1;
        let spliced = json::splice(text, self);
        self.depth -= 1;
        let spliced = spliced?;
        if spliced.whole {
            return Ok(spliced.text);
        }
        let rest = spliced.text.as_deref().unwrap_or(text);
        let folded = Folded::of(rest);
        let suspicion = self.finder.suspect(rest, &folded);
        Ok(self.plain(rest, &folded, suspicion)?.or(spliced.text))
    }

    /// A value that a key says is secret; `None` when it is masked already.
    pub(crate) fn mask(&mut self, value: &str, mark: &Arc<Mark>) -> Option<String> {
        if is_mark(value) {
            return None;
        }
        let mark = self.finder.echoes.exactly(value).unwrap_or(mark);
        self.hits.push((Arc::clone(mark), value.len()));
        // `Bearer abc`: the part after the scheme is what others repeat.
        let credentials = value.split_once(' ').map(|(_, rest)| rest).filter(|rest| !rest.contains(' '));
        for secret in std::iter::once(value).chain(credentials) {
            if (ECHO_BYTES_MIN..=ECHO_BYTES_MAX).contains(&secret.len()) {
                self.secrets.push((secret.to_owned(), Arc::clone(mark)));
            }
        }
        Some(mark.text.clone())
    }

    fn plain(
        &mut self,
        text: &str,
        folded: &Folded<'_>,
        suspicion: Suspicion,
    ) -> Result<Option<String>, Overrun> {
        let hits = self.finder.find(text, folded, suspicion, &mut self.budget)?;
        self.hits.extend(hits.iter().map(|hit| (Arc::clone(&hit.mark), hit.range.len())));
        Ok((!hits.is_empty()).then(|| replaced(text, &hits)))
    }
}

impl Leaves for TextScrub<'_> {
    fn key(&mut self, key: &str) -> Result<Option<String>, Overrun> {
        let folded = Folded::of(key);
        let suspicion = self.finder.suspect(key, &folded);
        if suspicion.any() { self.plain(key, &folded, suspicion) } else { Ok(None) }
    }

    fn secret_key(&self, key: &str) -> Option<Arc<Mark>> {
        self.finder.secret_key(key)
    }

    fn text(&mut self, text: &str) -> Result<Option<String>, Overrun> {
        self.scrub(text)
    }

    fn number(&mut self, number: &str) -> Result<Option<String>, Overrun> {
        let Some(mark) = self.finder.number(number) else { return Ok(None) };
        self.budget.spend()?;
        self.hits.push((Arc::clone(&mark), number.len()));
        Ok(Some(mark.text.clone()))
    }

    fn secret(&mut self, value: &str, mark: &Arc<Mark>) -> Option<String> {
        self.mask(value, mark)
    }
}
