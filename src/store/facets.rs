//! What the runs of a filter or a search have in common, as counts.
use std::collections::BTreeMap;

use crate::store::run_filter::RunField;

/// A value of a field and how many runs have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// The value.
    pub value: String,
    /// How many runs.
    pub runs: u64,
}

/// What the runs of a filter are like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFacets {
    /// How many runs there are.
    pub runs: u64,
    /// The time in the list of the oldest, nanoseconds since 1970; 0 when there is none or nobody asked.
    pub first_ns: u64,
    /// The time in the list of the newest.
    pub last_ns: u64,
    /// The values of each field that was counted, most frequent first.
    pub fields: BTreeMap<RunField, Vec<Facet>>,
}
