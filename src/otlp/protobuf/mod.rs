//! OTLP as protobuf, read straight from the wire: one reader for sound and for damaged requests, so that a
//! record reads the same whatever its neighbours are like, and no deeper or larger than our own limits.
mod attributes;
mod cursor;
mod envelope;
mod log;
mod metrics;
mod span;

pub use log::decode_logs_protobuf;
pub use metrics::read_metrics_protobuf;
pub use span::decode_traces_protobuf;
