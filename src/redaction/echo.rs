//! Values that were redacted or pseudonymised in one place, looked for in all others of the same step.
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::mark::{By, Hit, Mark};

/// Most values that one step may have; more is beyond the budget.
const VALUES_MAX: usize = 4096;

/// The values and what stands for each.
#[derive(Debug, Default)]
pub(crate) struct Echoes {
    matcher: Option<AhoCorasick>,
    values: Vec<(String, Arc<Mark>)>,
}

impl Echoes {
    /// A finder of these values.
    pub(crate) fn new(mut values: Vec<(String, Arc<Mark>)>) -> Result<Self, Overrun> {
        values.sort_by(|a, b| (&a.0, a.1.method != "pseudonym").cmp(&(&b.0, b.1.method != "pseudonym")));
        values.dedup_by(|a, b| a.0 == b.0);
        if values.is_empty() {
            return Ok(Self::default());
        }
        if values.len() > VALUES_MAX {
            return Err(Overrun);
        }
        // Built for one step and used on its texts only: what is quick to build wins.
        let matcher = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(values.iter().map(|(value, _)| value))
            .map_err(|_too_large| Overrun)?;
        Ok(Self { matcher: Some(matcher), values })
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a text may have one of them, in the open or behind escapes.
    pub(crate) fn suspects(&self, text: &str) -> bool {
        self.matcher.as_ref().is_some_and(|matcher| text.contains('\\') || matcher.is_match(text))
    }

    /// Every place where one of them stands.
    pub(crate) fn find(&self, text: &str, budget: &mut Budget, hits: &mut Vec<Hit>) -> Result<(), Overrun> {
        for found in self.matcher.iter().flat_map(|matcher| matcher.find_iter(text)) {
            budget.spend()?;
            if let Some((_, mark)) = self.values.get(found.pattern().as_usize()) {
                hits.push(Hit { range: found.range(), by: By::Echo(Arc::clone(mark)) });
            }
        }
        Ok(())
    }

    /// What stands for exactly this value.
    pub(crate) fn exactly(&self, value: &str) -> Option<&Arc<Mark>> {
        let at = self.values.binary_search_by(|(known, _)| known.as_str().cmp(value)).ok()?;
        self.values.get(at).map(|(_, mark)| mark)
    }
}
