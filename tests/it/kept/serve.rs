//! The whole server under load, killed again and again: every span that a sender was told is kept is in the
//! store, once, and its run's line is right.
//!
//! `make kill` does a thousand rounds, or `RECOUNT_KILL_ROUNDS` of them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use recount::store::{EngineSettings, Place, Store, StoreSettings};

use crate::support::child::{Child, say};
use crate::support::connection::Connection;
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
const ACKNOWLEDGED: &str = "RECOUNT_CHILD_ACKNOWLEDGED";
const SENDERS: usize = 4;
const SPANS_A_RUN: u64 = 20;

/// Compares the store in a directory with a file of acknowledged spans, and says what it found.
#[tokio::test]
#[ignore = "a child of the test below"]
async fn compares() {
    let (Some(directory), Some(file)) = (std::env::var_os(DIRECTORY), std::env::var_os(ACKNOWLEDGED)) else {
        return;
    };
    let settings = StoreSettings::new(Place::Embedded(EngineSettings::new(library(), directory)));
    let store = Store::open(&settings).await.unwrap();
    let read = |sql: &'static str| store.read_all_projects(sql).limit(Duration::from_secs(120));
    let stored: Vec<String> = read("SELECT lower(hex(span_id)) FROM steps").all().await.unwrap();
    let once: BTreeSet<&str> = stored.iter().map(String::as_str).collect();
    let acknowledged = fs::read_to_string(file).unwrap();
    let lost = acknowledged.lines().filter(|span| !once.contains(span)).count();
    let traces: u64 = read("SELECT uniqExact(trace_id) FROM steps").one().await.unwrap();
    let leaves: u64 = read("SELECT count() FROM leaves").one().await.unwrap();
    let (runs, whole): (u64, u64) =
        read("SELECT count(), countIf(step_count = 20) FROM runs FINAL").one().await.unwrap();
    store.close().await;
    say(&format!("lost {lost}"));
    say(&format!("twice {}", stored.len() - once.len()));
    say(&format!("unproven {}", stored.len() - usize::try_from(leaves).unwrap()));
    say(&format!("runs {traces} {runs} {whole}"));
}

/// A server that runs, and where.
struct Server {
    process: std::process::Child,
    ui: String,
    otlp: String,
}

impl Server {
    fn start(directory: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_recount"))
            .arg("serve")
            .arg("--data-dir")
            .arg(directory)
            .args(["--listen", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0"])
            .env("RECOUNT_ENGINE", library())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let address = |name: &str| {
            let found =
                ready.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix("=http://"));
            found.unwrap_or_else(|| panic!("no {name} in {ready:?}")).trim_end_matches('/').to_owned()
        };
        Self { ui: address("ui"), otlp: address("otlp_http"), process }
    }

    /// Whether everything kept is stored and projected.
    fn is_drained(&self) -> bool {
        let mut connection = Connection::open(&self.ui).unwrap();
        let (status, metrics) = connection.send("GET /metrics", "").unwrap();
        assert_eq!(status, 200);
        ["recount_records_waiting 0\n", "recount_projection_waiting 0\n"]
            .iter()
            .all(|line| metrics.contains(line))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap_or_default();
        drop(self.process.wait());
    }
}

/// One run: a request, and its spans' ids.
fn run() -> (String, Vec<String>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (mut spans, mut ids) = (String::new(), Vec::new());
    for at in 0..SPANS_A_RUN {
        let id = format!("{:016x}", number * SPANS_A_RUN + at);
        let start = 1_795_970_000_000_000_000 + (number * SPANS_A_RUN + at) * 1_000_000;
        write!(
            spans,
            r#"{}{{"traceId":"{number:032x}","spanId":"{id}","name":"execute_tool look_up","kind":1,
            "startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[
            {{"key":"gen_ai.operation.name","value":{{"stringValue":"execute_tool"}}}},
            {{"key":"gen_ai.tool.name","value":{{"stringValue":"look_up_{at}"}}}},
            {{"key":"gen_ai.tool.call.result","value":{{"stringValue":"result {id} {}"}}}}]}}"#,
            if at == 0 { "" } else { "," },
            start + 500_000,
            "of some length ".repeat(40)
        )
        .unwrap();
        ids.push(id);
    }
    (format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#), ids)
}

/// Sends runs until the server is gone; gives back the spans that were acknowledged.
fn sends(otlp: &str, acknowledged: &AtomicUsize) -> Vec<String> {
    let mut kept = Vec::new();
    let Ok(mut connection) = Connection::open(otlp) else { return kept };
    loop {
        let (body, ids) = run();
        match connection.send("POST /v1/traces", &body) {
            Ok((200, _)) => {
                kept.extend(ids);
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            Ok((status, answer)) => panic!("{status}: {answer}"),
            Err(_) => return kept,
        }
    }
}

#[test]
fn a_server_killed_under_load_loses_nothing_it_acknowledged() {
    let rounds = std::env::var_os("RECOUNT_KILL_ROUNDS").map_or(25, |rounds| {
        rounds.to_str().and_then(|rounds| rounds.parse().ok()).expect("RECOUNT_KILL_ROUNDS is a number")
    });
    let dir = tempfile::tempdir().unwrap();
    let mut kept: Vec<String> = Vec::new();
    for round in 0..rounds {
        let began = Instant::now();
        let mut server = Server::start(dir.path());
        assert!(began.elapsed() < Duration::from_secs(30), "the start took {:?}", began.elapsed());
        let acknowledged = AtomicUsize::new(0);
        thread::scope(|scope| {
            let senders: Vec<_> =
                (0..SENDERS).map(|_| scope.spawn(|| sends(&server.otlp, &acknowledged))).collect();
            while acknowledged.load(Ordering::Relaxed) < 10 + round * 7 % 40 {
                assert!(senders.iter().any(|sender| !sender.is_finished()), "nobody can send");
                thread::sleep(Duration::from_millis(1));
            }
            server.process.kill().unwrap();
            kept.extend(senders.into_iter().flat_map(|sender| sender.join().unwrap()));
        });
    }
    let server = Server::start(dir.path());
    let patience = Instant::now() + Duration::from_secs(120);
    while !server.is_drained() {
        assert!(Instant::now() < patience, "not drained in time");
        thread::sleep(Duration::from_millis(50));
    }
    stops_in_time(server);

    let file = dir.path().join("acknowledged");
    fs::write(&file, kept.join("\n")).unwrap();
    let variables = [(DIRECTORY, dir.path().join("store")), (ACKNOWLEDGED, file)];
    let mut child = Child::start("kept::serve::compares", &variables);
    let said: Vec<String> = std::iter::from_fn(|| child.says()).collect();
    assert_eq!(said[..3], ["lost 0", "twice 0", "unproven 0"], "{} acknowledged", kept.len());
    let runs: Vec<u64> = said[3].split_whitespace().skip(1).map(|number| number.parse().unwrap()).collect();
    assert!(runs.iter().all(|number| *number == runs[0]), "traces, runs, whole runs: {runs:?}");
}

fn stops_in_time(mut server: Server) {
    let began = Instant::now();
    assert!(Command::new("kill").arg(server.process.id().to_string()).status().unwrap().success());
    assert!(server.process.wait().unwrap().success());
    assert!(began.elapsed() < Duration::from_secs(10), "the stop took {:?}", began.elapsed());
}
