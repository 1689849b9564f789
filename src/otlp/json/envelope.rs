//! The two envelopes around the records of a JSON request, which traces and logs share.
use std::sync::Arc;

use crate::domain::step::ScopeInfo;
use crate::otlp::error::{DecodeError, Look};
use crate::otlp::fault::Fault;
use crate::otlp::gather::{Frame, Gather};
use crate::otlp::json::attributes::{read_resource, read_scope};
use crate::otlp::json::reader::{BROKEN, Raw, Reader};
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

/// Reads a whole request.
pub(crate) fn decode<T>(body: &[u8], signal: &Signal<T>) -> Result<Decoded<T>, DecodeError> {
    let mut gather = Gather::new();
    let mut reader = Reader::new(body);
    if reader.peek().is_none() {
        return gather.finish().ok_or(DecodeError::NotJson { expected: signal.top });
    }
    let top = reader.skip();
    if !top.text.starts_with(b"{") {
        return Err(unreadable(body, signal));
    }
    let (mut other, mut unknown) = (None, false);
    members(&mut gather, top, &Frame::default(), |gather, key, value| {
        if key == signal.top || signal.top_also.contains(&key) {
            elements(gather, value, &Frame::default(), |gather, part| in_resource(gather, part, signal));
        } else if let Some(found) = SIGNALS.iter().find(|(keys, ..)| keys.contains(&key)) {
            other = Some(found);
        } else {
            unknown = true;
        }
    });
    if !reader.rest().is_empty() {
        gather.damage(reader.rest(), &Frame::default());
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

/// `resourceSpans[]` or `resourceLogs[]`. Keys come in any order, so the resource is looked for first.
fn in_resource<T>(gather: &mut Gather<T>, part: Raw<'_>, signal: &Signal<T>) {
    let (resource, bytes) = gather.frame(|reading| {
        let mut attributes = Vec::new();
        peek_members(part, |key, value| {
            if key == "resource" {
                attributes.clear();
                read_resource(value.text, reading, &mut attributes);
            }
        });
        attributes
    });
    let frame = Frame { resource: Arc::new(resource), scope: Arc::default(), bytes };
    members(gather, part, &frame, |gather, key, value| {
        if signal.scopes.contains(&key) {
            elements(gather, value, &frame, |gather, part| in_scope(gather, part, &frame, signal));
        }
    });
}

/// `scopeSpans[]` or `scopeLogs[]`.
fn in_scope<T>(gather: &mut Gather<T>, part: Raw<'_>, outer: &Frame, signal: &Signal<T>) {
    let (scope, bytes) = gather.frame(|reading| {
        let mut scope = ScopeInfo::default();
        peek_members(part, |key, value| {
            if matches!(key, "scope" | "instrumentationLibrary" | "instrumentation_library") {
                scope = ScopeInfo::default();
                read_scope(value.text, reading, &mut scope);
            }
        });
        scope
    });
    let frame =
        Frame { resource: outer.resource.clone(), scope: Arc::new(scope), bytes: outer.bytes + bytes };
    members(gather, part, &frame, |gather, key, value| {
        if signal.records.contains(&key) {
            elements(gather, value, &frame, |gather, part| {
                if !part.whole {
                    return gather.damage(part.text, &frame);
                }
                gather.item(part.text, &frame, |reading| {
                    let mut reader = Reader::new(part.text);
                    let record = (signal.read)(&mut reader, &frame, reading)?;
                    if reader.rest().is_empty() { Ok(record) } else { Err(BROKEN) }
                });
            });
        }
    });
}

/// Goes through the members of an object. Damage, and an end that is missing, is noted where it shows first.
fn members<T>(
    gather: &mut Gather<T>,
    object: Raw<'_>,
    frame: &Frame,
    mut visit: impl FnMut(&mut Gather<T>, &str, Raw<'_>),
) {
    let before = gather.refused();
    let rest = peek_members(object, |key, value| visit(gather, key, value));
    if (rest.is_some() || !object.whole) && gather.refused() == before {
        gather.damage(rest.unwrap_or_default(), frame);
    }
}

/// As [`members`], without noting anything; gives back what could not be read.
fn peek_members<'a>(object: Raw<'a>, mut visit: impl FnMut(&str, Raw<'a>)) -> Option<&'a [u8]> {
    let mut reader = Reader::new(object.text);
    let read = reader.object(|reader, key| {
        let value = reader.skip();
        if value.text.is_empty() {
            return Err(BROKEN);
        }
        visit(key, value);
        Ok(())
    });
    let rest = reader.rest();
    (read.is_err() || !rest.is_empty()).then_some(rest)
}

/// Goes through the elements of a list, as [`members`] does.
fn elements<T>(
    gather: &mut Gather<T>,
    list: Raw<'_>,
    frame: &Frame,
    mut visit: impl FnMut(&mut Gather<T>, Raw<'_>),
) {
    let before = gather.refused();
    let mut reader = Reader::new(list.text);
    let read = reader.array(|reader| {
        let element = reader.skip();
        if element.text.is_empty() {
            return Err(BROKEN);
        }
        // A null among the elements stands for nothing, as a null list does.
        if element.text != b"null" {
            visit(gather, element);
        }
        Ok(())
    });
    let rest = reader.rest();
    if (read.is_err() || !rest.is_empty() || !list.whole) && gather.refused() == before {
        gather.damage(rest, frame);
    }
}
