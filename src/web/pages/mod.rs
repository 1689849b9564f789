//! The pages: each its own view model beside its own template.
pub(in crate::web) mod about_findings;
pub(in crate::web) mod accounts;
pub(in crate::web) mod case;
pub(in crate::web) mod content;
pub(in crate::web) mod conventions;
pub(in crate::web) mod entity;
pub(in crate::web) mod findings;
pub(in crate::web) mod key;
pub(in crate::web) mod keys;
pub(in crate::web) mod readiness;
pub(in crate::web) mod redaction;
pub(in crate::web) mod resolve_all;
pub(in crate::web) mod run;
pub(in crate::web) mod runs;
pub(in crate::web) mod status;
pub(in crate::web) mod trace;
pub(in crate::web) mod unknowns;
