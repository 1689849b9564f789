//! OTLP as JSON, read leniently: everything that senders in the field write and that has one meaning.
mod attributes;
mod envelope;
mod fields;
mod log;
mod metrics;
mod number;
mod reader;
mod span;
mod text;

pub use log::decode_logs_json;
pub use metrics::read_metrics_json;
pub use span::decode_traces_json;
