//! The whole product on one machine: acknowledged and queryable spans a second, CPU, bytes on disk, time of the run page.
//!
//! `cargo bench --bench end_to_end`, or with the name of a part, such as `"flat, gzip"`. Server, engine and generator
//! share the machine; the CPU is that of all three, but for making the spans. Prints one table.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench prints, and may stop at the first surprise"
)]
#[path = "workload/careless.rs"]
mod careless;
mod workload;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use careless::careless;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use prost::Message;
use recount::config::{Command, Settings, parse, parse_file, resolve};
use recount::server::Server;
use rustix::time::{ClockId, clock_gettime};
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
    fn body(self, message: Vec<u8>, gzip: bool) -> Bytes {
        match self {
            Self::Http if gzip => {
                let mut packed = GzEncoder::new(Vec::new(), Compression::default());
                packed.write_all(&message).unwrap();
                packed.finish().unwrap().into()
            }
            Self::Http => message.into(),
            Self::Grpc => {
                let length = u32::try_from(message.len()).unwrap().to_be_bytes();
                [&[0], &length[..], &message].concat().into()
            }
        }
    }
}

/// One way of sending.
struct Part {
    name: &'static str,
    shape: Shape,
    spans: usize,
    door: Door,
    gzip: bool,
    redacts: bool,
    /// With secrets in every text.
    secrets: bool,
    /// With the text index on bodies.
    index: bool,
}

const FLAT: Part = Part {
    name: "flat",
    shape: Shape::Flat,
    spans: 102_400,
    door: Door::Http,
    gzip: false,
    redacts: true,
    secrets: false,
    index: true,
};

const PARTS: &[Part] = &[
    FLAT,
    Part { name: "flat, gzip", gzip: true, ..FLAT },
    Part { name: "flat, gRPC", door: Door::Grpc, ..FLAT },
    Part { name: "flat, no text index", index: false, ..FLAT },
    Part { name: "flat, no redaction", redacts: false, ..FLAT },
    Part { name: "secrets", secrets: true, spans: 51_200, ..FLAT },
    Part { name: "secrets, no redaction", secrets: true, redacts: false, spans: 51_200, ..FLAT },
    Part { name: "growing, 10 calls", shape: Shape::Growing, spans: 51_200, ..FLAT },
    Part { name: "growing, no text index", shape: Shape::Growing, spans: 51_200, index: false, ..FLAT },
    Part { name: "growing, no redaction", shape: Shape::Growing, spans: 51_200, redacts: false, ..FLAT },
];

const NO_RULES: &str = "[redaction]\noff = [\"secrets\", \"cards\", \"iban\", \"base64\"]\n";

const HEAD: &str = "| workload | acknowledged, spans/s | queryable, spans/s | CPU-ms / 1,000 spans | ack p50 / p99, ms | \
                    wire / disk, B/span |\n|---|---|---|---|---|---|";

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match part.as_str() {
        "pages" => runtime.block_on(pages()),
        "export" => runtime.block_on(export()),
        name if PARTS.iter().any(|part| part.name == name) => {
            let part = PARTS.iter().find(|part| part.name == name).unwrap();
            runtime.block_on(ingest(part));
        }
        // One engine a process: each part is one of its own.
        _ => {
            println!("{HEAD}");
            for part in PARTS.iter().map(|part| part.name).chain(["pages", "export"]) {
                let done = std::process::Command::new(std::env::current_exe().unwrap()).arg(part).status();
                assert!(done.unwrap().success());
            }
        }
    }
}

fn settings(folder: &std::path::Path, rules: &str) -> Settings {
    let dir = folder.to_str().unwrap();
    let file = folder.join("recount.toml");
    std::fs::write(&file, rules).unwrap();
    let arguments = ["recount", "serve", "--data-dir", dir, "--listen", "127.0.0.1:0"];
    let ports = ["--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
    let config = ["--config", file.to_str().unwrap()];
    let (cli, matches) = parse(arguments.into_iter().chain(ports).chain(config)).unwrap();
    let Command::Serve(serve) = cli.command else { panic!("serve was asked for") };
    let file = parse_file(serve.config.as_deref()).unwrap();
    resolve(serve, matches.subcommand().unwrap().1, file).unwrap()
}

async fn ingest(part: &Part) {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(&settings(folder.path(), if part.redacts { "" } else { NO_RULES })).await.unwrap();
    if !part.index {
        let client = server.rooms().store().engine().unwrap().client().with_database("recount");
        for index in ["said", "shown"] {
            let statement = format!("ALTER TABLE contents DROP INDEX {index}");
            client.query(&statement).execute().await.unwrap();
        }
    }
    let url = part.door.url(&server);
    let requests = Workload::new(7).requests(part.shape, part.spans, BATCH);
    let sent: usize =
        requests.iter().map(|request| request.resource_spans[0].scope_spans[0].spans.len()).sum();
    let bodies: Vec<Bytes> = requests
        .into_iter()
        .map(|request| if part.secrets { careless(request) } else { request })
        .map(|request| part.door.body(request.encode_to_vec(), part.gzip))
        .collect();
    let bodies = Arc::new(bodies);
    let wire: usize = bodies.iter().map(Bytes::len).sum();
    let (next, begun, cpu) = (Arc::new(AtomicUsize::new(0)), Instant::now(), cpu_s());
    let mut latencies = Vec::new();
    let senders: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(send((part.door, part.gzip), url.clone(), bodies.clone(), next.clone())))
        .collect();
    for sender in senders {
        latencies.extend(sender.await.unwrap());
    }
    let acknowledged = begun.elapsed();
    assert!(server.rooms().drained(Duration::from_secs(600)).await);
    let (queryable, cpu) = (begun.elapsed(), cpu_s() - cpu);
    latencies.sort();
    let per_s = |took: Duration| sent as f64 / took.as_secs_f64();
    let stored = bytes_below(&folder.path().join("store"));
    println!(
        "| {} | {:.0} | {:.0} | {:.1} | {} / {} | {} / {} |",
        part.name,
        per_s(acknowledged),
        per_s(queryable),
        cpu * 1e6 / sent as f64,
        latencies[latencies.len() / 2].as_millis(),
        latencies[latencies.len() * 99 / 100].as_millis(),
        wire / sent,
        stored / sent as u64,
    );
    server.stop().await;
}

/// What the process has used of the CPU, in seconds.
fn cpu_s() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Sends bodies until none is left; how long each took to be acknowledged.
async fn send(
    (door, gzip): (Door, bool),
    url: String,
    bodies: Arc<Vec<Bytes>>,
    next: Arc<AtomicUsize>,
) -> Vec<Duration> {
    let client = door.client();
    let mut took = Vec::new();
    while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
        let begun = Instant::now();
        match door {
            Door::Http => post(&client, &url, body.clone(), gzip).await,
            Door::Grpc => call(&client, &url, body.clone()).await,
        }
        took.push(begun.elapsed());
    }
    took
}

async fn post(client: &HttpClient, url: &str, body: Bytes, gzip: bool) {
    let mut request = Request::post(url).header("content-type", "application/x-protobuf");
    if gzip {
        request = request.header("content-encoding", "gzip");
    }
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
    let server = Server::start(&settings(folder.path(), "")).await.unwrap();
    let (client, url) = (Door::Http.client(), Door::Http.url(&server));
    println!(
        "\n| run | CPU-ms / 1,000 spans to take it | page, p50 / max of 15, ms | HTML, KB |\n|---|---|---|---|"
    );
    for calls in [10, 500, 5_000] {
        let run = Workload::new(calls as u64).run(Shape::Flat, calls);
        let id: String = run[0].trace_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let (steps, cpu) = (run.len(), cpu_s());
        for part in run.chunks(BATCH) {
            post(&client, &url, request(part.to_vec()).encode_to_vec().into(), false).await;
        }
        assert!(server.rooms().drained(Duration::from_secs(120)).await);
        let cpu = (cpu_s() - cpu) * 1e6 / steps as f64;
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
            "| {steps} steps | {cpu:.0} | {} / {} | {} |",
            took[7].as_millis(),
            took[14].as_millis(),
            bytes / 1024
        );
    }
    server.stop().await;
}

/// What agents did on one account as an evidence file, as it streams to who asked.
async fn export() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&settings(folder.path(), "")).await.unwrap();
    let (client, url) = (Door::Http.client(), Door::Http.url(&server));
    let mut steps = 0;
    for mut request in Workload::new(3).requests(Shape::Flat, 102_400, BATCH) {
        for span in &mut request.resource_spans[0].scope_spans[0].spans {
            steps += 1;
            for attribute in span.attributes.iter_mut().filter(|pair| pair.key == "recount.account.id") {
                attribute.value =
                    Some(AnyValue { value: Some(Value::StringValue("acct_export".to_owned())) });
            }
        }
        post(&client, &url, request.encode_to_vec().into(), false).await;
    }
    assert!(server.rooms().drained(Duration::from_secs(600)).await);
    println!("\n| export | seconds | MB | memory before / most, MB |\n|---|---|---|---|");
    let (begun, before) = (Instant::now(), memory_mb("VmRSS:"));
    // From here on the most memory is counted anew.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let path = format!("http://{}/api/v1/entities/account/acct_export/evidence", server.addresses.ui);
    let response = client.request(Request::get(path).body(Full::default()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    let (mut body, mut bytes) = (response.into_body(), 0);
    while let Some(frame) = body.frame().await {
        bytes += frame.unwrap().data_ref().map_or(0, Bytes::len);
    }
    let took = begun.elapsed().as_secs_f64();
    println!("| {steps} steps | {took:.1} | {} | {before} / {} |", bytes >> 20, memory_mb("VmHWM:"));
    server.stop().await;
}

/// A figure of the process in megabytes, as the kernel has it.
fn memory_mb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
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
