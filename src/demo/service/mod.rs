//! A small payments and mail service: it keeps a ledger, honours idempotency keys, and fails when told to.
pub(super) mod fault;
mod ledger;
mod line;
mod routes;

pub(super) use line::{Answer, Headers, Line};
pub(super) use routes::Service;
