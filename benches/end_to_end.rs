//! The whole product on one machine: acknowledged and queryable spans a second, bytes on disk, time of the run page.
//!
//! `cargo bench --bench end_to_end`. Server, engine and generator share the machine. Prints one table.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints, and may stop at the first surprise"
)]
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use prost::Message;
use recount::config::{Command, Settings, parse, parse_file, resolve};
use recount::server::Server;
use workload::{Shape, Workload, request};

const CONNECTIONS: usize = 4;
const BATCH: usize = 512;

type HttpClient = Client<HttpConnector, Full<Bytes>>;

/// Which transport the spans take.
#[derive(Clone, Copy)]
enum Door {
    Http,
    Grpc,
}

impl Door {
    fn word(self) -> &'static str {
        match self {
            Self::Http => "HTTP/protobuf",
            Self::Grpc => "gRPC",
        }
    }

    fn client(self) -> HttpClient {
        Client::builder(TokioExecutor::new()).http2_only(matches!(self, Self::Grpc)).build_http()
    }

    fn url(self, server: &Server) -> String {
        match self {
            Self::Http => format!("http://{}/v1/traces", server.addresses.otlp_http),
            Self::Grpc => format!(
                "http://{}/opentelemetry.proto.collector.trace.v1.TraceService/Export",
                server.addresses.otlp_grpc
            ),
        }
    }

    /// The message as it goes over the wire; gRPC puts five bytes in front: not compressed, and its length.
    fn body(self, message: Vec<u8>) -> Bytes {
        match self {
            Self::Http => message.into(),
            Self::Grpc => {
                let length = u32::try_from(message.len()).unwrap().to_be_bytes();
                [&[0], &length[..], &message].concat().into()
            }
        }
    }
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match part.as_str() {
        "flat" => runtime.block_on(ingest("flat", Shape::Flat, 102_400, Door::Http)),
        "flat over gRPC" => runtime.block_on(ingest("flat", Shape::Flat, 102_400, Door::Grpc)),
        "growing" => runtime.block_on(ingest("growing, 10 calls", Shape::Growing, 51_200, Door::Http)),
        "pages" => runtime.block_on(pages()),
        // One engine a process: each part is one of its own.
        _ => {
            println!("| what | figure |\n|---|---|");
            for part in ["flat", "flat over gRPC", "growing", "pages"] {
                let done = std::process::Command::new(std::env::current_exe().unwrap()).arg(part).status();
                assert!(done.unwrap().success());
            }
        }
    }
}

fn settings(folder: &std::path::Path) -> Settings {
    let dir = folder.to_str().unwrap();
    let arguments = ["recount", "serve", "--data-dir", dir, "--listen", "127.0.0.1:0"];
    let ports = ["--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
    let (cli, matches) = parse(arguments.into_iter().chain(ports)).unwrap();
    let Command::Serve(serve) = cli.command else { return settings(folder) };
    resolve(serve, matches.subcommand().unwrap().1, parse_file(None).unwrap()).unwrap()
}

async fn ingest(name: &str, shape: Shape, spans: usize, door: Door) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&settings(folder.path())).await.unwrap();
    let url = door.url(&server);
    let requests = Workload::new(7).requests(shape, spans, BATCH);
    let sent: usize =
        requests.iter().map(|request| request.resource_spans[0].scope_spans[0].spans.len()).sum();
    let bodies: Arc<Vec<Bytes>> =
        Arc::new(requests.iter().map(|request| door.body(request.encode_to_vec())).collect());
    let wire: usize = bodies.iter().map(Bytes::len).sum();
    let (next, begun) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let mut latencies = Vec::new();
    let senders: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(send(door, url.clone(), bodies.clone(), next.clone())))
        .collect();
    for sender in senders {
        latencies.extend(sender.await.unwrap());
    }
    let acknowledged = begun.elapsed();
    assert!(server.rooms().drained(Duration::from_secs(600)).await);
    let queryable = begun.elapsed();
    latencies.sort();
    let per_s = |took: Duration| sent as f64 / took.as_secs_f64();
    println!(
        "| {name}: acknowledged over {}, {BATCH} spans a request | {:.0} spans/s |",
        door.word(),
        per_s(acknowledged)
    );
    println!("| {name}: queryable over {}, lists included | {:.0} spans/s |", door.word(), per_s(queryable));
    println!(
        "| {name}: acknowledgement, p50 / p99, closed loop, {CONNECTIONS} connections | {} / {} ms |",
        latencies[latencies.len() / 2].as_millis(),
        latencies[latencies.len() * 99 / 100].as_millis()
    );
    let stored = bytes_below(&folder.path().join("store"));
    println!("| {name}: wire / disk, text index on | {} / {} B a span |", wire / sent, stored / sent as u64);
    server.stop().await;
}

/// Sends bodies until none is left; how long each took to be acknowledged.
async fn send(door: Door, url: String, bodies: Arc<Vec<Bytes>>, next: Arc<AtomicUsize>) -> Vec<Duration> {
    let client = door.client();
    let mut took = Vec::new();
    while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
        let begun = Instant::now();
        match door {
            Door::Http => post(&client, &url, body.clone()).await,
            Door::Grpc => call(&client, &url, body.clone()).await,
        }
        took.push(begun.elapsed());
    }
    took
}

async fn post(client: &HttpClient, url: &str, body: Bytes) {
    let request = Request::post(url).header("content-type", "application/x-protobuf");
    let response = client.request(request.body(Full::new(body)).unwrap()).await.unwrap();
    assert!(response.status().is_success(), "{}", response.status());
    response.into_body().collect().await.unwrap();
}

async fn call(client: &HttpClient, url: &str, body: Bytes) {
    let request = Request::post(url).header("content-type", "application/grpc").header("te", "trailers");
    let response = client.request(request.body(Full::new(body)).unwrap()).await.unwrap();
    let in_head = response.headers().get("grpc-status").cloned();
    let answer = response.into_body().collect().await.unwrap();
    let status = answer.trailers().and_then(|trailers| trailers.get("grpc-status").cloned()).or(in_head);
    assert_eq!(status.unwrap(), "0");
}

async fn pages() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&settings(folder.path())).await.unwrap();
    let (client, url) = (Door::Http.client(), Door::Http.url(&server));
    for calls in [10, 500, 5_000] {
        let run = Workload::new(calls as u64).run(Shape::Flat, calls);
        let id: String = run[0].trace_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let steps = run.len();
        for part in run.chunks(BATCH) {
            post(&client, &url, request(part.to_vec()).encode_to_vec().into()).await;
        }
        assert!(server.rooms().drained(Duration::from_secs(120)).await);
        let page = format!("http://{}/runs/{id}", server.addresses.ui);
        let mut took = Vec::new();
        let mut bytes = 0;
        for _ in 0..15 {
            let begun = Instant::now();
            let response = client.request(Request::get(&page).body(Full::default()).unwrap()).await.unwrap();
            assert_eq!(response.status(), 200);
            bytes = response.into_body().collect().await.unwrap().to_bytes().len();
            took.push(begun.elapsed());
        }
        took.sort();
        println!(
            "| run page, {steps} steps: p50 / max of 15, HTML | {} / {} ms, {} KB |",
            took[7].as_millis(),
            took[14].as_millis(),
            bytes / 1024
        );
    }
    server.stop().await;
}

fn bytes_below(folder: &PathBuf) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_below(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
