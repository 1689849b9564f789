//! OTLP over HTTP, as its specification 1.11 has it.
use axum::http::{Method, StatusCode};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use recount::ingest::Refusal;
use tonic_types::Status as RpcStatus;

use crate::wire::client::{gzip, post, send};
use crate::wire::server::start;

const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";

/// A request of spans with these names.
pub(crate) fn spans<N: AsRef<str>>(names: &[N]) -> ExportTraceServiceRequest {
    let span = |(at, name): (usize, &N)| Span {
        trace_id: vec![7; 16],
        span_id: (at as u64 + 1).to_be_bytes().to_vec(),
        name: name.as_ref().to_owned(),
        ..Span::default()
    };
    let spans = names.iter().enumerate().map(span).collect();
    let scope_spans = vec![ScopeSpans { spans, ..ScopeSpans::default() }];
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }],
    }
}

fn json<N: AsRef<str>>(names: &[N]) -> String {
    serde_json::to_string(&spans(names)).unwrap()
}

#[tokio::test]
async fn the_answer_has_the_type_of_the_request() {
    let server = start().await;
    let protobuf = spans(&["p"]).encode_to_vec();
    for (media, answered, body) in [
        (PROTOBUF, PROTOBUF, protobuf.clone()),
        ("application/protobuf", "application/protobuf", protobuf.clone()),
        ("APPLICATION/X-PROTOBUF", PROTOBUF, protobuf),
        (JSON, JSON, json(&["j"]).into_bytes()),
        ("application/json; charset=utf-8", JSON, json(&["c"]).into_bytes()),
        ("Application/JSON ;x=1", JSON, json(&["u"]).into_bytes()),
    ] {
        let reply = post(server.address, "/v1/traces", media, body).await;
        assert_eq!((reply.status, reply.header("content-type")), (StatusCode::OK, answered), "{media}");
        match answered {
            JSON => assert_eq!(reply.text(), "{}"),
            _ => assert_eq!(ExportTraceServiceResponse::decode(reply.body).unwrap().partial_success, None),
        }
    }
    assert_eq!(server.names(), ["c", "j", "p", "p", "p", "u"]);
}

#[tokio::test]
async fn nothing_is_an_empty_success_on_every_signal() {
    let server = start().await;
    for path in ["/v1/traces", "/v1/logs", "/v1/metrics"] {
        for (media, body) in [(PROTOBUF, ""), (JSON, ""), (JSON, "{}")] {
            let reply = post(server.address, path, media, body).await;
            let expected = if media == JSON { "{}" } else { "" };
            assert_eq!((reply.status, reply.text()), (StatusCode::OK, expected), "{path} {media}");
        }
    }
}

#[tokio::test]
async fn one_bad_span_of_ten_is_told_and_the_others_are_taken() {
    let server = start().await;
    let names: Vec<String> = (0..10).map(|number| format!("span-{number}")).collect();
    let mut protobuf = spans(&names).encode_to_vec();
    let at = protobuf.windows(6).position(|window| window == b"span-4").unwrap();
    protobuf[at + 5] = 0xff;
    let reply = post(server.address, "/v1/traces", PROTOBUF, protobuf).await;
    assert_eq!(reply.status, StatusCode::OK);
    let partial = ExportTraceServiceResponse::decode(reply.body).unwrap().partial_success.unwrap();
    assert_eq!(partial.rejected_spans, 1);
    assert!(partial.error_message.contains("not valid UTF-8"));
    assert_eq!(server.names().len(), 9);

    let bad = json(&names).replacen("0707", "07", 1);
    let reply = post(server.address, "/v1/traces", JSON, bad).await;
    assert!(reply.text().starts_with(r#"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"#));
    assert_eq!(server.names().len(), 18);
}

#[tokio::test]
async fn wrong_types_and_encodings_are_named() {
    let server = start().await;
    for media in ["text/plain", "multipart/form-data", ""] {
        let reply = post(server.address, "/v1/traces", media, json(&["x"])).await;
        assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{media}");
        assert!(reply.text().contains("application/x-protobuf and application/json"));
    }
    let reply = send(server.address, Method::POST, "/v1/traces", &[], json(&["x"])).await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let zipped = gzip(json(&["zipped"]).as_bytes());
    for (encoding, body, status) in [
        ("gzip", zipped.clone(), StatusCode::OK),
        ("identity", json(&["plain"]).into_bytes(), StatusCode::OK),
        ("gzip, gzip", gzip(&zipped), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("zstd", zipped.clone(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("gzip", json(&["lie"]).into_bytes(), StatusCode::BAD_REQUEST),
        ("gzip", zipped[..zipped.len() - 4].to_vec(), StatusCode::BAD_REQUEST),
        ("gzip", [&zipped[..], b"garbage"].concat(), StatusCode::BAD_REQUEST),
        ("identity", zipped, StatusCode::BAD_REQUEST),
    ] {
        let headers = [("content-type", JSON), ("content-encoding", encoding)];
        let reply = send(server.address, Method::POST, "/v1/traces", &headers, body).await;
        assert_eq!(reply.status, status, "{encoding} {}", reply.text());
    }
    assert_eq!(server.names(), ["plain", "zipped"]);
}

#[tokio::test]
async fn errors_come_in_the_format_of_the_request_and_say_what_to_do() {
    let server = start().await;
    let reply = post(server.address, "/v1/traces", PROTOBUF, json(&["x"])).await;
    assert_eq!((reply.status, reply.header("content-type")), (StatusCode::BAD_REQUEST, PROTOBUF));
    let status = RpcStatus::decode(reply.body).unwrap();
    assert_eq!(status.code, 3);
    assert!(status.message.contains("looks like JSON"), "{}", status.message);
    let reply = post(server.address, "/v1/traces", JSON, spans(&["x"]).encode_to_vec()).await;
    assert_eq!((reply.status, reply.header("content-type")), (StatusCode::BAD_REQUEST, JSON));
    assert!(reply.text().contains("looks like protobuf"), "{}", reply.text());
    let reply = post(server.address, "/v1/logs", JSON, json(&["x"])).await;
    assert!(reply.text().contains("send these to /v1/traces"), "{}", reply.text());
}

#[tokio::test]
async fn the_path_of_the_langfuse_sdk_is_known() {
    let server = start().await;
    let path = "/api/public/otel/v1/traces";
    let reply = post(server.address, path, JSON, json(&["from Langfuse"])).await;
    assert_eq!((reply.status, reply.text()), (StatusCode::OK, "{}"));
    assert_eq!(server.names(), ["from Langfuse"]);
    let reply = send(server.address, Method::GET, path, &[], "").await;
    assert_eq!((reply.status, reply.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "POST"));
}

#[tokio::test]
async fn wrong_paths_and_methods_name_the_right_ones() {
    let server = start().await;
    for (path, text) in [
        ("/v1/traces/v1/traces", "traces go to /v1/traces"),
        ("/", "/v1/traces"),
        ("/api/traces", "/v1/traces"),
    ] {
        let reply = post(server.address, path, JSON, json(&["x"])).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
        assert!(reply.text().contains(text), "{}", reply.text());
    }
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let reply = send(server.address, method.clone(), "/v1/traces", &[], "").await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (StatusCode::METHOD_NOT_ALLOWED, "POST"),
            "{method}"
        );
    }
}

#[tokio::test]
async fn pushing_back_is_503_with_a_time_to_come_again() {
    let server = start().await;
    for (refusal, seconds) in [(Refusal::Full, "5"), (Refusal::Busy, "1"), (Refusal::Stopping, "5")] {
        server.refuse(refusal);
        for media in [PROTOBUF, JSON] {
            let reply = post(server.address, "/v1/traces", media, "").await;
            assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(reply.header("retry-after"), seconds);
        }
    }
}

#[tokio::test]
async fn http2_without_upgrade_is_served_on_the_same_port() {
    let server = start().await;
    let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new())
        .http2_only(true)
        .build_http();
    let request = axum::http::Request::post(format!("http://{}/v1/traces", server.address))
        .header("content-type", JSON)
        .body(http_body_util::Full::new(bytes::Bytes::from(json(&["h2"]))))
        .unwrap();
    assert_eq!(client.request(request).await.unwrap().status(), StatusCode::OK);
    assert_eq!(server.names(), ["h2"]);
}
