//! What all runs of a demo share, and what one run is given.
use std::time::SystemTime;

use crate::demo::chance::Chance;
use crate::demo::designed::intents::Intents;
use crate::demo::scenario::Scenario;
use crate::demo::service::{Line, Service};
use crate::demo::telemetry::Telemetry;
use crate::demo::ticket::Ticket;

/// The surroundings.
#[derive(Debug)]
pub(super) struct Stage {
    /// The payments and mail service.
    pub(super) service: Service,
    /// The way to it.
    pub(super) line: Line,
    /// The way to Recount.
    pub(super) telemetry: Telemetry,
    /// The designed loop's notes.
    pub(super) intents: Intents,
}

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The story.
    pub(super) scenario: Scenario,
    /// The customer's case.
    pub(super) ticket: Ticket,
    /// When it starts.
    pub(super) started: SystemTime,
    /// Its chance.
    pub(super) chance: Chance,
}
