//! The clock of the machine is set, forward and back, while spans come in.
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::faults::house::House;
use crate::faults::proxy::Mood;

/// Puts the wall clock off by the seconds that stand in a file; the clock that only goes forward stays.
const SHIM: &str = r#"#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int done = (int)syscall(SYS_clock_gettime, id, now);
    if (done == 0 && id == CLOCK_REALTIME) {
        char text[32] = {0};
        int file = open(getenv("RECOUNT_TEST_CLOCK"), O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
            close(file);
        }
    }
    return done;
}
"#;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// What to start a program under.
fn under(dir: &Path) -> Vec<String> {
    let (source, library, clock) = (dir.join("clock.c"), dir.join("clock.so"), dir.join("clock"));
    fs::write(&source, SHIM).unwrap();
    fs::write(&clock, "0").unwrap();
    // The linker of the Rust toolchain; whoever builds these tests has it.
    let made = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).status();
    assert!(made.unwrap().success());
    let (library, clock) = (library.to_str().unwrap(), clock.to_str().unwrap());
    ["env", &format!("LD_PRELOAD={library}"), &format!("RECOUNT_TEST_CLOCK={clock}")]
        .map(str::to_owned)
        .to_vec()
}

fn now_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().cast_signed()
}

#[test]
fn a_clock_that_steps_forward_and_back_costs_nothing() {
    let mut house = House::start_with(&[], under);
    let clock = house.folder.path().join("clock");
    let set = |seconds: i64| {
        // One rename: nobody reads half of it.
        fs::write(clock.with_extension("next"), seconds.to_string()).unwrap();
        fs::rename(clock.with_extension("next"), &clock).unwrap();
    };
    house.send(2);
    house.all_stored();
    house.store_is(Mood::Down);
    let begun = now_s();
    for seconds in [DAY, -HOUR, 0] {
        set(seconds);
        house.send(2);
        house.says("the store does not take rows (unreachable)");
    }
    set(-HOUR);
    // It starts on a log that is an hour, and a day, from its future.
    house.kill_and_serve();
    house.send(2);
    house.says("the store does not take rows (unreachable)");
    house.store_is(Mood::Well);
    house.all_stored();
    house.is_well();
    set(0);
    house.send(2);
    house.all_stored();
    let received: Vec<(String, i64)> = house
        .clickhouse
        .ask_all("SELECT run_id, toInt64(intDiv(min(received_ns), 1000000000)) FROM steps GROUP BY run_id");
    let off = |at: usize| {
        let id = format!("run-{}", house.runs[at]);
        let (_, at) = received.iter().find(|(run, _)| *run == id).unwrap();
        let off = at - begun;
        // To the nearest hour.
        (off + HOUR / 2).div_euclid(HOUR) * HOUR
    };
    // The time of receipt is the clock's, and shown as such: none is made up.
    assert_eq!([2, 4, 6, 8, 10].map(off), [DAY, -HOUR, 0, -HOUR, 0]);
    for number in &house.runs {
        assert_eq!(house.serving().get(&format!("/runs/run-{number}")).0, 200);
    }
}
