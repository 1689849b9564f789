//! Derived lines: one a run, one a key, one a case. Made of records, so they can be made again.
mod clear;
mod standing;
mod write;

pub use standing::{
    StandingAction, StandingCase, StandingRun, standing_actions, standing_cases, standing_runs,
};
pub use write::{ActionLine, CaseLine, RunLine, write_actions, write_cases, write_runs};
