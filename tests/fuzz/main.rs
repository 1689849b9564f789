//! Fuzzing of everything that reads what strangers send: decoders and salvage, conventions, redaction, the fold.
//!
//! Inputs are captures of real runtimes with parts flipped, cut, spliced, swapped, nested and blown up. Each case
//! has a number and is made from it alone, so a fault is found again by its number. The cases run in a child
//! process with the stack of a server's thread and bounded memory, and a case must make progress: a panic, an
//! overflow, an endless loop and a flood of memory all fail the test, which then names the case.
//!
//! `cargo test --test fuzz` tries the first cases of each target. `make fuzz` goes on for `RECOUNT_FUZZ_SECONDS`,
//! from case `RECOUNT_FUZZ_FROM` on; `RECOUNT_FUZZ_TARGET` names one target, and with `RECOUNT_FUZZ_CASES=1` one case
//! is tried again.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, and says how far it came"
)]
mod bytes;
mod chance;
mod corpus;
mod facts;
mod reading;
mod values;

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use crate::chance::Chance;
use crate::corpus::Corpus;
use crate::reading::Reader;

/// Cases of each target in a short run.
const CASES: u64 = 300;
/// The stack of a thread that reads requests.
const STACK_BYTES: usize = 2 << 20;
/// Address space of the child, in KiB: the binary, its threads and what the largest case may take.
const MEMORY_KIB: u64 = 4 << 20;
/// A case without an end for so long has none. The slowest takes a second or two when nothing else runs.
const PATIENCE: Duration = Duration::from_secs(120);
/// The child says here which case it is at.
const PLACE: &str = "RECOUNT_FUZZ_PLACE";

/// What is tried. Each makes its input from a case's chance and reads it to the end.
type Target = fn(&Corpus, &Reader, &mut Chance);

const TARGETS: &[(&str, Target)] = &[
    ("protobuf", |corpus, reader, chance| {
        let (kind, body) = corpus.protobuf(chance);
        reader.read(kind, false, &bytes::mutated(body, corpus.protobuf(chance).1, chance));
    }),
    ("json", |corpus, reader, chance| {
        let (kind, body) = corpus.json(chance);
        reader.read(kind, true, &bytes::mutated_json(body, corpus.json(chance).1, chance));
    }),
    ("values", |corpus, reader, chance| {
        let mut spans = corpus.spans(chance).to_vec();
        values::mutate_spans(&mut spans, corpus, chance);
        reader.spans(&spans);
        let mut logs = corpus.logs(chance).to_vec();
        values::mutate_logs(&mut logs, corpus, chance);
        reader.logs(&logs);
    }),
    ("facts", |corpus, reader, chance| {
        let mut records = reader.records(corpus.spans(chance), corpus.logs(chance));
        facts::mutate(&mut records, chance);
        reader.fold(records);
    }),
];

#[test]
fn nothing_that_strangers_send_stops_the_reader() {
    match env::var_os(PLACE) {
        Some(place) => child(&PathBuf::from(place)),
        None => parent(),
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var_os(name)?.into_string().expect("a number");
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")))
}

/// Runs the cases, saying before each which it is.
fn child(place: &Path) {
    let only = env::var_os("RECOUNT_FUZZ_TARGET");
    let seconds = number("RECOUNT_FUZZ_SECONDS");
    let from = number("RECOUNT_FUZZ_FROM").unwrap_or(0);
    let cases = number("RECOUNT_FUZZ_CASES").or(seconds.is_none().then_some(CASES)).unwrap_or(u64::MAX);
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let place = place.to_owned();
    let run = move || {
        let (corpus, reader) = (Corpus::load(), Reader::new());
        let targets = TARGETS.iter().filter(|(name, _)| only.as_ref().is_none_or(|only| *only == **name));
        let targets: Vec<_> = targets.collect();
        assert!(!targets.is_empty(), "RECOUNT_FUZZ_TARGET names one of protobuf, json, values, facts");
        let (mut done, mut slowest) = (0, (Duration::ZERO, String::new()));
        for case in from..from.saturating_add(cases) {
            if until.is_some_and(|until| Instant::now() > until) {
                break;
            }
            for (name, target) in &targets {
                let at = format!("RECOUNT_FUZZ_TARGET={name} RECOUNT_FUZZ_FROM={case}");
                fs::write(&place, &at).unwrap();
                let began = Instant::now();
                target(&corpus, &reader, &mut Chance::new(case));
                slowest = slowest.max((began.elapsed(), at));
            }
            done = case + 1;
        }
        let (took, at) = slowest;
        println!(
            "fuzz: {} targets, cases {from} to {done}; slowest {} ms: {at}",
            targets.len(),
            took.as_millis()
        );
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap().join().expect("the case above");
}

fn parent() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("case");
    let this = env::current_exe().unwrap();
    let limited = format!("ulimit -v {MEMORY_KIB}; exec \"$0\" --exact \"$1\" --nocapture");
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .arg(this)
        .arg("nothing_that_strangers_send_stops_the_reader")
        .env(PLACE, &place)
        .spawn()
        .unwrap();
    let fault = wait(&mut child, &place);
    let at = fs::read_to_string(&place).unwrap_or_else(|_| "the corpus".to_owned());
    assert!(
        fault.is_none(),
        "{}: try `{at} RECOUNT_FUZZ_CASES=1 cargo test --test fuzz`",
        fault.unwrap_or_default()
    );
}

/// What went wrong with the child, if anything did.
fn wait(child: &mut Child, place: &Path) -> Option<String> {
    let (mut at, mut since) = (String::new(), Instant::now());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (!status.success()).then(|| format!("the reader stopped with {status}"));
        }
        let now = fs::read_to_string(place).unwrap_or_default();
        if now != at {
            (at, since) = (now, Instant::now());
        }
        if since.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("no end after {} s", PATIENCE.as_secs()));
        }
        thread::sleep(Duration::from_millis(50));
    }
}
