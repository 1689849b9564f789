//! What really happened in a run, from the ledger of the service and not from what the agent said.
use std::fmt;

use crate::demo::scenario::Scenario;

/// One effect in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// `refund`, `email` or `order_update`.
    pub kind: &'static str,
    /// The ledger's id, such as `re_9013`.
    pub id: String,
    /// On what, such as `order:4812`.
    pub target: String,
    /// The idempotency key that came with it.
    pub key: Option<String>,
}

/// The truth about one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// What was played.
    pub scenario: Scenario,
    /// The run's id: the one the agent gave, or else the id of its trace.
    pub run_id: String,
    /// Its traces, lower-case hex, in order of start.
    pub traces: Vec<String>,
    /// The order it was about, such as `order:4812`.
    pub order: String,
    /// The customer's account, such as `account:2291`.
    pub account: String,
    /// The ledger.
    pub effects: Vec<Effect>,
}

impl Truth {
    /// How many effects of a kind there are.
    pub fn count(&self, kind: &str) -> usize {
        self.effects.iter().filter(|effect| effect.kind == kind).count()
    }
}

impl fmt::Display for Truth {
    /// One line: `timeout-naive order:4812: 2 refunds, 1 email`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:", self.scenario.word(), self.order)?;
        let kinds = [("refund", "refund"), ("email", "email"), ("order_update", "order update")];
        let told: Vec<String> = kinds
            .into_iter()
            .map(|(kind, name)| (self.count(kind), name))
            .filter(|(count, name)| *count > 0 || *name == "refund")
            .map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }))
            .collect();
        write!(f, " {}", told.join(", "))
    }
}
