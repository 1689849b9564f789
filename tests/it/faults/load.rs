//! More than it can take, and the same for long.
//!
//! `make overload` offers ten times what is taken, for a minute; `make soak` goes on for half an hour and prints
//! memory, handles and parts. Here both are short.
#![expect(clippy::print_stdout, reason = "the long forms are run for their figures")]
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::faults::house::{House, PATIENCE};
use crate::faults::memory::{handles, kilobytes};
use crate::faults::proxy::Mood;
use crate::faults::traffic::{JSON, long_run, run};
use crate::support::binary::http;
use crate::support::connection::Connection;

/// Senders whose answers say how much is taken at most.
const SENDERS: u32 = 4;
/// What the server may take in memory under load, over what it took before.
const MEMORY_KB: u64 = 256 << 10;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var_os(variable).map_or(default, |number| {
        let parsed = number.to_str().and_then(|number| number.parse().ok());
        parsed.unwrap_or_else(|| panic!("{variable} is a number, not {number:?}"))
    })
}

/// What became of a flood.
#[derive(Debug, Default)]
struct Flood {
    taken: Mutex<Vec<u64>>,
    refused: AtomicU64,
    looks: Mutex<Vec<Duration>>,
}

/// Sends for a while, each sender one request after the other, or one every so often; somebody reads meanwhile.
fn flood(house: &House, senders: u32, every: Option<Duration>, lasts: Duration) -> Flood {
    let (flood, over) = (Flood::default(), AtomicBool::new(false));
    let serving = house.serving();
    thread::scope(|scope| {
        for _ in 0..senders {
            scope.spawn(|| sends(&serving.otlp_http, every, &flood, &over));
        }
        let begun = Instant::now();
        while begun.elapsed() < lasts {
            let look = Instant::now();
            assert_eq!(serving.get("/healthz").0, 200);
            // A list of runs is read, and that somebody read it is recorded, though the log is full.
            let (status, list) = serving.get("/api/v1/runs?limit=20");
            assert_eq!(status, 200, "{list}");
            flood.looks.lock().unwrap().push(look.elapsed());
            house.counts().hold();
            thread::sleep(Duration::from_millis(50));
        }
        over.store(true, Ordering::Relaxed);
    });
    flood
}

fn sends(otlp: &str, every: Option<Duration>, flood: &Flood, over: &AtomicBool) {
    let mut connection = Connection::open(otlp).unwrap();
    let mut next = Instant::now();
    while !over.load(Ordering::Relaxed) {
        let run = long_run(100);
        match connection.send("POST /v1/traces", &run.body).unwrap() {
            (200, _) => flood.taken.lock().unwrap().push(run.number),
            (503, _) => {
                flood.refused.fetch_add(1, Ordering::Relaxed);
            }
            (status, answer) => panic!("{status}: {answer}"),
        }
        if let Some(every) = every {
            next += every;
            thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    }
}

#[test]
fn more_than_it_can_take_is_refused_and_nothing_kept_is_lost() {
    let times = u32::try_from(number("RECOUNT_OVERLOAD", 2)).unwrap();
    let lasts = Duration::from_secs(number("RECOUNT_OVERLOAD_SECONDS", 4));
    let mut house = House::start_with(&["--log-bytes-max", "1000000"], |_| Vec::new());
    house.send(3);
    house.all_stored();
    house.store_is(Mood::Slow);
    let warm = flood(&house, SENDERS, None, Duration::from_secs(2));
    house.runs.extend(warm.taken.into_inner().unwrap());
    // What is taken while the log is full is what the store takes.
    let closed = flood(&house, SENDERS, None, lasts);
    let closed = closed.taken.into_inner().unwrap();
    assert!(!closed.is_empty(), "nothing is taken");
    let capacity = closed.len() as f64 / lasts.as_secs_f64();
    house.runs.extend(closed);
    let process = house.serving().id();
    let before = kilobytes(process, "VmHWM");

    let every = Duration::from_secs_f64(f64::from(SENDERS) / capacity);
    let flood = flood(&house, SENDERS * times, Some(every), lasts);
    let (taken, refused) = (flood.taken.into_inner().unwrap(), flood.refused.load(Ordering::Relaxed));
    let grown = kilobytes(process, "VmHWM") - before;
    let mut looks = flood.looks.into_inner().unwrap();
    looks.sort();
    println!(
        "capacity {capacity:.0} requests/s; offered {times} times as much: {:.0}/s taken, {:.0}/s refused with \
         503; memory +{} MB; reads p50 {:?}, slowest {:?}",
        taken.len() as f64 / lasts.as_secs_f64(),
        refused as f64 / lasts.as_secs_f64(),
        grown >> 10,
        looks[looks.len() / 2],
        looks.last().unwrap(),
    );
    assert!(refused > 0, "{} taken, none refused", taken.len());
    assert!(grown < MEMORY_KB, "{grown} kB");
    house.runs.extend(taken);

    house.store_is(Mood::Well);
    let (begun, again) = (Instant::now(), run());
    while http(&house.serving().otlp_http, JSON, again.body.as_bytes()).unwrap().0 != 200 {
        assert!(begun.elapsed() < PATIENCE, "it does not recover");
        thread::sleep(Duration::from_millis(50));
    }
    println!("taken again after {:?}", begun.elapsed());
    house.runs.push(again.number);
    house.all_stored();
    house.is_well();
}

/// One look at what is held.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory_kb: u64,
    handles: u64,
    parts: u64,
}

impl Sample {
    fn of(house: &House) -> Self {
        let process = house.serving().id();
        let parts = format!(
            "SELECT count() FROM system.parts WHERE active AND database = '{}'",
            house.clickhouse.database()
        );
        Self {
            memory_kb: kilobytes(process, "VmRSS"),
            handles: handles(process),
            parts: house.clickhouse.ask(&parts),
        }
    }

    /// The most of each.
    fn most(samples: &[Self]) -> Self {
        let most = |field: fn(&Self) -> u64| samples.iter().map(field).max().unwrap_or_default();
        Self {
            memory_kb: most(|sample| sample.memory_kb),
            handles: most(|sample| sample.handles),
            parts: most(|sample| sample.parts),
        }
    }
}

#[test]
fn what_it_holds_stays_flat_under_steady_load() {
    let lasts = Duration::from_secs(number("RECOUNT_SOAK_SECONDS", 20));
    let mut house = House::start();
    let (flood, over) = (Flood::default(), AtomicBool::new(false));
    let mut samples = Vec::new();
    thread::scope(|scope| {
        let serving = house.serving();
        for _ in 0..SENDERS {
            scope.spawn(|| sends(&serving.otlp_http, Some(Duration::from_millis(80)), &flood, &over));
        }
        let begun = Instant::now();
        println!("{:>8} {:>10} {:>8} {:>6} {:>10}", "seconds", "memory MB", "handles", "parts", "runs kept");
        while begun.elapsed() < lasts {
            thread::sleep(lasts / 40);
            assert_eq!(serving.get("/runs").0, 200);
            house.counts().hold();
            let sample = Sample::of(&house);
            println!(
                "{:>8} {:>10} {:>8} {:>6} {:>10}",
                begun.elapsed().as_secs(),
                sample.memory_kb >> 10,
                sample.handles,
                sample.parts,
                flood.taken.lock().unwrap().len()
            );
            samples.push(sample);
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(flood.refused.load(Ordering::Relaxed), 0, "a load that it can take");
    house.runs.extend(flood.taken.into_inner().unwrap());
    house.all_stored();
    let quarter = samples.len() / 4;
    let early = Sample::most(&samples[quarter..2 * quarter]);
    let late = Sample::most(&samples[samples.len() - quarter..]);
    println!("second quarter at most {early:?}, last quarter at most {late:?}");
    assert!(late.memory_kb < early.memory_kb * 115 / 100 + (32 << 10), "memory grows: {early:?}, {late:?}");
    assert!(late.handles < early.handles + 32, "handles are not given back: {early:?}, {late:?}");
    assert!(late.parts < 2 * early.parts + 100, "parts pile up: {early:?}, {late:?}");
    println!("flat");
}
