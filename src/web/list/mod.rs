//! The list of runs in view: what it is filtered by, how runs spread over time and outcomes, and its lines.
pub(in crate::web) mod address;
pub(in crate::web) mod asked;
pub(in crate::web) mod columns;
pub(in crate::web) mod display;
pub(in crate::web) mod facets;
pub(in crate::web) mod line;
pub(in crate::web) mod pulse;
pub(in crate::web) mod sessions;
pub(in crate::web) mod words;
