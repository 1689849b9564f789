//! One span or log record, its resource and scope folded in: what decoders give and conventions read.
use std::sync::Arc;

use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Status;
use crate::domain::step::{Dropped, Event, Link, ScopeInfo};
use crate::domain::value::Value;

/// A span as it was on the wire.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WireSpan {
    /// Attributes of the resource; shared by all spans of one resource.
    pub resource: Arc<Vec<(String, Value)>>,
    /// The instrumentation scope; shared.
    pub scope: Arc<ScopeInfo>,
    /// Never zero: the decoder refuses such spans.
    pub trace_id: TraceId,
    /// Never zero.
    pub span_id: SpanId,
    /// `None` for a root.
    pub parent_span_id: Option<SpanId>,
    /// The W3C trace state; empty when absent.
    pub trace_state: String,
    /// The span's name; empty when not given.
    pub name: String,
    /// OTLP span kind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
    pub kind: i32,
    /// Nanoseconds since 1970, as sent.
    pub started_ns: u64,
    /// Nanoseconds since 1970, as sent; 0 when the span has not ended.
    pub ended_ns: u64,
    /// In order, repeats included.
    pub attributes: Vec<(String, Value)>,
    /// In order.
    pub events: Vec<Event>,
    /// In order.
    pub links: Vec<Link>,
    /// The status.
    pub status: Status,
    /// The status message; empty when absent.
    pub status_message: String,
    /// What the SDK says it dropped; attributes of events and links are counted with the span's own.
    pub dropped: Dropped,
    /// Texts that were longer than the limit, and are kept only up to it.
    pub cut: Vec<Cut>,
    /// What was over the limits and left out here, on arrival.
    pub left_out: Dropped,
}

/// A log record as it was on the wire.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WireLog {
    /// Attributes of the resource; shared.
    pub resource: Arc<Vec<(String, Value)>>,
    /// The instrumentation scope; shared.
    pub scope: Arc<ScopeInfo>,
    /// Zero when the record is on no trace.
    pub trace_id: TraceId,
    /// Zero when the record is on no span.
    pub span_id: SpanId,
    /// When it happened, nanoseconds since 1970; 0 when not told.
    pub at_ns: u64,
    /// When it was observed.
    pub observed_ns: u64,
    /// The field `event_name`; empty when absent (some senders use the attribute `event.name`).
    pub event_name: String,
    /// OTLP severity number, 0 when absent.
    pub severity: i32,
    /// The body.
    pub body: Value,
    /// In order, repeats included.
    pub attributes: Vec<(String, Value)>,
    /// How many attributes the SDK dropped.
    pub dropped_attributes: u32,
    /// As [`WireSpan::cut`].
    pub cut: Vec<Cut>,
    /// As [`WireSpan::left_out`].
    pub left_out: Dropped,
}

/// A text that was cut to the limit. Its kept part ends with a mark: the length and SHA-256 of the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cut {
    /// Which: `name`, `body`, or the key of the attribute it stands in.
    pub at: String,
    /// Its length in bytes before.
    pub bytes: u64,
}

/// What could be read of a request, and what could not.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded<T> {
    /// The spans or log records that are sound.
    pub items: Vec<T>,
    /// The ones that are not, each with its reason.
    pub refused: Vec<Refused>,
    /// Something the sender should hear although nothing was refused, such as an unknown key style.
    pub warning: Option<String>,
}

/// A span or log record that could not be taken. Its content is not kept: only what identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why, in a sentence that names the field and the remedy; never contains payload text.
    pub reason: String,
    /// A short class of reasons, for counters: one of [`CLASSES`](crate::otlp::CLASSES).
    pub class: &'static str,
    /// How many spans or log records this stands for: 1, but for the ones over the limit of a request.
    pub items: u64,
    /// The service, when the resource could be read.
    pub service: Option<String>,
    /// Length of the refused bytes on the wire; 0 when unknown.
    pub bytes: u64,
    /// SHA-256 of the refused bytes, hex; empty when unknown.
    pub sha256: String,
}
