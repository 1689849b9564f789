//! What answers for a hit: an operator's rule where one speaks of this place, else the built-in rule.
use std::sync::Arc;

use crate::redaction::mark::Rule;
use crate::redaction::selector::{Leaf, Selected, Selector, Spot};

/// Where a value stands and what it is, as rules with selectors see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    /// The field.
    pub(crate) spot: &'a Spot,
    /// The names below it, where its text is JSON.
    pub(crate) inner: &'a [String],
    /// The type.
    pub(crate) leaf: Leaf,
}

impl At<'_> {
    /// Whether a rule with this selector speaks of this place. Where that can't be told, it does.
    pub(crate) fn is_in(&self, scope: Option<&Selector>) -> bool {
        scope.is_none_or(|scope| scope.selects(self.spot, self.inner, self.leaf) != Selected::No)
    }
}

/// A built-in rule with the operator's rules on what it finds, or an operator's rule alone.
#[derive(Debug)]
pub(crate) struct Source {
    builtin: Option<Arc<Rule>>,
    own: Vec<(Option<Selector>, Arc<Rule>)>,
}

impl Source {
    /// The built-in rule, if it is on, and the operator's in the order in which they were written.
    pub(crate) fn new(builtin: Option<Arc<Rule>>, own: Vec<(Option<Selector>, Arc<Rule>)>) -> Self {
        Self { builtin, own }
    }

    /// Whether it can hit anywhere.
    pub(crate) fn is_used(&self) -> bool {
        self.builtin.is_some() || !self.own.is_empty()
    }

    /// Whether it depends on the place.
    pub(crate) fn is_scoped(&self) -> bool {
        self.own.iter().any(|(scope, _)| scope.is_some())
    }

    /// The rule for a hit here.
    pub(crate) fn at(&self, at: At<'_>) -> Option<&Arc<Rule>> {
        let own = self.own.iter().find(|(scope, _)| at.is_in(scope.as_ref()));
        own.map(|(_, rule)| rule).or(self.builtin.as_ref())
    }
}
