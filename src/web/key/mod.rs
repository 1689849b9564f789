//! A key as people see it: its parts, the path its state took, and whether its arguments drifted.
pub(in crate::web) mod drift;
pub(in crate::web) mod machine;
pub(in crate::web) mod parts;
pub(in crate::web) mod spelt;
