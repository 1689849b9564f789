//! The three signals of OTLP, the two formats of its bodies, and what their senders are told.
use std::borrow::Cow;

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsPartialSuccess, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsPartialSuccess, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceResponse,
};
use prost::Message;
use serde_json::json;

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Log records.
    Logs,
    /// Metrics: read, not kept.
    Metrics,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `application/x-protobuf`.
    Protobuf,
    /// `application/json`.
    Json,
}

impl Signal {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Traces, Self::Logs, Self::Metrics];

    /// The word for it in metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Logs => "logs",
            Self::Metrics => "metrics",
        }
    }

    /// Where it is sent over HTTP.
    pub fn path(self) -> &'static str {
        match self {
            Self::Traces => "/v1/traces",
            Self::Logs => "/v1/logs",
            Self::Metrics => "/v1/metrics",
        }
    }

    /// Where SDKs send it that know the path of one server only.
    pub fn also(self) -> &'static [&'static str] {
        match self {
            Self::Traces => &["/api/public/otel/v1/traces"],
            Self::Logs | Self::Metrics => &[],
        }
    }

    /// Where it is sent over gRPC.
    pub fn grpc_path(self) -> &'static str {
        match self {
            Self::Traces => "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
            Self::Logs => "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
            Self::Metrics => "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
        }
    }
}

/// A success, whole or in part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many records were refused.
    pub rejected: u64,
    /// Why, or a warning although nothing was; empty when there is nothing to say.
    pub message: String,
}

impl Answer {
    /// An answer with the first reason and a warning, as far as there are any.
    pub fn new(rejected: u64, reason: Option<&str>, warning: Option<&str>) -> Self {
        let text = [reason, warning].into_iter().flatten().collect::<Vec<_>>().join("; ");
        Self { rejected, message: message(&text).into_owned() }
    }

    /// The response message: `partial_success` is set only where there is something to tell.
    pub fn encode(&self, signal: Signal, format: Format) -> Bytes {
        match format {
            Format::Protobuf => self.protobuf(signal).into(),
            Format::Json => self.json(signal).into(),
        }
    }

    fn is_plain(&self) -> bool {
        self.rejected == 0 && self.message.is_empty()
    }

    fn protobuf(&self, signal: Signal) -> Vec<u8> {
        if self.is_plain() {
            return Vec::new();
        }
        let rejected = i64::try_from(self.rejected).unwrap_or(i64::MAX);
        let error_message = self.message.clone();
        match signal {
            Signal::Traces => {
                let partial = ExportTracePartialSuccess { rejected_spans: rejected, error_message };
                ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec()
            }
            Signal::Logs => {
                let partial = ExportLogsPartialSuccess { rejected_log_records: rejected, error_message };
                ExportLogsServiceResponse { partial_success: Some(partial) }.encode_to_vec()
            }
            Signal::Metrics => {
                let partial = ExportMetricsPartialSuccess { rejected_data_points: rejected, error_message };
                ExportMetricsServiceResponse { partial_success: Some(partial) }.encode_to_vec()
            }
        }
    }

    fn json(&self, signal: Signal) -> String {
        if self.is_plain() {
            return "{}".to_owned();
        }
        let key = match signal {
            Signal::Traces => "rejectedSpans",
            Signal::Logs => "rejectedLogRecords",
            Signal::Metrics => "rejectedDataPoints",
        };
        let rejected = self.rejected.to_string();
        json!({ "partialSuccess": { key: rejected, "errorMessage": self.message } }).to_string()
    }
}

/// Bytes of a message to a sender.
const MESSAGE_BYTES_MAX: usize = 1 << 10;

/// The text within the limit of a message to a sender.
pub(crate) fn message(text: &str) -> Cow<'_, str> {
    if text.len() <= MESSAGE_BYTES_MAX {
        return Cow::Borrowed(text);
    }
    let kept = text.get(..text.floor_char_boundary(MESSAGE_BYTES_MAX - 3)).unwrap_or_default();
    Cow::Owned(format!("{kept}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_success_says_nothing_and_a_partial_one_what() {
        let whole = Answer::default();
        assert_eq!(whole.encode(Signal::Logs, Format::Json), "{}");
        assert_eq!(whole.encode(Signal::Traces, Format::Protobuf), "");
        let part = Answer { rejected: 3, message: "why".to_owned() };
        assert_eq!(
            part.encode(Signal::Traces, Format::Json),
            r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"why"}}"#
        );
        let read = ExportLogsServiceResponse::decode(part.encode(Signal::Logs, Format::Protobuf)).unwrap();
        let partial = read.partial_success.unwrap();
        assert_eq!((partial.rejected_log_records, partial.error_message.as_str()), (3, "why"));
    }

    #[test]
    fn messages_are_short() {
        let long = "é".repeat(600);
        assert!(message(&long).len() <= MESSAGE_BYTES_MAX);
        assert!(message(&long).ends_with("é…"));
        assert_eq!(message("short"), "short");
    }
}
