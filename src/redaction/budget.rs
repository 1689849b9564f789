//! How much work one field may cost, and what is said when it costs more.
use std::time::Instant;

use crate::redaction::settings::Limits;

/// The work left for one field.
#[derive(Debug)]
pub(crate) struct Budget {
    hits_left: u32,
    until: Option<Instant>,
}

/// A field cost more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overrun;

impl Budget {
    /// The budget of a field of this length.
    pub(crate) fn of_field(limits: &Limits, bytes: usize) -> Result<Self, Overrun> {
        if bytes > limits.field_bytes_max {
            return Err(Overrun);
        }
        let until = Instant::now().checked_add(limits.field_time_max);
        Ok(Self { hits_left: limits.field_hits_max, until })
    }

    /// Takes one match off the budget.
    pub(crate) fn spend(&mut self) -> Result<(), Overrun> {
        self.hits_left = self.hits_left.checked_sub(1).ok_or(Overrun)?;
        self.check_time()
    }

    /// Fails when the time is over.
    pub(crate) fn check_time(&self) -> Result<(), Overrun> {
        if self.until.is_some_and(|until| Instant::now() > until) { Err(Overrun) } else { Ok(()) }
    }
}
