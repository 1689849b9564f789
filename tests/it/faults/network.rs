//! The store is down, hangs, is slow, breaks off, or does what it was told and never says so.
use std::fs;

use crate::faults::house::House;
use crate::faults::proxy::Mood;

#[test]
fn whatever_the_way_to_the_store_does_nothing_is_lost_or_doubled() {
    let mut house = House::start();
    house.send(3);
    house.all_stored();
    house.is_well();

    house.store_is(Mood::Slow);
    house.send(10);
    house.all_stored();

    house.store_is(Mood::CutsInserts);
    house.send(10);
    house.until("inserts broken off", |house, _| house.proxy.bitten() >= 3);
    house.says("the store does not take rows (unknown)");
    house.store_is(Mood::LosesAnswers);
    let before = house.proxy.bitten();
    house.send(10);
    house.all_stored();
    house.send(10);
    house.all_stored();
    assert!(house.proxy.bitten() > before, "no answer was lost");

    house.store_is(Mood::Down);
    house.send(10);
    house.says("the store does not take rows (unreachable)");
    let (_, page) = house.serving().get("/status");
    assert!(page.contains("unreachable since "), "{page}");
    let since = |page: &str| page.split("unreachable since ").nth(1).unwrap()[..5].to_owned();
    let (status, runs) = house.serving().get("/runs");
    assert!(status == 503 && runs.contains(&since(&page)), "{status}: {runs}");
    house.store_is(Mood::Hanging);
    house.send(10);
    let (_, later) = house.serving().get("/status");
    assert_eq!(since(&later), since(&page), "the same outage");
    house.store_is(Mood::Well);
    house.all_stored();
    house.is_well();
    let after = house.counts();
    assert_eq!((after.refused(), after.set_aside()), (0, 0));
    assert_eq!(after.stored(), house.clickhouse.ask::<u64>("SELECT count() FROM steps"));
}

#[test]
fn a_long_outage_with_restarts_is_drained_oldest_first() {
    let mut house = House::start();
    house.send(1);
    house.all_stored();
    // What came in one insert stays in one part, so that the parts tell the order of the inserts.
    house.clickhouse.execute("SYSTEM STOP MERGES steps");
    house.store_is(Mood::Down);
    for _ in 0..4 {
        house.send(25);
        // It starts without its store, takes what comes, and its pages are up.
        house.kill_and_serve();
        house.says("the store does not take rows (unreachable)");
    }
    house.until("found again", |_, counts| counts.recovered() == 100 * 4 && counts.stored() == 0);
    house.send(25);
    house.store_is(Mood::Well);
    house.all_stored();
    let parts: Vec<(u64, u64)> = house.clickhouse.ask_all(
        "SELECT min(received_ns), max(received_ns) FROM steps GROUP BY _part \
         ORDER BY toUInt64(splitByChar('_', _part)[2])",
    );
    assert!(parts.len() >= 5, "{parts:?}");
    assert!(parts.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{parts:?}");
    assert_eq!(house.stop(), Some(0));
}

#[test]
fn damage_in_the_middle_of_the_log_is_set_aside_and_reported() {
    let mut house = House::start();
    house.send(1);
    house.all_stored();
    house.store_is(Mood::Down);
    for _ in 0..3 {
        house.send(10);
        house.kill_and_serve();
    }
    house.kill();
    let mut segments: Vec<_> = fs::read_dir(house.folder.path().join("log"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "seg"))
        .filter(|path| fs::metadata(path).unwrap().len() > 4_096)
        .collect();
    segments.sort();
    assert!(segments.len() >= 3, "{segments:?}");
    let damaged = &segments[segments.len() - 2];
    let mut bytes = fs::read(damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(damaged, bytes).unwrap();
    house.serve();
    house.store_is(Mood::Well);
    house.until("settled", |_, counts| counts.is_settled());
    // One request's frame is hit; its neighbours are whole.
    let stored: (u64, u64) = house.clickhouse.ask("SELECT count(), uniqExact(span_id) FROM steps");
    let all = house.runs.len() as u64 * 4;
    assert_eq!(stored, (all - 4, all - 4), "of {all}");
    assert_eq!(house.counts().sum("recount_log_damaged_segments", ""), 1);
    let (_, page) = house.serving().get("/status");
    assert!(page.contains("damaged segment"), "{page}");
    assert!(damaged.with_extension("damaged").exists());
    // The others are whole: the newest and the oldest that were kept are shown.
    for number in [house.runs[1], *house.runs.last().unwrap()] {
        house.serving().eventually_found(&format!("/api/v1/runs/run-{number}"));
    }
}
