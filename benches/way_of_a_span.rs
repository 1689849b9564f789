//! What a span costs from its bytes to the bytes that are kept, stage by stage, on one thread.
//!
//! `cargo bench --bench way_of_a_span`. Prints CPU-ms per 1,000 spans (median of 5 rounds), flat and growing, and the
//! same stages on a profile of secret-heavy text for redaction.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints, and may stop at the first surprise"
)]
#[path = "workload/careless.rs"]
mod careless;
mod workload;

use careless::careless;
use prost::Message;
use recount::conventions::{Conventions, ToolRules};
use recount::domain::ids::Project;
use recount::evidence::{KeyFile, KeyFilePolicy, RecordIds};
use recount::otlp::decode_traces_protobuf;
use recount::redaction::{Redactor, Settings};
use recount::store::rows::{Encoder, Request, Retention};
use rustix::time::{ClockId, clock_gettime};
use workload::{Shape, Workload};

const ROUNDS: u64 = 5;
const SPANS: usize = 10_000;

#[derive(Default)]
struct Took {
    spans: usize,
    wire_bytes: usize,
    row_bytes: usize,
    decode: f64,
    identify: f64,
    map: f64,
    redact: f64,
    encode: f64,
}

impl Took {
    fn all(&self) -> f64 {
        self.decode + self.identify + self.map + self.redact + self.encode
    }
}

fn main() {
    println!(
        "CPU-ms per 1,000 spans, one thread, median of {ROUNDS} rounds of {SPANS} spans, 512 a request\n"
    );
    println!(
        "| workload | wire B/span | row B/span | decode | record id | map | redact | digest + encode | all | \
         redact |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, shape, secrets) in [
        ("flat", Shape::Flat, false),
        ("flat, a secret in every text", Shape::Flat, true),
        ("growing, 10 calls", Shape::Growing, false),
    ] {
        let rounds: Vec<Took> = (0..ROUNDS).map(|round| one_round((shape, secrets), round + 1)).collect();
        let median = |pick: fn(&Took) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(|took| pick(took) / took.spans as f64 * 1e6).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let first = &rounds[0];
        println!(
            "| {name} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | **{:.2}** | {:.0} % |",
            first.wire_bytes / first.spans,
            first.row_bytes / first.spans,
            median(|took| took.decode),
            median(|took| took.identify),
            median(|took| took.map),
            median(|took| took.redact),
            median(|took| took.encode),
            median(Took::all),
            100.0 * median(|took| took.redact) / median(Took::all),
        );
    }
}

fn one_round((shape, secrets): (Shape, bool), seed: u64) -> Took {
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyFile::open(&folder.path().join("keys"), KeyFilePolicy::MakeIfMissing).unwrap();
    let project = Project::default();
    let keys = keys.project(&project);
    let conventions = Conventions::new(ToolRules::default());
    let redactor = Redactor::new(&Settings::default()).unwrap();
    let encoder = Encoder::new(Retention::default(), 100_000);
    let bodies: Vec<Vec<u8>> = Workload::new(seed)
        .requests(shape, SPANS, 512)
        .into_iter()
        .map(|request| if secrets { careless(request) } else { request }.encode_to_vec())
        .collect();
    let mut took = Took::default();
    for body in &bodies {
        took.wire_bytes += body.len();
        let spans = timed(&mut took.decode, || decode_traces_protobuf(body).unwrap().items);
        took.spans += spans.len();
        let ids: Vec<_> = timed(&mut took.identify, || {
            let mut ids = RecordIds::new(&keys.record);
            spans.iter().map(|span| ids.of_span(span)).collect()
        });
        let steps: Vec<_> =
            timed(&mut took.map, || spans.iter().map(|span| conventions.step(span)).collect());
        let clean: Vec<_> = timed(&mut took.redact, || {
            steps.into_iter().map(|step| redactor.clean(step, &keys.pseudonym)).collect()
        });
        let steps: Vec<_> = ids.into_iter().zip(clean).collect();
        let encoded = timed(&mut took.encode, || {
            let request = Request {
                project: &project,
                keys: &keys,
                received_ns: 1_795_970_000_000_000_000,
                steps: &steps,
                refused: &[],
                source: "bench",
            };
            encoder.encode(&request).unwrap()
        });
        took.row_bytes += encoded.tables.iter().map(|rows| rows.bytes.len()).sum::<usize>();
    }
    took
}

fn timed<T>(total_s: &mut f64, work: impl FnOnce() -> T) -> T {
    let begun = cpu_s();
    let done = work();
    *total_s += cpu_s() - begun;
    done
}

/// What this thread has used of the CPU, in seconds: other work on the machine does not count.
fn cpu_s() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}
