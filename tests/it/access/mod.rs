//! Who may send, who may see what, and the record of who did.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
mod holds;
mod house;
pub(crate) mod people;
mod projects;
mod sending;
