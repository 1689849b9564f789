//! OTLP over gRPC: codes, frames, compression, sizes.
use axum::http::StatusCode;
use bytes::Buf;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use prost::Message;
use recount::ingest::{DoorSettings, Refusal, Signal};
use recount::server::ServeLimits;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::wire::client::{Reply, call, frame, gzip, post};
use crate::wire::http::spans;
use crate::wire::server::{start, start_with};

fn status(reply: &Reply) -> Status {
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(reply.header("content-type"), "application/grpc");
    Status::from_header_map(&reply.headers).or_else(|| Status::from_header_map(&reply.trailers)).unwrap()
}

fn response(reply: &Reply) -> ExportTraceServiceResponse {
    assert_eq!(status(reply).code(), Code::Ok);
    let mut body = reply.body.clone();
    assert_eq!(body.get_u8(), 0);
    assert_eq!(usize::try_from(body.get_u32()).unwrap(), body.remaining());
    ExportTraceServiceResponse::decode(body).unwrap()
}

#[tokio::test]
async fn spans_are_taken_plain_and_compressed() {
    let server = start().await;
    let path = Signal::Traces.grpc_path();
    let message = spans(&["plain"]).encode_to_vec();
    let reply = call(server.address, path, &[], frame(0, &message)).await;
    assert_eq!(response(&reply).partial_success, None);
    assert_eq!(reply.header("grpc-accept-encoding"), "identity,gzip");
    let message = gzip(&spans(&["zipped"]).encode_to_vec());
    let reply = call(server.address, path, &[("grpc-encoding", "gzip")], frame(1, &message)).await;
    assert_eq!(response(&reply).partial_success, None);
    let message = spans(&["not this time"]).encode_to_vec();
    let reply = call(server.address, path, &[("grpc-encoding", "gzip")], frame(0, &message)).await;
    assert_eq!(response(&reply).partial_success, None);
    let reply = call(server.address, Signal::Logs.grpc_path(), &[], frame(0, b"")).await;
    assert_eq!(status(&reply).code(), Code::Ok);
    assert_eq!(server.names(), ["not this time", "plain", "zipped"]);
}

#[tokio::test]
async fn one_bad_span_does_not_fail_the_call() {
    let server = start().await;
    let mut message = spans(&["span-0", "span-1", "span-2"]).encode_to_vec();
    let at = message.windows(6).position(|window| window == b"span-1").unwrap();
    message[at] = 0xff;
    let reply = call(server.address, Signal::Traces.grpc_path(), &[], frame(0, &message)).await;
    assert_eq!(response(&reply).partial_success.unwrap().rejected_spans, 1);
    assert_eq!(server.names(), ["span-0", "span-2"]);
}

#[tokio::test]
async fn what_can_never_be_read_is_invalid_or_unimplemented() {
    let server = start().await;
    let path = Signal::Traces.grpc_path();
    let message = spans(&["x"]).encode_to_vec();
    let both = [frame(0, &message), frame(0, &message)].concat();
    for (path, headers, body, code) in [
        (path, &[][..], frame(0, b"{\"resourceSpans\":[]}"), Code::InvalidArgument),
        (path, &[], frame(1, &gzip(&message)), Code::InvalidArgument),
        (path, &[], frame(7, &message), Code::InvalidArgument),
        (path, &[], both, Code::InvalidArgument),
        (path, &[], b"\0\0\0\0\x09x".to_vec(), Code::InvalidArgument),
        (path, &[], Vec::new(), Code::InvalidArgument),
        (path, &[("grpc-encoding", "gzip")], frame(1, b"no gzip"), Code::InvalidArgument),
        (path, &[("grpc-encoding", "zstd")], frame(1, b"zzz"), Code::Unimplemented),
        (
            "/opentelemetry.proto.collector.trace.v1.TraceService/Import",
            &[],
            frame(0, b""),
            Code::Unimplemented,
        ),
        ("/v1/traces", &[], frame(0, &message), Code::Unimplemented),
    ] {
        let reply = call(server.address, path, headers, body).await;
        let status = status(&reply);
        assert_eq!(status.code(), code, "{path} {}", status.message());
        assert!(status.get_details_retry_info().is_none());
    }
    assert!(server.names().is_empty());
    let reply = post(server.address, path, "application/x-protobuf", message).await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn oversize_is_final_and_pushing_back_is_not() {
    let door = DoorSettings { request_bytes_max: 1 << 20, ..DoorSettings::default() };
    let server = start_with(door, ServeLimits::default()).await;
    let path = Signal::Traces.grpc_path();
    let large = vec![0; 2 << 20];
    for (headers, body) in
        [(&[][..], frame(0, &large)), (&[("grpc-encoding", "gzip")], frame(1, &gzip(&large)))]
    {
        let status = status(&call(server.address, path, headers, body).await);
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!(status.get_details_retry_info().is_none());
        assert!(status.message().contains("1048576") && status.message().contains("request_bytes_max"));
    }
    server.refuse(Refusal::Full);
    let status = status(&call(server.address, path, &[], frame(0, b"")).await);
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.get_details_retry_info().unwrap().retry_delay.is_some());
}

#[tokio::test]
async fn six_and_a_half_mebibytes_are_taken_by_default() {
    let server = start().await;
    let prompt = "x".repeat(16 << 10);
    let names: Vec<String> = (0..400).map(|number| format!("{number}{prompt}")).collect();
    let message = spans(&names).encode_to_vec();
    assert!(message.len() > 6 << 20);
    let json = serde_json::to_vec(&spans(&names)).unwrap();
    let reply = call(server.address, Signal::Traces.grpc_path(), &[], frame(0, &message)).await;
    assert_eq!(response(&reply).partial_success, None);
    for (media, body) in [("application/x-protobuf", message), ("application/json", json)] {
        assert_eq!(post(server.address, "/v1/traces", media, body).await.status, StatusCode::OK);
    }
    assert_eq!(server.names().len(), 1_200);
}
