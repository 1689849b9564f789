//! The listeners over real sockets: statuses, types, encodings, limits and patience.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first surprise")]
mod admission;
mod canary;
pub(crate) mod client;
mod conformance;
mod grpc;
mod hostile;
pub(crate) mod http;
mod kept;
mod sdk;
pub(crate) mod server;
