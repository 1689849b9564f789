//! Strangers that hold connections, send too much or never end cost them, not others.
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use recount::ingest::{DoorSettings, Signal};
use recount::server::ServeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::wire::client::{call, frame, gzip, post, send};
use crate::wire::http::spans;
use crate::wire::server::{impatient, start, start_with};
use prost::Message;

/// Writes these bytes and reads until the server closes; gives back what came and how long it took.
async fn talk(address: std::net::SocketAddr, bytes: &[u8]) -> (String, Duration) {
    let start = Instant::now();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    // A reset after the answer is as good as an end.
    drop(read.expect("the server closes"));
    (String::from_utf8_lossy(&answer).into_owned(), start.elapsed())
}

#[tokio::test]
async fn connections_that_do_not_go_on_are_closed() {
    let (door, limits) = impatient();
    let server = start_with(door, limits).await;
    for silent in [
        &b""[..],
        b"P",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n",
    ] {
        let (_, took) = talk(server.address, silent).await;
        assert!(took < Duration::from_secs(8), "{silent:?} {took:?}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_answered_in_time() {
    let (door, limits) = impatient();
    let server = start_with(door, limits).await;
    let head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let slow = format!("{head}Content-Length: 100\r\n\r\n{{");
    let (answer, took) = talk(server.address, slow.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn two_hundred_slow_ones_do_not_keep_a_normal_one_waiting() {
    let server = start().await;
    let mut slow = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        let sent =
            if number % 2 == 0 { head.to_owned() } else { format!("{head}Content-Length: 99\r\n\r\n{{") };
        stream.write_all(sent.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let start = Instant::now();
    for _ in 0..20 {
        assert_eq!(post(server.address, "/v1/traces", "application/json", "{}").await.status, StatusCode::OK);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn too_much_is_refused_with_an_answer_not_a_reset() {
    let (mut door, limits) = impatient();
    door.request_bytes_max = 1 << 20;
    let server = start_with(door, limits).await;
    for headers in [&[("content-type", "application/json")][..], &[("content-type", "text/plain")]] {
        let large = vec![b' '; 3 << 20];
        let reply = send(server.address, axum::http::Method::POST, "/v1/traces", headers, large).await;
        let large = reply.status == StatusCode::PAYLOAD_TOO_LARGE;
        assert!(large || reply.status == StatusCode::UNSUPPORTED_MEDIA_TYPE, "{}", reply.status);
        assert!(!large || reply.text().contains("1048576 bytes (as sent), the limit `request_bytes_max`"));
    }
}

#[tokio::test]
async fn bombs_end_at_the_limit_and_the_connection_lives() {
    let server = start().await;
    let bomb = gzip(&vec![0; 200 << 20]);
    assert!(bomb.len() < 2 << 20);
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let reply = send(server.address, axum::http::Method::POST, "/v1/traces", &headers, bomb.clone()).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(reply.text().contains("67108864 bytes (decompressed)"), "{}", reply.text());
    let path = Signal::Traces.grpc_path();
    let reply = call(server.address, path, &[("grpc-encoding", "gzip")], frame(1, &bomb)).await;
    assert_eq!(reply.grpc_status(), "8");
    let message = spans(&["after"]).encode_to_vec();
    assert_eq!(call(server.address, path, &[], frame(0, &message)).await.grpc_status(), "0");
}

#[tokio::test]
async fn requests_take_no_more_memory_together_than_they_may() {
    let door = DoorSettings { memory_bytes_max: 2 << 20, ..DoorSettings::default() };
    let server = start_with(door, ServeLimits::default()).await;
    let mut holding = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    holding.write_all(format!("{head}Content-Length: 1500000\r\n\r\n{{").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let large = format!("{{{}}}", " ".repeat(1 << 20));
    let reply = post(server.address, "/v1/traces", "application/json", large.clone()).await;
    assert_eq!((reply.status, reply.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "1"));
    drop(holding);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let reply = post(server.address, "/v1/traces", "application/json", large).await;
    assert_eq!(reply.status, StatusCode::OK);
}

#[tokio::test]
async fn a_stop_lets_running_requests_end_and_cuts_the_others() {
    let (mut door, limits) = impatient();
    door.body_idle_timeout = Duration::from_secs(30);
    door.body_timeout = Duration::from_secs(30);
    let mut server = start_with(door, limits).await;
    let head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let mut ending = TcpStream::connect(server.address).await.unwrap();
    ending.write_all(format!("{head}Content-Length: 2\r\n\r\n{{").as_bytes()).await.unwrap();
    let mut hanging = TcpStream::connect(server.address).await.unwrap();
    hanging.write_all(format!("{head}Content-Length: 9\r\n\r\n{{").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.cancel();
    tokio::time::sleep(Duration::from_millis(100)).await;
    ending.write_all(b"}").await.unwrap();
    let mut answer = String::new();
    ending.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let served = server.served.take().unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(4), served).await.is_ok());
    assert!(TcpStream::connect(server.address).await.is_err());
}
