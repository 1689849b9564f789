//! Log records in JSON.
use crate::domain::ids::{SpanId, TraceId};
use crate::otlp::error::DecodeError;
use crate::otlp::fault::Fault;
use crate::otlp::gather::Frame;
use crate::otlp::json::attributes::{read_attributes, read_value};
use crate::otlp::json::envelope::{Signal, decode};
use crate::otlp::json::fields::{id, name, number, word};
use crate::otlp::json::reader::Reader;
use crate::otlp::reading::Reading;
use crate::otlp::span::{Decoded, WireLog};

const SIGNAL: Signal<WireLog> = Signal {
    top: "resourceLogs",
    top_also: &["resource_logs"],
    scopes: &["scopeLogs", "scope_logs", "instrumentationLibraryLogs", "instrumentation_library_logs"],
    records: &["logRecords", "log_records", "logs"],
    read: read_log,
};

/// Reads an `ExportLogsServiceRequest` in OTLP/JSON.
///
/// # Errors
/// When not one record could be read and the body is not what it was announced to be.
pub fn decode_logs_json(body: &[u8]) -> Result<Decoded<WireLog>, DecodeError> {
    decode(body, &SIGNAL)
}

const SEVERITIES: &[&str] = &[
    "UNSPECIFIED",
    "TRACE",
    "TRACE2",
    "TRACE3",
    "TRACE4",
    "DEBUG",
    "DEBUG2",
    "DEBUG3",
    "DEBUG4",
    "INFO",
    "INFO2",
    "INFO3",
    "INFO4",
    "WARN",
    "WARN2",
    "WARN3",
    "WARN4",
    "ERROR",
    "ERROR2",
    "ERROR3",
    "ERROR4",
    "FATAL",
    "FATAL2",
    "FATAL3",
    "FATAL4",
];

fn read_log(reader: &mut Reader<'_>, frame: &Frame, reading: &mut Reading<'_>) -> Result<WireLog, Fault> {
    let mut log =
        WireLog { resource: frame.resource.clone(), scope: frame.scope.clone(), ..WireLog::default() };
    reader.object(|reader, key| {
        match key {
            "timeUnixNano" | "time_unix_nano" => log.at_ns = number(reader, "timeUnixNano")?,
            "observedTimeUnixNano" | "observed_time_unix_nano" => {
                log.observed_ns = number(reader, "observedTimeUnixNano")?;
            }
            "severityNumber" | "severity_number" => {
                log.severity = word(reader, "severityNumber", "SEVERITY_NUMBER_", SEVERITIES)?;
            }
            "eventName" | "event_name" => log.event_name = name(reader, reading, "eventName")?,
            "body" => {
                log.body = read_value(reader, reading, 1)?;
                reading.cuts_in("body");
            }
            "attributes" => read_attributes(reader, reading, &mut log.attributes)?,
            "droppedAttributesCount" | "dropped_attributes_count" => {
                log.dropped_attributes = number(reader, "droppedAttributesCount")?;
            }
            "traceId" | "trace_id" => log.trace_id = TraceId(id(reader, reading, "traceId")?),
            "spanId" | "span_id" => log.span_id = SpanId(id(reader, reading, "spanId")?),
            _ => drop(reader.skip()),
        }
        Ok(())
    })?;
    log.cut = std::mem::take(&mut reading.cut);
    log.left_out.attributes = reading.attributes_left_out;
    Ok(log)
}
