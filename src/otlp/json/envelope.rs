//! The two envelopes around the records of a JSON request, which traces and logs share.
use std::sync::Arc;

use crate::domain::step::ScopeInfo;
use crate::otlp::error::{DecodeError, Look};
use crate::otlp::fault::Fault;
use crate::otlp::gather::{Frame, Gather};
use crate::otlp::json::attributes::{read_resource, read_scope};
use crate::otlp::json::reader::{BROKEN, Reader};
use crate::otlp::reading::Reading;
use crate::otlp::span::Decoded;

/// How one signal names its envelopes, and how one of its records is read.
pub(crate) struct Signal<T> {
    /// The key at the top, as OTLP writes it.
    pub(crate) top: &'static str,
    /// Other spellings of it.
    pub(crate) top_also: &'static [&'static str],
    /// The keys of the list of scopes.
    pub(crate) scopes: &'static [&'static str],
    /// The keys of the list of records.
    pub(crate) records: &'static [&'static str],
    /// Reads one record.
    pub(crate) read: fn(&mut Reader<'_>, &Frame, &mut Reading<'_>) -> Result<T, Fault>,
}

/// The keys at the top of the three signals, and where they go.
const SIGNALS: &[(&[&str], &str, &str)] = &[
    (&["resourceSpans", "resource_spans"], "resourceSpans", "/v1/traces"),
    (&["resourceLogs", "resource_logs"], "resourceLogs", "/v1/logs"),
    (&["resourceMetrics", "resource_metrics"], "resourceMetrics", "/v1/metrics"),
];

/// Reads a whole request, in one go; only records are looked at twice: first for where they end, so that one
/// that cannot be read costs itself.
pub(crate) fn decode<T>(body: &[u8], signal: &Signal<T>) -> Result<Decoded<T>, DecodeError> {
    let mut gather = Gather::new();
    let mut reader = Reader::new(body);
    if reader.peek().is_none() {
        return gather.finish().ok_or(DecodeError::NotJson { expected: signal.top });
    }
    if reader.peek() != Some(b'{') {
        return Err(unreadable(body, signal));
    }
    let (mut other, mut unknown) = (None, false);
    let read = reader.object(|reader, key| {
        if key == signal.top || signal.top_also.contains(&key) {
            return reader.array(|reader| in_resource(&mut gather, reader, signal));
        }
        match SIGNALS.iter().find(|(keys, ..)| keys.contains(&key)) {
            Some(found) => other = Some(found),
            None => unknown = true,
        }
        skip(reader)
    });
    let rest = reader.rest();
    if (read.is_err() || !rest.is_empty()) && !gather.is_damaged() {
        gather.damage(rest, &Frame::default());
    }
    if gather.seen() == 0 {
        if let Some((_, found, path)) = other {
            return Err(DecodeError::OtherSignal { expected: signal.top, found, path });
        }
        if unknown {
            gather.remark("the body has no records of this signal, but keys that are unknown here");
        }
    }
    gather.finish().ok_or_else(|| unreadable(body, signal))
}

fn unreadable<T>(body: &[u8], signal: &Signal<T>) -> DecodeError {
    match Look::of(body) {
        Look::Gzip => DecodeError::LooksLikeGzip,
        Look::Other if body.first().is_some_and(|first| *first < 0x20) => DecodeError::LooksLikeProtobuf,
        Look::Json | Look::Other => DecodeError::NotJson { expected: signal.top },
    }
}

/// `resourceSpans[]` or `resourceLogs[]`.
fn in_resource<T>(gather: &mut Gather<T>, reader: &mut Reader<'_>, signal: &Signal<T>) -> Result<(), Fault> {
    let object = *reader;
    let mut frame = None;
    reader.object(|reader, key| {
        if !signal.scopes.contains(&key) {
            return skip(reader);
        }
        let frame = frame.get_or_insert_with(|| {
            let (resource, bytes) = gather.frame(|reading| {
                let mut attributes = Vec::new();
                look_for(object, &["resource"], |json| read_resource(json, reading, &mut attributes));
                attributes
            });
            Frame { resource: Arc::new(resource), scope: Arc::default(), bytes }
        });
        reader.array(|reader| in_scope(gather, reader, frame, signal))
    })
}

/// `scopeSpans[]` or `scopeLogs[]`.
fn in_scope<T>(
    gather: &mut Gather<T>,
    reader: &mut Reader<'_>,
    outer: &Frame,
    signal: &Signal<T>,
) -> Result<(), Fault> {
    let object = *reader;
    let mut frame = None;
    reader.object(|reader, key| {
        if !signal.records.contains(&key) {
            return skip(reader);
        }
        let frame = frame.get_or_insert_with(|| {
            let (scope, bytes) = gather.frame(|reading| {
                let mut scope = ScopeInfo::default();
                look_for(object, SCOPE, |json| read_scope(json, reading, &mut scope));
                scope
            });
            Frame { resource: outer.resource.clone(), scope: Arc::new(scope), bytes: outer.bytes + bytes }
        });
        reader.array(|reader| in_list(gather, reader, frame, signal))
    })
}

const SCOPE: &[&str] = &["scope", "instrumentationLibrary", "instrumentation_library"];

/// One record. A null among them stands for nothing, as a null list does.
fn in_list<T>(
    gather: &mut Gather<T>,
    reader: &mut Reader<'_>,
    frame: &Frame,
    signal: &Signal<T>,
) -> Result<(), Fault> {
    let part = reader.skip();
    if part.text.is_empty() {
        return Err(BROKEN);
    }
    if !part.whole {
        gather.damage(part.text, frame);
        return Err(BROKEN);
    }
    if part.text != b"null" {
        gather.item(part.text, frame, |reading| {
            let mut reader = Reader::new(part.text);
            let record = (signal.read)(&mut reader, frame, reading)?;
            if reader.rest().is_empty() { Ok(record) } else { Err(BROKEN) }
        });
    }
    Ok(())
}

/// Reads the first member of an object under one of these keys, wherever it stands: members have no order.
fn look_for<'a>(mut object: Reader<'a>, keys: &[&str], read: impl FnOnce(&'a [u8])) {
    let mut found = None;
    let looked = object.object(|reader, key| {
        let value = reader.skip();
        if keys.contains(&key) {
            found = Some(value.text);
            return Err(BROKEN);
        }
        if value.whole { Ok(()) } else { Err(BROKEN) }
    });
    drop(looked);
    if let Some(json) = found {
        read(json);
    }
}

fn skip(reader: &mut Reader<'_>) -> Result<(), Fault> {
    let value = reader.skip();
    if value.whole && !value.text.is_empty() { Ok(()) } else { Err(BROKEN) }
}
