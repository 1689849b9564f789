//! Everything that is looked for in a text: the rules, and the values that were hit elsewhere in the step.
use std::ops::Range;
use std::sync::Arc;

use crate::domain::secret::SecretKey;
use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::echo::Echoes;
use crate::redaction::fold::Folded;
use crate::redaction::known::{Long, Sum};
use crate::redaction::mark::{By, Hit, Mark, Rule, merged};
use crate::redaction::rules::{Look, Rules, Whole};
use crate::redaction::source::At;

/// What to look for. Without rules only echoes are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finder<'a> {
    /// The rules.
    pub(crate) rules: Option<&'a Rules>,
    /// The values.
    pub(crate) echoes: &'a Echoes,
    /// The project's key, for what stands in the place of values.
    pub(crate) key: &'a SecretKey,
}

/// What may be in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspicion {
    look: Look,
    echo: bool,
}

impl Suspicion {
    /// Whether the text needs a closer look.
    pub(crate) fn any(self) -> bool {
        self.look.any() || self.echo
    }
}

impl Finder<'_> {
    /// A quick look at a text and at its view.
    pub(crate) fn suspect(&self, text: &str, folded: &Folded<'_>) -> Suspicion {
        Suspicion {
            look: self.rules.map(|rules| rules.look(folded.view())).unwrap_or_default(),
            echo: self.echoes.suspects(text),
        }
    }

    /// What is known of a longer text. Nothing is, where it matters where a text stands or what else is in
    /// its step.
    pub(crate) fn long(&self, text: &str) -> Long {
        match self.rules.filter(|rules| self.echoes.is_empty() && !rules.is_scoped()) {
            Some(rules) => rules.known().long(text),
            None => Long::NotKept,
        }
    }

    /// That text was found clean.
    pub(crate) fn remember_long(&self, sum: Sum) {
        if let Some(rules) = self.rules {
            rules.known().remember_long(sum);
        }
    }

    /// Whether any rule asks where a value stands.
    pub(crate) fn is_scoped(&self) -> bool {
        self.rules.is_some_and(Rules::is_scoped)
    }

    /// The hits in a text, in order, without overlaps.
    pub(crate) fn find(
        &self,
        text: &str,
        folded: &Folded<'_>,
        (suspicion, at): (Suspicion, At<'_>),
        budget: &mut Budget,
    ) -> Result<Vec<Hit>, Overrun> {
        let mut hits = Vec::new();
        if let Some(rules) = self.rules.filter(|_| suspicion.look.any()) {
            rules.find(folded.view(), (suspicion.look, at), budget, &mut hits)?;
            if folded.differs() {
                hits.iter_mut().for_each(|hit| hit.range = folded.original(hit.range.clone()));
            }
        }
        if suspicion.echo {
            self.echoes.find(text, budget, &mut hits)?;
        }
        Ok(merged(hits))
    }

    /// What stands in the place of each hit.
    pub(crate) fn marks(&self, text: &str, hits: Vec<Hit>) -> Vec<(Range<usize>, Arc<Mark>)> {
        let marked = |Hit { range, by }: Hit| {
            let mark = by.mark(text.get(range.clone()).unwrap_or_default(), self.key);
            (range, mark)
        };
        hits.into_iter().map(marked).collect()
    }

    /// The rule on the value under this key, when the key says that it is secret.
    pub(crate) fn secret_key(&self, key: &str, at: At<'_>) -> Option<Arc<Rule>> {
        self.rules.and_then(|rules| rules.secret_key(key, at))
    }

    /// What rules on whole values say of this place.
    pub(crate) fn whole(&self, at: At<'_>) -> Whole {
        self.rules.filter(|rules| rules.is_scoped()).map_or(Whole::No, |rules| rules.whole(at))
    }

    /// What hits a number: a rule, or that it was hit elsewhere.
    pub(crate) fn number(&self, number: &str, at: At<'_>) -> Option<By> {
        let hit = || self.rules.and_then(|rules| rules.number(number, at)).map(By::Rule);
        self.echoes.exactly(number).map(|mark| By::Echo(Arc::clone(mark))).or_else(hit)
    }

    /// Whether no number below 10^12 can be hit: most are, and spelling them costs more than all else.
    pub(crate) fn skips_small_numbers(&self) -> bool {
        self.echoes.is_empty() && self.rules.is_none_or(Rules::skips_small_numbers)
    }
}
