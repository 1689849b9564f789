//! Lists of findings: what was asked for, and how it is shown.
pub(in crate::web) mod asked;
pub(in crate::web) mod line;
pub(in crate::web) mod tally;
