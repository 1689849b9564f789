//! What a span and a page cost as the store grows: at nothing, a million and ten million steps stored.
//!
//! `cargo bench --bench growth [steps ...]`, by default `0 1000000`. A few thousand runs come over OTLP; the rest are copies
//! of them made by the engine, with ids, keys and times of their own, which is some twenty times as quick. What is stored stays in
//! `target/bench/growth` (`RECOUNT_BENCH_DIR` names another place), so that ten million are built once. Each
//! page is asked for thirty times, each time about another thing where it is about one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench prints, and may stop at the first surprise"
)]
mod workload;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clickhouse::Client;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use prost::Message;
use recount::config::{Command, Settings, parse, parse_file, resolve};
use recount::server::Server;
use rustix::time::{ClockId, clock_gettime};
use workload::{Shape, Workload};

/// Steps that come over OTLP before anything is copied.
const FIRST: u64 = 40_000;
/// Steps whose cost is measured at each size.
const MEASURED: usize = 20_480;
const BATCH: usize = 512;
const ASKED: u64 = 30;

fn main() {
    let mut sizes: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![0, 1_000_000];
    }
    tokio::runtime::Runtime::new().unwrap().block_on(measure(&sizes));
}

async fn measure(sizes: &[u64]) {
    let folder =
        std::env::var_os("RECOUNT_BENCH_DIR").map_or_else(|| "target/bench/growth".into(), PathBuf::from);
    std::fs::create_dir_all(&folder).unwrap();
    let server = Server::start(&settings(&folder)).await.unwrap();
    let engine = server.rooms().store().engine().unwrap().client().with_database("recount");
    for size in sizes {
        grow(&server, &engine, *size).await;
        println!("\n{} steps stored\n\n| what | figure |\n|---|---|", steps(&engine).await);
        ingest(&server, &engine).await;
        println!("\n| what | p50 | p95 | max | HTML or JSON |\n|---|---|---|---|---|");
        pages(&server, &engine).await;
    }
    server.stop().await;
}

async fn steps(engine: &Client) -> u64 {
    engine.query("SELECT count() FROM steps").fetch_one().await.unwrap()
}

/// Until this many steps are stored: the first over OTLP, copies of them after that.
async fn grow(server: &Server, engine: &Client, size: u64) {
    if size > 0 && steps(engine).await < FIRST {
        send(server, (Shape::Flat, usize::try_from(FIRST).unwrap()), 1).await;
        settled(engine).await;
    }
    let begun = Instant::now();
    let known = steps(engine).await;
    for statement in BASE.split(";\n").filter(|_| known < size) {
        run(engine, statement).await;
    }
    while steps(engine).await < size {
        let number: u64 = engine.query("SELECT count() FROM bench.copies").fetch_one().await.unwrap();
        run(engine, &format!("INSERT INTO bench.copies VALUES ({number})")).await;
        for statement in COPY.split(";\n") {
            run(engine, &statement.replace("{n}", &number.to_string())).await;
        }
    }
    let copied = steps(engine).await - known;
    if copied > 0 {
        settled(engine).await;
        println!("{copied} steps copied in {:.0?}", begun.elapsed());
    }
}

/// What is copied, kept apart from what is measured.
const BASE: &str = "CREATE DATABASE IF NOT EXISTS bench;
CREATE TABLE IF NOT EXISTS bench.copies (n UInt64) ENGINE = MergeTree ORDER BY n;
CREATE TABLE IF NOT EXISTS bench.steps ENGINE = MergeTree ORDER BY trace_id AS SELECT * FROM steps LIMIT 40000;
CREATE TABLE IF NOT EXISTS bench.contents ENGINE = MergeTree ORDER BY trace_id AS
    SELECT * FROM contents WHERE trace_id IN (SELECT trace_id FROM bench.steps);
CREATE TABLE IF NOT EXISTS bench.runs ENGINE = MergeTree ORDER BY run_id AS
    SELECT * FROM runs FINAL WHERE traces[1] IN (SELECT trace_id FROM bench.steps);
CREATE TABLE IF NOT EXISTS bench.actions ENGINE = MergeTree ORDER BY key AS
    SELECT * FROM actions FINAL WHERE spans[1].1 IN (SELECT trace_id FROM bench.steps);
CREATE TABLE IF NOT EXISTS bench.entity_runs ENGINE = MergeTree ORDER BY run_id AS
    SELECT * FROM entity_runs FINAL WHERE run_id IN (SELECT run_id FROM bench.runs)";

/// One copy, ten minutes before the one before; orders and keys have names of their own, accounts stay the same.
const COPY: &str = "INSERT INTO contents SELECT * REPLACE (MD5(concat(trace_id, '{n}')) AS trace_id,
    replaceAll(body, 'ord_', 'ord_{n}_') AS body) FROM bench.contents;
INSERT INTO steps SELECT * REPLACE (MD5(concat(trace_id, '{n}')) AS trace_id, MD5(concat(record_id, '{n}')) AS record_id,
    replaceAll(key, 'ord_', 'ord_{n}_') AS key, received_ns - 600000000000 * (1 + {n}) AS received_ns,
    started_ns - 600000000000 * (1 + {n}) AS started_ns, ended_ns - 600000000000 * (1 + {n}) AS ended_ns)
    FROM bench.steps;
INSERT INTO runs SELECT * REPLACE (lower(hex(MD5(concat(traces[1], '{n}')))) AS run_id,
    [MD5(concat(traces[1], '{n}'))] AS traces, concat(session_id, '-{n}') AS session_id,
    received_ns - 600000000000 * (1 + {n}) AS received_ns, heard_ns - 600000000000 * (1 + {n}) AS heard_ns,
    started_ns - 600000000000 * (1 + {n}) AS started_ns, ended_ns - 600000000000 * (1 + {n}) AS ended_ns)
    FROM bench.runs;
INSERT INTO actions SELECT * REPLACE (replaceAll(key, 'ord_', 'ord_{n}_') AS key,
    arrayMap(id -> lower(hex(MD5(concat(unhex(id), '{n}')))), run_ids) AS run_ids,
    arrayMap(span -> (toFixedString(MD5(concat(span.1, '{n}')), 16), span.2), spans) AS spans) FROM bench.actions;
INSERT INTO entity_runs SELECT * REPLACE (lower(hex(MD5(concat(unhex(run_id), '{n}')))) AS run_id,
    received_ns - 600000000000 * (1 + {n}) AS received_ns, listed_ns - 600000000000 * (1 + {n}) AS listed_ns,
    first_ns - 600000000000 * (1 + {n}) AS first_ns, last_ns - 600000000000 * (1 + {n}) AS last_ns)
    FROM bench.entity_runs";

async fn run(engine: &Client, statement: &str) {
    // In a copy `trace_id` means the column, not what is put in its place.
    let query = engine.query(statement).with_setting("prefer_column_name_to_alias", "1");
    query.execute().await.unwrap();
}

/// Waits until the engine has merged what was written.
async fn settled(engine: &Client) {
    let mut quiet = 0;
    while quiet < 5 {
        let merges: u64 = engine.query("SELECT count() FROM system.merges").fetch_one().await.unwrap();
        quiet = if merges == 0 { quiet + 1 } else { 0 };
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Sends steps that were never there and waits until lists show them.
async fn send(server: &Server, (shape, count): (Shape, usize), seed: u64) {
    let client: HttpClient<HttpConnector, Full<Bytes>> =
        HttpClient::builder(TokioExecutor::new()).build_http();
    let url = format!("http://{}/v1/traces", server.addresses.otlp_http);
    for request in Workload::new(seed).requests(shape, count, BATCH) {
        let body = Full::new(Bytes::from(request.encode_to_vec()));
        let request =
            Request::post(&url).header("content-type", "application/x-protobuf").body(body).unwrap();
        let response = client.request(request).await.unwrap();
        assert!(response.status().is_success(), "{}", response.status());
        response.into_body().collect().await.unwrap();
    }
    assert!(server.rooms().drained(Duration::from_secs(600)).await);
}

async fn ingest(server: &Server, engine: &Client) {
    let seed: u64 = engine.query("SELECT 2 + uniq(trace_id) FROM steps").fetch_one().await.unwrap();
    for (name, shape) in [("flat", Shape::Flat), ("growing", Shape::Growing)] {
        let (begun, cpu) = (Instant::now(), cpu_s());
        send(server, (shape, MEASURED), seed + u64::from(shape == Shape::Growing)).await;
        let (took, cpu) = (begun.elapsed(), cpu_s() - cpu);
        let count = MEASURED as f64;
        println!("| {name}: one connection, until queryable | {:.0} spans/s |", count / took.as_secs_f64());
        println!("| {name}: CPU, all of it, until queryable | {:.1} ms / 1,000 spans |", cpu * 1e6 / count);
    }
}

/// What the process has used of the CPU, in seconds.
fn cpu_s() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Runs, accounts, keys and orders that are there, spread over all that is.
async fn some(engine: &Client, what: &str) -> Vec<String> {
    let statement = format!("SELECT {what} LIMIT {ASKED}");
    engine.query(&statement).fetch_all().await.unwrap()
}

async fn pages(server: &Server, engine: &Client) {
    let ui = server.addresses.ui.to_string();
    let spread = "ORDER BY cityHash64(run_id)";
    let runs = some(engine, &format!("run_id FROM runs {spread}")).await;
    let accounts = some(
        engine,
        &format!("substring(entity, 9) FROM entity_runs WHERE startsWith(entity, 'account:') {spread}"),
    )
    .await;
    let keys = some(engine, "key FROM actions ORDER BY cityHash64(key)").await;
    let orders = keys.iter().map(|key| key.split(':').next().unwrap_or_default());
    table("a run, 20 steps", &ui, runs.iter().map(|id| format!("/runs/{id}"))).await;
    table("an account", &ui, accounts.iter().map(|id| format!("/entities/account/{id}"))).await;
    table("a key", &ui, keys.iter().map(|key| format!("/keys/{key}"))).await;
    table("a key, API", &ui, keys.iter().map(|key| format!("/api/v1/keys/{key}"))).await;
    table("search, an order", &ui, orders.map(|order| format!("/search?q={order}"))).await;
    let words = (0..ASKED)
        .zip(accounts.iter().cycle())
        .map(|(_, account)| format!("/search?q=careful+account+{account}"));
    table("search, words and an account", &ui, words).await;
    let common = (0..ASKED).map(|n| format!("/search?q=refund+{}", 100 + n));
    table("search, a common word", &ui, common).await;
    for path in ["/runs", "/unknowns", "/actions", "/overview", "/status"] {
        table(path, &ui, (0..ASKED).map(|_| path.to_owned())).await;
    }
}

async fn table(what: &str, ui: &str, paths: impl Iterator<Item = String>) {
    let client: HttpClient<HttpConnector, Full<Bytes>> =
        HttpClient::builder(TokioExecutor::new()).build_http();
    let (mut times, mut bytes) = (Vec::new(), 0);
    for path in paths {
        let begun = Instant::now();
        let request = Request::get(format!("http://{ui}{path}")).body(Full::default()).unwrap();
        let answer = client.request(request).await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        bytes = answer.into_body().collect().await.unwrap().to_bytes().len();
        times.push(begun.elapsed());
    }
    times.sort();
    let ms = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    println!("| {what} | {:.0} ms | {:.0} ms | {:.0} ms | {} KB |", ms(50), ms(95), ms(100), bytes / 1024);
}

fn settings(folder: &Path) -> Settings {
    let dir = folder.to_str().unwrap();
    let arguments = ["recount", "serve", "--data-dir", dir, "--listen", "127.0.0.1:0"];
    let ports = ["--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
    let (cli, matches) = parse(arguments.into_iter().chain(ports)).unwrap();
    let Command::Serve(serve) = cli.command else { panic!("serve was asked for") };
    resolve(serve, matches.subcommand().unwrap().1, parse_file(None).unwrap()).unwrap()
}
