//! Log records in protobuf.
use crate::domain::ids::{SpanId, TraceId};
use crate::otlp::error::DecodeError;
use crate::otlp::fault::Fault;
use crate::otlp::gather::Frame;
use crate::otlp::protobuf::attributes::{read_attribute, read_value, text};
use crate::otlp::protobuf::cursor::Cursor;
use crate::otlp::protobuf::envelope::decode;
use crate::otlp::protobuf::span::id;
use crate::otlp::reading::Reading;
use crate::otlp::span::{Decoded, WireLog};

/// Reads an `ExportLogsServiceRequest`.
///
/// # Errors
/// When not one record could be read and the body is not what it was announced to be.
pub fn decode_logs_protobuf(body: &[u8]) -> Result<Decoded<WireLog>, DecodeError> {
    decode(body, read_log)
}

fn read_log(message: &[u8], frame: &Frame, reading: &mut Reading<'_>) -> Result<WireLog, Fault> {
    let mut log =
        WireLog { resource: frame.resource.clone(), scope: frame.scope.clone(), ..WireLog::default() };
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            1 => log.at_ns = field.fixed64()?,
            2 => log.severity = field.int32()?,
            5 => {
                log.body = read_value(field.bytes()?, reading, 1)?;
                reading.cuts_in("body");
            }
            6 => read_attribute(field.bytes()?, reading, &mut log.attributes)?,
            7 => log.dropped_attributes = field.uint32()?,
            9 => log.trace_id = TraceId(id(field.bytes()?, "trace_id")?),
            10 => log.span_id = SpanId(id(field.bytes()?, "span_id")?),
            11 => log.observed_ns = field.fixed64()?,
            12 => log.event_name = text(field.bytes()?, reading, "event_name")?,
            _ => {}
        }
    }
    log.cut = std::mem::take(&mut reading.cut);
    log.left_out.attributes = reading.attributes_left_out;
    Ok(log)
}
