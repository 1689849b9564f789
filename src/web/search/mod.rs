//! Searching the texts of runs: what is typed, where it is looked for, and where it was found.
pub(in crate::web) mod asked;
pub(in crate::web) mod fragment;
pub(in crate::web) mod hits;
pub(in crate::web) mod needle;
