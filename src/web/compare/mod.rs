//! Two things held against each other: attempts, steps or whole runs; what is alike is folded.
pub(in crate::web) mod asked;
pub(in crate::web) mod context;
pub(in crate::web) mod find;
pub(in crate::web) mod runs;
pub(in crate::web) mod side;
pub(in crate::web) mod table;
pub(in crate::web) mod two;
pub(in crate::web) mod words;
