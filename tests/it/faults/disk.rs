//! Full disks, under the log, under the store, under both; and one that can't be written at all.
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::faults::counts::Counts;
use crate::faults::house::{House, PATIENCE};
use crate::faults::mounts::{Ballast, read_only, small, way};
use crate::faults::proxy::Mood;
use crate::faults::traffic::{JSON, SPANS, run};
use crate::support::binary::{Serving, http};
use crate::support::engine::library;

/// Where no process may mount, the log's own bound stands in for the disk's.
const QUOTA: &[&str] = &["--log-bytes-max", "20000"];

#[test]
fn a_full_log_refuses_and_goes_on_by_itself() {
    let way = way();
    let quota = if way.is_some() { &[][..] } else { QUOTA };
    let mut house = House::start_with(quota, |dir| {
        way.as_ref().map_or_else(Vec::new, |way| small(way, &[(dir.join("log"), "24m")]))
    });
    house.send(3);
    house.all_stored();
    house.store_is(Mood::Down);
    house.send(5);
    let ballast =
        way.is_some().then(|| Ballast::fill(house.serving().id(), &house.folder.path().join("log")));
    // The last page of a file may have room for one or two more; with the bound alone there is room for some.
    let (begun, otlp) = (Instant::now(), house.serving().otlp_http.clone());
    let mut refused = 0;
    while refused < 5 || !house.serving().get("/readyz").1.contains("the log is full") {
        let run = run();
        match http(&otlp, JSON, run.body.as_bytes()).unwrap().0 {
            200 => house.runs.push(run.number),
            503 => refused += 1,
            status => panic!("{status}"),
        }
        assert!(begun.elapsed() < PATIENCE, "never full: {:?}", house.serving().get("/status").1);
    }
    house.is_refused();
    house.says("the log is full");

    house.store_is(Mood::Well);
    // A full disk does not keep the log from being drained.
    house.all_stored();
    assert_eq!(house.serving().get("/runs").0, 200);
    drop(ballast);
    let again = takes_again(house.serving());
    house.runs.push(again);
    house.all_stored();
    house.is_well();
}

/// Sends until one is taken, as a sender that tries again does.
fn takes_again(serving: &Serving) -> u64 {
    let (begun, run) = (Instant::now(), run());
    while http(&serving.otlp_http, JSON, run.body.as_bytes()).unwrap().0 != 200 {
        assert!(begun.elapsed() < PATIENCE, "nothing is taken any more");
        thread::sleep(Duration::from_millis(100));
    }
    run.number
}

fn until(serving: &Serving, what: &str, is_so: impl Fn(&Counts) -> bool) {
    let begun = Instant::now();
    loop {
        let counts = Counts::of(serving);
        counts.hold_quietly();
        if is_so(&counts) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}: {counts:?}");
        thread::sleep(Duration::from_millis(25));
    }
}

#[test]
fn a_full_store_makes_the_log_longer_and_both_full_refuse() {
    let Some(way) = way() else {
        // What can be done without a disk of our own is done above.
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (log, store) = (folder.path().join("log"), folder.path().join("store"));
    let under = small(&way, &[(log.clone(), "24m"), (store.clone(), "700m")]);
    let serving = Serving::start_under(&under, folder.path(), &[]);
    let mut runs: Vec<u64> = (0..3).map(|_| takes_again(&serving)).collect();
    until(&serving, "settled", Counts::is_settled);

    let full_store = Ballast::fill(serving.id(), &store);
    for _ in 0..10 {
        let run = run();
        assert_eq!(http(&serving.otlp_http, JSON, run.body.as_bytes()).unwrap().0, 200);
        runs.push(run.number);
    }
    until(&serving, "told", |_| serving.get("/readyz").1.contains("the store does not take rows"));
    assert_eq!(serving.get("/status").0, 200);
    assert!(Counts::of(&serving).waiting() > 0);
    let full_log = Ballast::fill(serving.id(), &log);
    let begun = Instant::now();
    while http(&serving.otlp_http, JSON, run().body.as_bytes()).unwrap().0 != 503 {
        assert!(begun.elapsed() < PATIENCE, "never full");
    }
    assert_eq!(serving.get("/status").0, 200);

    drop(full_store);
    until(&serving, "settled", Counts::is_settled);
    drop(full_log);
    runs.push(takes_again(&serving));
    until(&serving, "settled", |counts| counts.is_settled() && counts.set_aside() == 0);
    for number in runs {
        let run = serving.eventually_found(&format!("/api/v1/runs/run-{number}"));
        assert_eq!(run["attempt_count"], SPANS, "{run}");
    }
    let begun = Instant::now();
    while serving.get("/readyz").0 != 200 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", serving.get("/readyz"));
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(serving.stop(), Some(0));
}

#[test]
fn a_directory_that_cannot_be_written_is_told_in_one_sentence() {
    let Some(way) = way() else {
        // A user who may not mount is stopped by the directory's mode just as well.
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let under = read_only(&way, folder.path());
    let output = Command::new(&under[0])
        .args(&under[1..])
        .args([env!("CARGO_BIN_EXE_recount"), "serve", "--data-dir", folder.path().to_str().unwrap()])
        .env("RECOUNT_ENGINE", library())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let sentence: Vec<&str> = said.lines().filter(|line| line.starts_with("recount: ")).collect();
    assert!(sentence.len() == 1 && said.contains(folder.path().to_str().unwrap()), "{said}");
}
