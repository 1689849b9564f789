//! In which transport and format a request was made, and so in which its answer has to be.
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use prost::Message;
use serde_json::json;
use tonic_types::Status as RpcStatus;

use crate::ingest::refusal::Refusal;
use crate::ingest::signal::{Answer, Format, Signal};

/// How a request was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Over gRPC.
    Grpc,
    /// Over HTTP with a body of this media type, as it is written in the answer.
    Http(Format, &'static str),
    /// Over HTTP with a body of another type, or none.
    Other,
}

const TYPES: [(&str, Format); 3] = [
    ("application/x-protobuf", Format::Protobuf),
    ("application/protobuf", Format::Protobuf),
    ("application/json", Format::Json),
];

impl Asked {
    /// Reads the media type; its parameters and its case do not matter.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = value.and_then(|value| value.split(';').next()).unwrap_or_default();
        let media = media.trim().to_ascii_lowercase();
        if media == "application/grpc" || media.starts_with("application/grpc+") {
            return Self::Grpc;
        }
        let known = TYPES.iter().find(|(name, _)| *name == media);
        known.map_or(Self::Other, |(name, format)| Self::Http(*format, name))
    }

    /// The answer to a request that was refused.
    pub(crate) fn refused(self, refusal: &Refusal) -> Response {
        let mut response = match self {
            Self::Grpc => return refusal.grpc().into_http(),
            Self::Http(Format::Protobuf, media) => {
                let status =
                    RpcStatus { code: refusal.code().into(), message: refusal.text(), details: Vec::new() };
                body(refusal.status(), media, status.encode_to_vec().into())
            }
            Self::Http(Format::Json, _) | Self::Other => {
                let status = json!({ "code": i32::from(refusal.code()), "message": refusal.text() });
                body(refusal.status(), "application/json", status.to_string().into())
            }
        };
        let headers = response.headers_mut();
        if let Some(after) = refusal.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
        }
        if refusal.status() == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if *refusal == Refusal::WrongMethod {
            headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
        }
        if *refusal == Refusal::WrongEncoding {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, identity"));
        }
        response
    }
}

/// The answer to a request over HTTP that was taken.
pub(crate) fn taken(answer: &Answer, signal: Signal, format: Format, media: &'static str) -> Response {
    body(StatusCode::OK, media, answer.encode(signal, format))
}

fn body(status: StatusCode, media: &'static str, bytes: Bytes) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
