//! Rules that are read again while the server runs.
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::redaction::spans::{sent, span};
use crate::support::binary::Serving;

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn rule(pattern: &str, version: u32) -> String {
    format!(
        "[[redaction.rules]]\nid = \"own\"\nversion = {version}\ntype = \"pattern\"\npattern = \"{pattern}\"\n"
    )
}

fn note_of(serving: &Serving, trace: u64) -> String {
    let body = serving.eventually_found(&format!("/api/v1/spans/{trace:032x}/0000000000000001")).to_string();
    assert!(body.contains("note"), "{body}");
    body
}

#[test]
fn a_broken_file_keeps_the_rules_and_says_so_and_a_good_one_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let (config, log) = (folder.path().join("recount.toml"), folder.path().join("stderr"));
    fs::write(&config, rule("OWN-[0-9]+", 1)).unwrap();
    let to = fs::File::create(&log).unwrap();
    let named = ["--config", config.to_str().unwrap()];
    let serving = Serving::start_saying(&folder.path().join("data"), &named, ("info", to.into()));
    let send = |trace| {
        let spans = [span(trace, 1, None, &[("note", "OWN-12345678 and NEW-12345678")])];
        assert_eq!(sent(&serving.otlp_http, &spans), 200);
        note_of(&serving, trace)
    };
    let first = send(1);
    assert!(first.contains("NEW-12345678") && !first.contains("OWN-12345678"), "{first}");

    fs::write(&config, rule("NEW-[0-9", 2)).unwrap();
    serving.hang_up();
    eventually("the page says that a change was refused", || {
        serving.get("/redaction").1.contains("A change of rules was refused")
    });
    let status = serving.get("/status").1;
    assert!(status.contains("A change of redaction rules was refused") && status.contains("own"), "{status}");
    assert!(fs::read_to_string(&log).unwrap().contains("those before stay in force"));
    let events = serving.eventually("/api/v1/lifecycle?kind=rules_refused", |events| {
        events["lifecycle"].as_array().is_some_and(|events| !events.is_empty())
    });
    assert!(events["lifecycle"][0]["detail"]["why"].as_str().unwrap().contains("own"), "{events}");
    let second = send(2);
    assert!(second.contains("NEW-12345678") && !second.contains("OWN-12345678"), "{second}");

    fs::write(&config, rule("NEW-[0-9]+", 2)).unwrap();
    serving.hang_up();
    eventually("the refusal is over", || !serving.get("/redaction").1.contains("was refused"));
    assert!(!serving.get("/status").1.contains("rules was refused"));
    let third = send(3);
    assert!(third.contains("OWN-12345678") && !third.contains("NEW-12345678"), "{third}");
    let changes = serving.eventually("/api/v1/lifecycle?kind=rules_changed", |events| {
        events["lifecycle"].as_array().is_some_and(|events| events.len() == 2)
    });
    let rules = |at: usize| -> &Value { &changes["lifecycle"][at]["detail"]["rules"] };
    assert!(rules(0).as_str().unwrap().contains("own v2"), "{changes}");
    assert!(rules(1).as_str().unwrap().contains("own v1"), "{changes}");
    assert_eq!(serving.stop(), Some(0));
}
