//! OTLP over gRPC, read as raw bytes: a generated service would turn one unreadable span into INTERNAL for
//! the whole request, and an oversize one into OUT_OF_RANGE, which senders retry for ever.
//!
//! A unary call is one length-prefixed message each way, so the frame is read here, with the same limits,
//! memory and decompression as over HTTP; `tonic` writes the status.
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::{BufMut, Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use tonic::Code;

use crate::ingest::admit;
use crate::ingest::asked::Asked;
use crate::ingest::body::drain;
use crate::ingest::door::{Door, Export};
use crate::ingest::refusal::Refusal;
use crate::ingest::signal::{Answer, Format, Signal};

const TRANSPORT: &str = "grpc";
/// A flag and a length stand before a message.
const PREFIX: usize = 5;
const ENCODING: &str = "grpc-encoding";
const ACCEPT: &str = "grpc-accept-encoding";

/// Takes one call.
pub(crate) async fn export(door: Arc<Door>, signal: Signal, request: Request) -> Response {
    let start = Instant::now();
    let (parts, mut body) = request.into_parts();
    let taken = match Asked::of(&parts.headers) {
        Asked::Grpc => take(&door, signal, &parts, &mut body).await,
        asked @ (Asked::Http(..) | Asked::Other) => {
            let path = Refusal::WrongPath(format!("this is a path of gRPC; over HTTP use {}", signal.path()));
            return asked.refused(&path);
        }
    };
    let (code, mut response) = match taken {
        Ok(answer) => (Code::Ok, ok(&answer.encode(signal, Format::Protobuf))),
        Err(refusal) => {
            drain(&mut body, &door.limits, &refusal).await;
            (refusal.code(), Asked::Grpc.refused(&refusal))
        }
    };
    response.headers_mut().insert(ACCEPT, HeaderValue::from_static("identity,gzip"));
    door.meters.answered(TRANSPORT, signal.word(), format!("{code:?}"), start.elapsed());
    response
}

async fn take(door: &Door, signal: Signal, parts: &Parts, body: &mut Body) -> Result<Answer, Refusal> {
    let sender = admit::sender(&door.access, parts);
    let encoding =
        parts.headers.get(ENCODING).map_or("identity", |value| value.to_str().unwrap_or("unknown"));
    let read = async {
        let sender = sender.clone()?;
        if !matches!(encoding, "identity" | "gzip") {
            return Err(Refusal::WrongEncoding);
        }
        let mut packed = door.read(body, TRANSPORT).await?;
        (packed.gzip, packed.bytes) = message(&packed.bytes, encoding == "gzip")?;
        Ok(Export { signal, format: Format::Protobuf, transport: TRANSPORT, sender, packed })
    };
    door.pass(read.await, signal, TRANSPORT, sender.ok().map(|sender| sender.project)).await
}

/// The one message of a call, and whether it is compressed.
fn message(body: &Bytes, may_gzip: bool) -> Result<(bool, Bytes), Refusal> {
    let Some((prefix, rest)) = body.split_first_chunk::<PREFIX>() else {
        return Err(Refusal::BadFrame("it has no message"));
    };
    let [flag, length @ ..] = *prefix;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length != rest.len() {
        return Err(Refusal::BadFrame("its length is not the announced one"));
    }
    let gzip = match (flag, may_gzip) {
        (0, _) => false,
        (1, true) => true,
        (1, false) => return Err(Refusal::BadFrame("it is compressed, but grpc-encoding does not say how")),
        _ => return Err(Refusal::BadFrame("its compressed flag is neither 0 nor 1")),
    };
    Ok((gzip, body.slice(PREFIX..)))
}

/// A message with the status OK behind it.
fn ok(message: &[u8]) -> Response {
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    let trailers =
        HeaderMap::from_iter([(header::HeaderName::from_static("grpc-status"), HeaderValue::from(0))]);
    let body = Full::new(framed.freeze()).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(Body::new(body));
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_message_is_read_and_no_other_shape() {
        let read = |body: &'static [u8], may_gzip| message(&Bytes::from_static(body), may_gzip);
        assert_eq!(read(b"\0\0\0\0\x02hi", false), Ok((false, Bytes::from_static(b"hi"))));
        assert_eq!(read(b"\0\0\0\0\0", true), Ok((false, Bytes::new())));
        assert_eq!(read(b"\x01\0\0\0\x02hi", true), Ok((true, Bytes::from_static(b"hi"))));
        for body in [
            &b""[..],
            b"\0\0\0",
            b"\0\0\0\0\x03hi",
            b"\0\0\0\0\x01hi",
            b"\x01\0\0\0\x02hi",
            b"\x02\0\0\0\x02hi",
            b"\0\xff\xff\xff\xffhi",
            b"\0\0\0\0\0\0\0\0\0\0",
        ] {
            assert!(matches!(read(body, false), Err(Refusal::BadFrame(_))), "{body:?}");
        }
    }
}
