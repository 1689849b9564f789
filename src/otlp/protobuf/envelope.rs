//! The two envelopes around the records of a request, which traces and logs share.
use std::sync::Arc;

use crate::domain::step::ScopeInfo;
use crate::otlp::error::{DecodeError, Look};
use crate::otlp::fault::Fault;
use crate::otlp::gather::{Frame, Gather};
use crate::otlp::protobuf::attributes::{read_resource, read_scope};
use crate::otlp::protobuf::cursor::{Cursor, Field};
use crate::otlp::reading::Reading;
use crate::otlp::span::Decoded;

/// Reads one record from its message.
pub(crate) type Read<T> = fn(&[u8], &Frame, &mut Reading<'_>) -> Result<T, Fault>;

/// A length-delimited field: its number, its bytes, and whether all of them are there.
struct Part<'a> {
    number: u32,
    bytes: &'a [u8],
    whole: bool,
}

/// Reads a whole request.
pub(crate) fn decode<T>(body: &[u8], read: Read<T>) -> Result<Decoded<T>, DecodeError> {
    let mut gather = Gather::new();
    let mut unknown = false;
    parts(body, |part| match part.number {
        0 => gather.damage(part.bytes, &Frame::default()),
        1 => below(&mut gather, &part, &Frame::default(), |gather| in_resource(gather, part.bytes, read)),
        _ => unknown = true,
    });
    if unknown && gather.seen() == 0 {
        gather.remark("the body has no records of this signal, but fields that are unknown here");
    }
    gather.finish().ok_or_else(|| match Look::of(body) {
        Look::Json => DecodeError::LooksLikeJson,
        Look::Gzip => DecodeError::LooksLikeGzip,
        Look::Other => DecodeError::NotProtobuf,
    })
}

/// `ResourceSpans` or `ResourceLogs`. The resource may stand behind its scopes, so it is looked for first.
fn in_resource<T>(gather: &mut Gather<T>, message: &[u8], read: Read<T>) {
    let (resource, bytes) = gather.frame(|reading| {
        let mut attributes = Vec::new();
        parts(message, |part| {
            if part.number == 1 {
                read_resource(part.bytes, reading, &mut attributes);
            }
        });
        attributes
    });
    let frame = Frame { resource: Arc::new(resource), scope: Arc::default(), bytes };
    parts(message, |part| match part.number {
        0 => gather.damage(part.bytes, &frame),
        // 1000 was the number of the instrumentation library's list before OTLP 0.19.
        2 | 1000 => below(gather, &part, &frame, |gather| in_scope(gather, part.bytes, &frame, read)),
        _ => {}
    });
}

/// `ScopeSpans` or `ScopeLogs`.
fn in_scope<T>(gather: &mut Gather<T>, message: &[u8], outer: &Frame, read: Read<T>) {
    let (scope, bytes) = gather.frame(|reading| {
        let mut scope = ScopeInfo::default();
        parts(message, |part| {
            if part.number == 1 {
                read_scope(part.bytes, reading, &mut scope);
            }
        });
        scope
    });
    let frame =
        Frame { resource: outer.resource.clone(), scope: Arc::new(scope), bytes: outer.bytes + bytes };
    parts(message, |part| match part.number {
        0 => gather.damage(part.bytes, &frame),
        2 if part.whole => gather.item(part.bytes, &frame, |reading| read(part.bytes, &frame, reading)),
        2 => gather.damage(part.bytes, &frame),
        _ => {}
    });
}

/// Goes into an envelope. One that was cut off between two records shows no damage inside: it is noted here.
fn below<T>(gather: &mut Gather<T>, part: &Part<'_>, frame: &Frame, inside: impl FnOnce(&mut Gather<T>)) {
    let before = gather.refused();
    inside(gather);
    if !part.whole && gather.refused() == before {
        gather.damage(&[], frame);
    }
}

/// Goes through the length-delimited fields of a message; where it is damaged, the rest comes as number 0.
fn parts<'a>(message: &'a [u8], mut visit: impl FnMut(Part<'a>)) {
    let mut cursor = Cursor::new(message);
    loop {
        match cursor.next() {
            Ok(None) => return,
            Ok(Some((number, Field::Bytes(bytes)))) => visit(Part { number, bytes, whole: true }),
            Ok(Some((number, Field::Short(bytes)))) => visit(Part { number, bytes, whole: false }),
            Ok(Some(_)) => {}
            Err(damage) => return visit(Part { number: 0, bytes: damage.rest, whole: false }),
        }
    }
}
