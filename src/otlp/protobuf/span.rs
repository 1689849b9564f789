//! Spans in protobuf.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Status;
use crate::domain::step::{Event, Link};
use crate::otlp::error::DecodeError;
use crate::otlp::fault::Fault;
use crate::otlp::gather::Frame;
use crate::otlp::protobuf::attributes::{read_attribute, text};
use crate::otlp::protobuf::cursor::Cursor;
use crate::otlp::protobuf::envelope::decode;
use crate::otlp::reading::Reading;
use crate::otlp::span::{Decoded, WireSpan};

/// Reads an `ExportTraceServiceRequest`.
///
/// # Errors
/// When not one record could be read and the body is not what it was announced to be.
pub fn decode_traces_protobuf(body: &[u8]) -> Result<Decoded<WireSpan>, DecodeError> {
    decode(body, read_span)
}

fn read_span(message: &[u8], frame: &Frame, reading: &mut Reading<'_>) -> Result<WireSpan, Fault> {
    let mut span =
        WireSpan { resource: frame.resource.clone(), scope: frame.scope.clone(), ..WireSpan::default() };
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            1 => span.trace_id = TraceId(id(field.bytes()?, "trace_id")?),
            2 => span.span_id = SpanId(id(field.bytes()?, "span_id")?),
            3 => span.trace_state = text(field.bytes()?, reading, "trace_state")?,
            4 => span.parent_span_id = parent(field.bytes()?)?,
            5 => span.name = text(field.bytes()?, reading, "name")?,
            6 => span.kind = field.int32()?,
            7 => span.started_ns = field.fixed64()?,
            8 => span.ended_ns = field.fixed64()?,
            9 => read_attribute(field.bytes()?, reading, &mut span.attributes)?,
            10 => span.dropped.attributes = add(span.dropped.attributes, field.uint32()?),
            11 => {
                let (event, dropped) = read_event(field.bytes()?, reading)?;
                span.events.push(event);
                span.dropped.attributes = add(span.dropped.attributes, dropped);
            }
            12 => span.dropped.events = field.uint32()?,
            13 => {
                let (link, dropped) = read_link(field.bytes()?, reading)?;
                span.links.push(link);
                span.dropped.attributes = add(span.dropped.attributes, dropped);
            }
            14 => span.dropped.links = field.uint32()?,
            15 => read_status(field.bytes()?, reading, &mut span)?,
            _ => {}
        }
    }
    not_zero(span.trace_id.is_zero(), "trace_id")?;
    not_zero(span.span_id.is_zero(), "span_id")?;
    span.cut = std::mem::take(&mut reading.cut);
    span.left_out.attributes = reading.attributes_left_out;
    Ok(span)
}

fn read_event(message: &[u8], reading: &mut Reading<'_>) -> Result<(Event, u32), Fault> {
    reading.budget.value(0)?;
    let (mut event, mut dropped) = (Event::default(), 0);
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            1 => event.at_ns = field.fixed64()?,
            2 => event.name = text(field.bytes()?, reading, "events.name")?,
            3 => read_attribute(field.bytes()?, reading, &mut event.attributes)?,
            4 => dropped = field.uint32()?,
            _ => {}
        }
    }
    Ok((event, dropped))
}

/// A link whose ids are not whole keeps its attributes: a span is not refused for what it points at.
fn read_link(message: &[u8], reading: &mut Reading<'_>) -> Result<(Link, u32), Fault> {
    reading.budget.value(0)?;
    let (mut link, mut dropped) = (Link::default(), 0);
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            1 => link.trace_id = TraceId(field.bytes()?.try_into().unwrap_or_default()),
            2 => link.span_id = SpanId(field.bytes()?.try_into().unwrap_or_default()),
            4 => read_attribute(field.bytes()?, reading, &mut link.attributes)?,
            5 => dropped = field.uint32()?,
            _ => {}
        }
    }
    if link.trace_id.is_zero() || link.span_id.is_zero() {
        reading.remarks.insert("a link has an id that is missing, zero or of the wrong length");
    }
    Ok((link, dropped))
}

fn read_status(message: &[u8], reading: &mut Reading<'_>, span: &mut WireSpan) -> Result<(), Fault> {
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            2 => {
                let text = reading.utf8(field.bytes()?, "status.message")?;
                span.status_message = reading.text(text)?;
                reading.cuts_in("status.message");
            }
            3 => {
                span.status = match field.int32()? {
                    1 => Status::Ok,
                    2 => Status::Error,
                    _ => Status::Unset,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// An id of exactly this many bytes; an empty one is zero.
pub(crate) fn id<const N: usize>(bytes: &[u8], field: &'static str) -> Result<[u8; N], Fault> {
    if bytes.is_empty() {
        return Ok([0; N]);
    }
    bytes.try_into().or(Err(Fault::IdLength { field, expected: N, found: bytes.len() }))
}

fn parent(bytes: &[u8]) -> Result<Option<SpanId>, Fault> {
    let parent = SpanId(id(bytes, "parent_span_id")?);
    Ok((!parent.is_zero()).then_some(parent))
}

fn not_zero(zero: bool, field: &'static str) -> Result<(), Fault> {
    if zero { Err(Fault::IdZero { field }) } else { Ok(()) }
}

fn add(sum: u32, more: u32) -> u32 {
    sum.saturating_add(more)
}
