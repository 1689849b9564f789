//! Tests of the fold: stories told with a small builder, and properties over arbitrary records.
mod attempts;
mod bugs;
mod findings;
mod logs;
mod outcomes;
mod properties;
mod scenarios;
mod shape;
pub(in crate::domain) mod story;
