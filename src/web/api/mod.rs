//! The JSON API: the same records as the pages, for programs. Field names are fixed; adding is free.
pub(in crate::web) mod answer;
mod attempt;
mod body;
mod case;
pub(in crate::web) mod case_acts;
pub(in crate::web) mod cases;
pub(in crate::web) mod contents;
pub(in crate::web) mod entity;
pub(in crate::web) mod findings;
pub(in crate::web) mod keys;
mod otlp;
mod record;
pub(in crate::web) mod rejects;
pub(in crate::web) mod run;
pub(in crate::web) mod runs;
pub(in crate::web) mod spans;
mod step;
mod summary;
