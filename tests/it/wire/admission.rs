//! Other names and other web pages stay outside, on both transports.
use axum::http::{Method, StatusCode};
use recount::ingest::{DoorSettings, Signal};
use recount::server::ServeLimits;

use crate::wire::client::{call, frame, send};
use crate::wire::server::{start, start_with};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn a_request_for_another_name_is_refused() {
    let server = start().await;
    for (host, status) in [
        ("evil.test", StatusCode::MISDIRECTED_REQUEST),
        ("localhost.evil.test:4318", StatusCode::MISDIRECTED_REQUEST),
        ("localhost:4318", StatusCode::OK),
        ("127.0.0.1", StatusCode::OK),
    ] {
        let reply = send(server.address, Method::POST, "/v1/traces", &[JSON, ("host", host)], "{}").await;
        assert_eq!(reply.status, status, "{host}");
    }
    let door = DoorSettings { hosts: vec!["recount".to_owned()], ..DoorSettings::default() };
    let server = start_with(door, ServeLimits::default()).await;
    let headers = [JSON, ("host", "recount:4318")];
    assert_eq!(send(server.address, Method::POST, "/v1/traces", &headers, "{}").await.status, StatusCode::OK);
}

#[tokio::test]
async fn pages_may_send_only_from_allowed_origins() {
    let door =
        DoorSettings { cors_origins: vec!["https://app.example".to_owned()], ..DoorSettings::default() };
    let server = start_with(door, ServeLimits::default()).await;
    let good = ("origin", "https://app.example");
    let preflight = [
        good,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,authorization"),
    ];
    let reply = send(server.address, Method::OPTIONS, "/v1/traces", &preflight, "").await;
    assert_eq!(reply.status, StatusCode::NO_CONTENT);
    assert_eq!(reply.header("access-control-allow-headers"), "content-type,authorization");
    assert_eq!(reply.header("access-control-allow-origin"), good.1);
    for (path, status) in [("/v1/traces", StatusCode::OK), ("/v2", StatusCode::NOT_FOUND)] {
        let reply = send(server.address, Method::POST, path, &[JSON, good], "{}").await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (status, good.1));
        assert_eq!(reply.header("vary"), "origin");
    }
    for origin in ["https://evil.example", "null", "http://localhost:3000"] {
        for method in [Method::POST, Method::OPTIONS] {
            let headers = [JSON, ("origin", origin), ("access-control-request-method", "POST")];
            let reply = send(server.address, method, "/v1/traces", &headers, "{}").await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{origin}");
            assert_eq!(reply.header("access-control-allow-origin"), "");
        }
    }
    let headers = [("origin", "https://evil.example")];
    let reply = call(server.address, Signal::Traces.grpc_path(), &headers, frame(0, b"")).await;
    assert_eq!(reply.grpc_status(), "7");
}
