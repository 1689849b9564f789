//! Plain requests to a listener, and what comes back.
use std::io::Write;
use std::net::SocketAddr;

use axum::http::{HeaderMap, Method, Request, StatusCode};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: HeaderMap,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The gRPC status, wherever it stands.
    pub(crate) fn grpc_status(&self) -> &str {
        let status = self.headers.get("grpc-status").or_else(|| self.trailers.get("grpc-status"));
        status.map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends one request over HTTP/1.
pub(crate) async fn send(
    address: SocketAddr,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Reply {
    exchange(false, method, format!("http://{address}{path}"), headers, body.into()).await
}

/// Posts one request over HTTP/1.
pub(crate) async fn post(address: SocketAddr, path: &str, media: &str, body: impl Into<Bytes>) -> Reply {
    send(address, Method::POST, path, &[("content-type", media)], body).await
}

/// Makes one gRPC call with this body, frame and all.
pub(crate) async fn call(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Reply {
    let headers = [headers, &[("content-type", "application/grpc"), ("te", "trailers")]].concat();
    exchange(true, Method::POST, format!("http://{address}{path}"), &headers, body.into()).await
}

/// Makes gRPC calls one after the other on one connection, and gives back their statuses.
pub(crate) async fn calls(address: SocketAddr, path: &str, messages: Vec<Vec<u8>>) -> Vec<String> {
    let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http::<Full<Bytes>>();
    let mut statuses = Vec::new();
    for message in messages {
        let request = Request::post(format!("http://{address}{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(frame(0, &message).into()))
            .unwrap();
        let (parts, body) = client.request(request).await.unwrap().into_parts();
        let trailers = body.collect().await.unwrap().trailers().cloned().unwrap_or_default();
        let status = parts.headers.get("grpc-status").or(trailers.get("grpc-status")).unwrap();
        statuses.push(status.to_str().unwrap().to_owned());
    }
    statuses
}

async fn exchange(http2: bool, method: Method, uri: String, headers: &[(&str, &str)], body: Bytes) -> Reply {
    let client = Client::builder(TokioExecutor::new()).http2_only(http2).build_http();
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = client.request(request.body(Full::new(body)).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned().unwrap_or_default();
    Reply { status: parts.status, headers: parts.headers, body: body.to_bytes(), trailers }
}

/// A gRPC frame around a message.
pub(crate) fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[flag], &length[..], message].concat()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
