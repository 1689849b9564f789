//! The fold: records of a run in, the run out. Pure; what is odd becomes a finding, nothing fails.
mod actions;
mod answer;
mod arena;
mod assemble;
mod blind;
pub mod case_id;
mod cases;
mod closing;
mod completeness;
mod draft;
mod effects;
mod evidence;
mod findings;
mod homes;
mod http_date;
mod identity;
mod limits;
mod linking;
mod listing;
mod merge;
mod node;
mod noted;
mod outcome;
mod proposals;
mod rail;
mod recognise;
mod replay;
mod scene;
mod settle;
mod shown;
mod summary;
mod tree;
mod verdict;
mod versions;
mod who;
mod words;
mod work;

pub use actions::Ledger;
pub use findings::{About, about};
pub use identity::{Part, SAME_RUN, joined_traces, runs_of};
pub use limits::{DEADLINE_NS, MINUTE_NS, READ_BACK_NS, SILENCE_NS};
pub use listing::listed_findings;

pub use shown::{Shown, is_raw, shown};
pub use work::{OTHERS, work_of};

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(in crate::domain) use tests::story;
