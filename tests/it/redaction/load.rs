//! Acts are exact at any load: reads are sampled away, senders are refused and send again, and every act that was
//! acknowledged is there once.
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::redaction::spans::{sent, span};
use crate::support::binary::Serving;

/// What the log takes before it refuses.
const LOG_BYTES: &str = "262144";
const SENDERS: u64 = 8;
const REQUESTS: u64 = 6;
const ACTS: u64 = 20;

/// A run of acts and reads, heavy enough that a few requests fill the log.
fn request(trace: u64) -> Vec<Value> {
    let filler = "a long answer without anything in it. ".repeat(60);
    let root =
        span(trace, 1, None, &[("recount.step.kind", "agent"), ("recount.run.id", &format!("r{trace}"))]);
    let step = |at: u64| {
        let (kind, tool) = if at.is_multiple_of(2) { ("act", "pay") } else { ("read", "look") };
        span(
            trace,
            at,
            Some(1),
            &[
                ("recount.step.kind", kind),
                ("gen_ai.tool.name", tool),
                ("filler", &format!("{trace} {at} {filler}")),
            ],
        )
    };
    std::iter::once(root).chain((2..2 + 2 * ACTS).map(step)).collect()
}

#[test]
fn acts_are_exact_when_twice_as_much_comes_as_the_log_takes() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("recount.toml");
    std::fs::write(&config, "[sampling]\nreads = 0.0\n").unwrap();
    let more = ["--config", config.to_str().unwrap(), "--log-bytes-max", LOG_BYTES];
    let serving = Serving::start(&folder.path().join("data"), &more);
    let (refused, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (at, refused, bytes) = (&serving.otlp_http, &refused, &bytes);
            scope.spawn(move || {
                for number in 0..REQUESTS {
                    let spans = request(1 + sender * REQUESTS + number);
                    let size = serde_json::to_vec(&spans).unwrap().len() as u64;
                    // As a sender does: what was not acknowledged is sent again.
                    loop {
                        bytes.fetch_add(size, Ordering::Relaxed);
                        match sent(at, &spans) {
                            200 => break,
                            429 | 503 => {
                                refused.fetch_add(1, Ordering::Relaxed);
                                std::thread::sleep(std::time::Duration::from_millis(20));
                            }
                            other => assert!(other == 0, "{other}"),
                        }
                    }
                }
            });
        }
    });
    let offered = bytes.load(Ordering::Relaxed);
    let capacity: u64 = LOG_BYTES.parse().unwrap();
    assert!(offered >= 2 * capacity && refused.load(Ordering::Relaxed) > 0, "{offered} bytes were offered");
    for trace in 1..=SENDERS * REQUESTS {
        let path = format!("/api/v1/runs/r{trace}");
        let run = serving.eventually(&path, |run| {
            let steps = run["steps"].as_array().map_or(0, Vec::len) as u64;
            assert!(steps <= ACTS + 1, "more than was kept, {steps} steps");
            steps == ACTS + 1
        });
        let of =
            |kind: &str| run["steps"].as_array().unwrap().iter().filter(|step| step["kind"] == kind).count();
        assert_eq!((of("act") as u64, of("read")), (ACTS, 0), "run {trace}");
        assert!(run.to_string().contains("reads-sampled"), "what is left out is said");
    }
    assert_eq!(serving.stop(), Some(0));
}
