//! Derived lines: one a run, one a key. Made of records, so they can be made again.
mod clear;
mod standing;
mod write;

pub use standing::{StandingAction, StandingRun, standing_actions, standing_runs};
pub use write::{ActionLine, RunLine, write_actions, write_runs};
