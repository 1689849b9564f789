//! OTLP requests in, flat spans and log records out; what can be saved is saved.
mod budget;
mod error;
mod fault;
mod gather;
mod json;
mod limits;
mod metrics;
mod protobuf;
mod reading;
mod span;
#[cfg(test)]
mod tests;

pub use error::DecodeError;
pub use fault::CLASSES;
pub use json::{decode_logs_json, decode_traces_json, read_metrics_json};
pub use limits::{ATTRIBUTES_MAX, ITEMS_MAX, NESTING_MAX, REQUEST_BYTES_MAX, VALUE_BYTES_MAX, sha256};
pub use metrics::{LOST_MAX, Lost, MetricsTold};
pub use protobuf::{decode_logs_protobuf, decode_traces_protobuf, read_metrics_protobuf};
pub use span::{Cut, Decoded, Refused, WireLog, WireSpan};
