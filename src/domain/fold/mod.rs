//! The fold: records of a run in, the run out. Pure; what is odd becomes a finding, nothing fails.
mod actions;
mod answer;
mod arena;
mod assemble;
pub mod case_id;
mod completeness;
mod draft;
mod effects;
mod evidence;
mod findings;
mod homes;
mod identity;
mod limits;
mod linking;
mod merge;
mod node;
mod noted;
mod outcome;
mod proposals;
mod rail;
mod recognise;
mod scene;
mod settle;
mod summary;
mod tree;
mod verdict;
mod versions;
mod who;
mod words;

pub use identity::{Part, SAME_RUN, joined_traces, runs_of};
pub use limits::{DEADLINE_NS, MINUTE_NS, READ_BACK_NS, SILENCE_NS};

#[cfg(test)]
mod tests;
