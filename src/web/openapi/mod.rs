//! `/api/v1/openapi.json`: the API, described by what it is made of.
pub(in crate::web) mod document;
pub(in crate::web) mod operation;
pub(in crate::web) mod table;
