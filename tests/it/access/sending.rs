//! B12 and B13: senders with keys in every spelling, over both transports, and what they hear when it is wrong.
use axum::http::{Method, StatusCode};
use prost::Message;
use recount::access::KeyEntry;
use recount::ingest::{DoorSettings, Signal};
use recount::server::ServeLimits;

use crate::access::people::{NOW_NS, door, key};
use crate::ledger::sending::{Span, serving_with};
use crate::support::binary::raw;
use crate::wire::client::{Reply, call, frame, send};
use crate::wire::http::spans;
use crate::wire::server::{Server, start_for};

async fn guarded(keys: Vec<KeyEntry>) -> Server {
    start_for(door(keys, Vec::new()), DoorSettings::default(), ServeLimits::default()).await
}

/// Sends one span over each transport.
async fn sent(server: &Server, path: &str, header: Option<(&str, &str)>) -> [Reply; 3] {
    let (at, message) = (server.address, spans(&["one"]));
    let with = |media| [Some(("content-type", media)), header].into_iter().flatten().collect::<Vec<_>>();
    let json = serde_json::to_string(&message).unwrap();
    let protobuf = message.encode_to_vec();
    let grpc: Vec<(&str, &str)> = header.into_iter().collect();
    [
        send(at, Method::POST, path, &with("application/json"), json).await,
        send(at, Method::POST, path, &with("application/x-protobuf"), protobuf.clone()).await,
        call(at, Signal::Traces.grpc_path(), &grpc, frame(0, &protobuf)).await,
    ]
}

fn told(reply: &Reply) -> String {
    let grpc = reply.headers.get("grpc-message").or_else(|| reply.trailers.get("grpc-message"));
    let grpc = grpc.map(|text| String::from_utf8_lossy(text.as_bytes()).replace("%20", " "));
    format!("{} {}", String::from_utf8_lossy(&reply.body), grpc.unwrap_or_default())
}

#[tokio::test]
async fn b12_a_key_is_read_in_every_usual_spelling() {
    let (secret, entry) = key("sender@shop");
    let server = guarded(vec![entry]).await;
    for (name, value) in [
        ("Authorization", format!("Bearer {secret}")),
        ("authorization", format!("bearer {secret}")),
        ("authorization", format!("Bearer%20{secret}")),
        ("x-api-key", secret.clone()),
    ] {
        let [json, protobuf, grpc] = sent(&server, "/v1/traces", Some((name, &value))).await;
        assert_eq!((json.status, protobuf.status), (StatusCode::OK, StatusCode::OK), "{name}");
        assert_eq!(grpc.grpc_status(), "0", "{name}");
    }
    assert_eq!(server.names().len(), 12);
    // The project is the key's, whatever the payload says.
    assert!(server.inside.projects.lock().unwrap().iter().all(|project| project == "shop"));
}

#[tokio::test]
async fn b12_what_is_wrong_is_said_and_the_key_is_never_repeated() {
    let (secret, entry) = key("sender@shop");
    let (other, _) = key("sender@shop");
    let (revoked, gone) = key("sender@shop");
    let (expired, old) = key("sender@shop");
    let keys =
        vec![entry, KeyEntry { revoked: true, ..gone }, KeyEntry { expires_ns: Some(NOW_NS - 1), ..old }];
    let server = guarded(keys).await;
    for (header, says) in [
        (None, "no credential came"),
        (Some(("authorization", format!("\"Bearer {secret}\""))), "in quotation marks"),
        (Some(("authorization", format!("Basic {secret}"))), "scheme Basic"),
        (Some(("authorization", format!("Token {secret}"))), "known scheme"),
        (Some(("authorization", secret.clone())), "is missing in front"),
        (Some(("authorization", "Bearer k-live-EXAMPLE".to_owned())), "no key of Recount"),
        (Some(("authorization", format!("Bearer {}", &secret[..50]))), "not whole"),
        (Some(("authorization", format!("Bearer {other}"))), "no such key"),
        (Some(("authorization", format!("Bearer {revoked}"))), "was revoked"),
        (Some(("authorization", format!("Bearer {expired}"))), "has expired"),
    ] {
        let header = header.as_ref().map(|(name, value)| (*name, value.as_str()));
        let [json, protobuf, grpc] = sent(&server, "/v1/traces", header).await;
        for reply in [&json, &protobuf] {
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{says}");
            assert_eq!(reply.header("www-authenticate"), "Bearer", "{says}");
        }
        assert_eq!(grpc.grpc_status(), "16", "{says}");
        for reply in [json, protobuf, grpc] {
            let text = told(&reply);
            assert!(text.contains(says), "{says}: {text}");
            for secret in [&secret[21..], &other[21..], "EXAMPLE"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
    }
    assert!(server.names().is_empty(), "nothing of it was taken");
}

#[tokio::test]
async fn b12_a_key_in_the_address_and_a_doubled_path_are_refused() {
    let (secret, entry) = key("sender@shop");
    let server = guarded(vec![entry]).await;
    let bearer = format!("Bearer {secret}");
    for header in [None, Some(("authorization", bearer.as_str()))] {
        let [json, protobuf, _] = sent(&server, &format!("/v1/traces?api_key={secret}"), header).await;
        for reply in [json, protobuf] {
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
            assert!(told(&reply).contains("does not belong in the address"));
            assert!(!told(&reply).contains(&secret[21..]));
        }
    }
    let [json, protobuf, _] =
        sent(&server, "/v1/traces/v1/traces", Some(("authorization", bearer.as_str()))).await;
    for reply in [json, protobuf] {
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
        assert!(told(&reply).contains("traces go to /v1/traces"), "{}", told(&reply));
    }
}

#[tokio::test]
async fn keys_that_read_do_not_send() {
    for role in ["viewer", "operator", "auditor", "admin"] {
        let (secret, entry) = key(&format!("{role}@shop"));
        let server = guarded(vec![entry]).await;
        let bearer = format!("Bearer {secret}");
        let [json, protobuf, grpc] = sent(&server, "/v1/traces", Some(("authorization", &bearer))).await;
        assert_eq!((json.status, protobuf.status), (StatusCode::FORBIDDEN, StatusCode::FORBIDDEN), "{role}");
        assert_eq!(grpc.grpc_status(), "7", "{role}");
        assert!(told(&json).contains(&format!("its role is {role}")));
        assert!(server.names().is_empty());
    }
}

#[tokio::test]
async fn a_key_works_from_the_moment_it_is_made_until_it_is_revoked() {
    let (secret, entry) = key("sender@shop");
    let access = door(vec![KeyEntry { id: "another".to_owned(), ..entry.clone() }], Vec::new());
    let server = start_for(access.clone(), DoorSettings::default(), ServeLimits::default()).await;
    let bearer = format!("Bearer {secret}");
    let ask = || async { sent(&server, "/v1/traces", Some(("authorization", &bearer))).await[0].status };
    assert_eq!(ask().await, StatusCode::UNAUTHORIZED);
    let set = |entry| {
        access.set(recount::access::Directory::of(Vec::new(), Vec::new(), vec![entry], Vec::new()));
    };
    set(entry.clone());
    assert_eq!(ask().await, StatusCode::OK);
    assert!(access.uses().contains_key(&entry.id), "its use is noted");
    set(KeyEntry { revoked: true, ..entry });
    assert_eq!(ask().await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn b13_a_browser_reads_every_answer_of_an_allowed_origin_only() {
    let (secret, entry) = key("sender@shop");
    let settings =
        DoorSettings { cors_origins: vec!["https://app.example".to_owned()], ..DoorSettings::default() };
    let server = start_for(door(vec![entry], Vec::new()), settings, ServeLimits::default()).await;
    let at = server.address;
    let asks = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,authorization"),
    ];
    let preflight = send(at, Method::OPTIONS, "/v1/traces", &asks, "").await;
    assert_eq!(preflight.status, StatusCode::NO_CONTENT);
    assert_eq!(preflight.header("access-control-allow-origin"), "https://app.example");
    let bearer = format!("Bearer {secret}");
    let body = serde_json::to_string(&spans(&["browser"])).unwrap();
    for (origin, key, status) in [
        ("https://app.example", Some(bearer.as_str()), StatusCode::OK),
        ("https://app.example", None, StatusCode::UNAUTHORIZED),
        ("https://evil.example", Some(bearer.as_str()), StatusCode::FORBIDDEN),
    ] {
        let mut headers = vec![("content-type", "application/json"), ("origin", origin)];
        headers.extend(key.map(|key| ("authorization", key)));
        let reply = send(at, Method::POST, "/v1/traces", &headers, body.clone()).await;
        assert_eq!(reply.status, status, "{origin}");
        let allowed = if origin == "https://app.example" { origin } else { "" };
        assert_eq!(reply.header("access-control-allow-origin"), allowed, "{origin} {status}");
    }
}

#[test]
fn a_key_that_sends_more_than_its_quota_hears_when_to_come_again_and_acts_go_last() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serving_with(folder.path(), "[quota]\nspans_per_minute = 2\n");
    let send = |trace: u8, kind: &str| {
        let span = Span::new(trace, 1, "r1", "work").with("recount.step.kind", kind);
        let body = serde_json::json!({"resourceSpans": [{"scopeSpans": [{"spans": [span.0]}]}]}).to_string();
        let head = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n";
        raw(&serving.otlp_http, head, body.as_bytes()).unwrap()
    };
    for trace in 1..=2 {
        assert!(send(trace, "read").starts_with("HTTP/1.1 200"));
    }
    let refused = send(3, "read");
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("what its quota allows"), "{refused}");
    let wait = refused.to_ascii_lowercase().lines().find_map(|line| {
        line.strip_prefix("retry-after: ").and_then(|seconds| seconds.trim().parse::<u64>().ok())
    });
    assert!(wait.is_some_and(|seconds| (1..=60).contains(&seconds)), "{refused}");
    assert!(send(4, "act").starts_with("HTTP/1.1 200"), "acts go last");
    let (_, metrics) = serving.get("/metrics");
    let counted = "recount_ingest_refused_total{signal=\"traces\",reason=\"over-quota\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
    serving.eventually("/api/v1/runs", |runs| runs["runs"][0]["attempt_count"] == 3);
}
