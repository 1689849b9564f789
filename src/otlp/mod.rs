//! OTLP requests in, flat spans and log records out; what can be saved is saved.
mod span;

pub use span::{Decoded, Refused, WireLog, WireSpan};
