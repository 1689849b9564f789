//! Everything that is looked for in a text: the rules, and the values that were hit elsewhere in the step.
use std::sync::Arc;

use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::echo::Echoes;
use crate::redaction::fold::Folded;
use crate::redaction::mark::{Hit, Mark, merged};
use crate::redaction::rules::{Look, Rules};

/// What to look for. Without rules only echoes are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finder<'a> {
    /// The rules.
    pub(crate) rules: Option<&'a Rules>,
    /// The values.
    pub(crate) echoes: &'a Echoes,
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

    /// The hits in a text, in order, without overlaps.
    pub(crate) fn find(
        &self,
        text: &str,
        folded: &Folded<'_>,
        suspicion: Suspicion,
        budget: &mut Budget,
    ) -> Result<Vec<Hit>, Overrun> {
        let mut hits = Vec::new();
        if let Some(rules) = self.rules.filter(|_| suspicion.look.any()) {
            rules.find(folded.view(), suspicion.look, budget, &mut hits)?;
            if folded.differs() {
                hits.iter_mut().for_each(|hit| hit.range = folded.original(hit.range.clone()));
            }
        }
        if suspicion.echo {
            self.echoes.find(text, budget, &mut hits)?;
        }
        Ok(merged(hits))
    }

    /// The mark for the value under this key, when the key says that it is secret.
    pub(crate) fn secret_key(&self, key: &str) -> Option<Arc<Mark>> {
        self.rules.and_then(|rules| rules.secret_key(key))
    }

    /// The mark for a number that a rule hits or that was hit elsewhere.
    pub(crate) fn number(&self, number: &str) -> Option<Arc<Mark>> {
        let hit = || self.rules.and_then(|rules| rules.number(number));
        self.echoes.exactly(number).cloned().or_else(hit)
    }

    /// Whether no number below 10^12 can be hit: most are, and spelling them costs more than all else.
    pub(crate) fn skips_small_numbers(&self) -> bool {
        self.echoes.is_empty() && self.rules.is_none_or(Rules::skips_small_numbers)
    }
}
