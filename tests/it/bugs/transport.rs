//! Kind B: transport, limits, proxies. Credentials (B12) come with access control.
use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use prost::Message;
use recount::ingest::Signal;
use serde_json::{Value, json};
use tonic_types::Status as RpcStatus;

use crate::bugs::case::{Case, Via, attempts, block_on, text};
use crate::bugs::shared::Own;
use crate::pages::site::addresses;
use crate::wire::client::{Reply, call, frame, gzip, send};

const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";

#[test]
fn b07_content_types_and_the_type_of_the_answer() {
    let case = Case::over("B07", Via::Json);
    let json = |number: u32| case.request(number).to_string();
    let protobuf: ExportTraceServiceRequest = serde_json::from_value(case.request(3)).unwrap();
    for (media, answered, body) in [
        ("application/json; charset=utf-8", JSON, Bytes::from(json(1))),
        ("APPLICATION/JSON", JSON, json(2).into()),
        (PROTOBUF, PROTOBUF, protobuf.encode_to_vec().into()),
    ] {
        let reply = case.post(media, body);
        assert_eq!((reply.status, reply.header("content-type")), (StatusCode::OK, answered), "{media}");
        match answered {
            JSON => assert_eq!(reply.text(), "{}"),
            _ => assert_eq!(ExportTraceServiceResponse::decode(reply.body).unwrap().partial_success, None),
        }
    }
    case.traced("T1", 3);
    let labelled = case.post(PROTOBUF, json(4));
    assert_eq!(labelled.status, StatusCode::BAD_REQUEST);
    let status = RpcStatus::decode(labelled.body).unwrap();
    assert!(status.message.contains("looks like JSON"), "{}", status.message);
    let none = block_on(send(case.at.http, Method::POST, "/v1/traces", &[], json(6)));
    for reply in [case.post("text/plain", json(5)), none] {
        assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        assert!(reply.text().contains(JSON) && reply.text().contains(PROTOBUF), "{}", reply.text());
    }
    for internal in ["serde", "prost", "axum", "tonic", "::"] {
        assert!(!status.message.contains(internal), "{}", status.message);
    }
}

#[test]
fn b09_messages_above_the_defaults_of_libraries() {
    let prompt = "x".repeat(16 << 10);
    for (via, trace) in [(Via::Grpc, "T1"), (Via::Proto, "T2"), (Via::Json, "T3")] {
        let case = Case::over("B09", via);
        let spans: Vec<Value> = (0..400)
            .map(|number| {
                let prompt = text("gen_ai.input.messages", &format!("{number} {prompt}"));
                case.made(trace, &number.to_string(), "chat", &[prompt, case.in_run("r1")])
            })
            .collect();
        case.send_spans(&spans);
        case.run("r1", attempts(400));
    }
    // One limit, on what was sent decompressed, whatever the transport; and a word about it.
    let case = Case::over("B09", Via::Json);
    let over = gzip(&vec![b' '; (64 << 20) + 1]);
    let headers = [("content-type", JSON), ("content-encoding", "gzip")];
    let reply = block_on(send(case.at.http, Method::POST, "/v1/traces", &headers, over.clone()));
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(reply.text().contains("67108864") && reply.text().contains("request_bytes_max"));
    let headers = [("grpc-encoding", "gzip")];
    let reply = block_on(call(case.at.grpc, Signal::Traces.grpc_path(), &headers, frame(1, &over)));
    assert_eq!(reply.grpc_status(), "8");
    let said = format!("{:?} {:?}", reply.headers, reply.trailers);
    assert!(said.contains("67108864") && said.contains("request_bytes_max"), "{said}");
}

fn as_page(
    case: &Case,
    origin: &str,
    (method, path): (Method, &str),
    more: &[(&str, &str)],
    body: &str,
) -> Reply {
    let headers = [&[("origin", origin), ("content-type", JSON)], more].concat();
    block_on(send(case.at.http, method, path, &headers, body.to_owned()))
}

#[test]
fn b13_behind_a_proxy_under_a_path_and_from_a_browser() {
    let (good, evil) = ("https://app.example", "https://evil.example");
    let own = Own::start(&["--base-path", "/recount", "--cors-origins", good]);
    let case = Case::on("B13", Via::Json, own.at);
    let asks = [
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,authorization"),
    ];
    let allowed = |reply: &Reply| reply.header("access-control-allow-origin").to_owned();
    let preflight = as_page(&case, good, (Method::OPTIONS, "/v1/traces"), &asks, "");
    assert!(preflight.status.is_success());
    assert_eq!(allowed(&preflight), good);
    let sent = as_page(&case, good, (Method::POST, "/v1/traces"), &[], &case.request(2).to_string());
    assert_eq!((sent.status, allowed(&sent).as_str()), (StatusCode::OK, good));
    let broken = as_page(&case, good, (Method::POST, "/v1/traces"), &[], "{");
    assert_eq!((broken.status, allowed(&broken).as_str()), (StatusCode::BAD_REQUEST, good));
    let other = as_page(&case, evil, (Method::POST, "/v1/traces"), &[], &case.request(3).to_string());
    assert_eq!((other.status.is_success(), allowed(&other).as_str()), (false, ""));
    for path in ["/v1/metrics", "/v1/logs"] {
        let headers = [("content-type", PROTOBUF)];
        let reply = block_on(send(case.at.http, Method::POST, path, &headers, ""));
        assert_eq!(reply.status, StatusCode::OK, "{path}");
    }
    case.eventually(&format!("/recount/api/v1/traces/{}", case.trace("T1")), attempts(1));
    assert!(!case.get("/recount/api/v1/runs").text().contains("other origin"));
    // A proxy keeps the path, or takes it away; the links are the same.
    let mut seen = BTreeSet::new();
    for home in ["/recount", "/recount/", "/"] {
        crawl(&case, home, &mut seen);
    }
    assert!(seen.len() > 100, "{seen:?}");
}

/// Follows every address from here on that was not seen yet, up to 120 in all: all stay below the path, and all
/// answer. The home itself is asked for in any case.
fn crawl(case: &Case, home: &str, seen: &mut BTreeSet<String>) {
    let mut ahead = vec![home.to_owned()];
    while let Some(path) = ahead.pop().filter(|path| seen.len() < 120 || path == home) {
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = block_on(send(case.at.ui, Method::GET, &path, &[], ""));
        if reply.status.is_redirection() {
            let to = reply.header("location");
            assert!(to == "/recount" || to.starts_with("/recount/"), "{path} leads to {to}");
            ahead.push(to.to_owned());
            continue;
        }
        if reply.status == StatusCode::METHOD_NOT_ALLOWED && reply.header("allow") == "POST" {
            continue; // A form is sent there.
        }
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        if !reply.header("content-type").starts_with("text/html") {
            continue;
        }
        for address in addresses(reply.text(), &path) {
            let link = format!("<a href=\"{address}");
            if path.starts_with("/recount/docs/")
                && address.starts_with("http")
                && reply.text().contains(&link)
            {
                continue; // What a document refers to, for a reader to follow: nothing that a page loads.
            }
            assert!(address == "/recount" || address.starts_with("/recount/"), "{path} names {address}");
            ahead.push(address);
        }
    }
}

#[test]
fn a_wrong_path_names_the_right_one() {
    let case = Case::over("B12", Via::Json);
    let reply = block_on(send(
        case.at.http,
        Method::POST,
        "/v1/traces/v1/traces",
        &[("content-type", JSON)],
        json!({}).to_string(),
    ));
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert!(reply.text().contains("/v1/traces"), "{}", reply.text());
}
