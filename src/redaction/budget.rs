//! How much work one field may cost, and what is said when it costs more.
use std::time::{Duration, Instant};

use crate::redaction::settings::Limits;

/// The work left for one field.
#[derive(Debug)]
pub(crate) struct Budget {
    hits_left: u32,
    time_max: Duration,
    /// Set by the first match: most fields have none, and a look at the clock costs as much as a short text.
    started: Option<Instant>,
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
        Ok(Self { hits_left: limits.field_hits_max, time_max: limits.field_time_max, started: None })
    }

    /// Takes one match off the budget.
    pub(crate) fn spend(&mut self) -> Result<(), Overrun> {
        self.hits_left = self.hits_left.checked_sub(1).ok_or(Overrun)?;
        self.check_time()
    }

    /// Fails when the time is over.
    pub(crate) fn check_time(&mut self) -> Result<(), Overrun> {
        let started = *self.started.get_or_insert_with(Instant::now);
        if started.elapsed() > self.time_max { Err(Overrun) } else { Ok(()) }
    }
}
