//! How cases are closed: by one of two, by two of two, by people only; and opened again.
use std::sync::Barrier;

use serde_json::{Value, json};

use crate::ledger::sending::{Span, id, open_case, post, send, serving_with, words};
use crate::support::binary::{Serving, http, run};

fn resolution(outcome: &str, by: &str) -> Value {
    json!({"outcome": outcome, "evidence": format!("{by} looked at the ledger"), "by": by})
}

#[test]
fn b34_of_two_who_close_at_once_one_hears_what_the_other_said() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    for round in 1..=5_u8 {
        let run = format!("r{round}");
        send(&serving, &[Span::act(round, 1, &run, "st-1").key(&format!("k{round}")).times_out()]);
        let case = open_case(&serving, &run);
        let path = format!("/cases/{}/resolution", id(&case));
        let barrier = Barrier::new(2);
        let close = |outcome: &str, by: &str| {
            barrier.wait();
            post(&serving, &path, &resolution(outcome, by))
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| close("confirmed", "maya"));
            let other = scope.spawn(|| close("failed", "tomas"));
            (one.join().unwrap(), other.join().unwrap())
        });
        let (won, lost) = if one.0 == 201 { (one, other) } else { (other, one) };
        assert_eq!((won.0, lost.0), (201, 409), "{won:?} {lost:?}");
        let first = &won.1["resolutions"][0];
        assert_eq!(
            (&lost.1["resolution"]["by"], &lost.1["resolution"]["outcome"]),
            (&first["by"], &first["outcome"])
        );
        let kept = serving.json(&format!("/api/v1/cases/{}", id(&case)));
        assert_eq!(words(&kept["resolutions"], "by"), [first["by"].as_str().unwrap()]);
        assert_eq!(kept["outcome"], first["outcome"]);
    }
}

#[test]
fn b34_closing_needs_evidence_keeps_the_record_and_can_be_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-3").key("k1").times_out()]);
    let case = open_case(&serving, "r1");
    let at = |what: &str| format!("/cases/{}/{what}", id(&case));
    for (body, field) in [
        (json!({"outcome": "confirmed"}), "evidence"),
        (json!({"outcome": "confirmed", "evidence": "  "}), "evidence"),
        (json!({"evidence": "x"}), "outcome"),
        (json!({"outcome": "submitted", "evidence": "x"}), "outcome"),
        (json!({"outcome": "done", "evidence": "x"}), "outcome"),
    ] {
        let (status, problem) = post(&serving, &at("resolution"), &body);
        assert_eq!((status, &problem["field"]), (400, &json!(field)), "{body} {problem}");
    }
    assert_eq!(post(&serving, &at("claim"), &json!({"by": "maya"})).0, 201);
    let (_, owned) = post(&serving, &at("comment"), &json!({"note": "asked payments", "by": "maya"}));
    assert_eq!(owned["owner"], "maya");
    let (status, noted) = post(&serving, &at("resolution"), &resolution("unknown", "maya"));
    assert_eq!((status, &noted["state"], &noted["owner"]), (201, &json!("open"), &Value::Null));
    let (status, closed) =
        post(&serving, &at("resolution"), &json!({"outcome": "confirmed", "evidence": "re_9"}));
    assert_eq!(
        (status, &closed["state"], &closed["outcome"]),
        (201, &json!("resolved"), &json!("confirmed"))
    );
    assert_eq!(closed["resolutions"][1]["by"], "development");
    assert_eq!(post(&serving, &at("claim"), &json!({})).0, 409);

    // The original stays, beside what was said of it: in the run, the key, and the queue.
    let run_now = serving.json("/api/v1/runs/r1");
    let attempt = &run_now["steps"][0]["attempts"][0];
    assert_eq!((&attempt["outcome"], &attempt["evidence"]), (&json!("unknown"), &json!("timeout")));
    assert_eq!(
        (&attempt["outcome_now"], &attempt["evidence_now"]),
        (&json!("confirmed"), &json!("resolution"))
    );
    let key = serving.json("/api/v1/keys/k1");
    assert_eq!(
        (&key["state"], words(&key["path"], "state")),
        (&json!("confirmed"), vec!["submitted", "unknown", "confirmed"])
    );
    assert!(serving.json("/api/v1/cases")["cases"].as_array().unwrap().is_empty());

    // Closing can be corrected, and both entries stay.
    assert_eq!(post(&serving, &at("reopen"), &json!({})).1["field"], "note");
    assert_eq!(post(&serving, &at("reopen"), &json!({"note": "that was another order"})).0, 201);
    let stale = json!({"outcome": "failed", "evidence": "x", "saw": closed["last_event"]});
    assert_eq!(post(&serving, &at("resolution"), &stale).0, 409, "it has changed since");
    assert_eq!(post(&serving, &at("resolution"), &resolution("failed", "tomas")).0, 201);
    let whole = serving.json(&format!("/api/v1/cases/{}", id(&case)));
    assert_eq!(words(&whole["resolutions"], "standing"), ["noted", "undone", "closed"]);
    let acts = ["claim", "comment", "resolution", "resolution", "reopen", "resolution"];
    assert_eq!(words(&whole["events"], "act"), acts);
    assert_eq!(words(&whole["path"], "state"), ["submitted", "unknown", "confirmed", "unknown", "failed"]);

    // A restart keeps it, and it can be made again from nothing.
    assert_eq!(serving.stop(), Some(0));
    assert!(run(&["rebuild", "--data-dir", folder.path().to_str().unwrap()]).status.success());
    let serving = Serving::start(folder.path(), &[]);
    assert_eq!(serving.json(&format!("/api/v1/cases/{}", id(&case))), whole);
    assert_eq!(words(&serving.json("/api/v1/cases?state=resolved")["cases"], "case_id"), [id(&case)]);
}

#[test]
fn later_evidence_that_says_otherwise_opens_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").times_out()]);
    let case = open_case(&serving, "r1");
    let path = format!("/cases/{}/resolution", id(&case));
    assert_eq!(post(&serving, &path, &resolution("failed", "maya")).0, 201);
    // Looked up after that, in the same run, without a key.
    let look = Span::look(1, 2, "r1", "confirmed").with("recount.step.verifies", "st-1");
    send(&serving, &[look.at(0, 0)]);
    let at = format!("/api/v1/cases/{}", id(&case));
    let open = serving.eventually(&at, |case| case["state"] == "open");
    assert_eq!((&open["outcome"], &open["evidence"]), (&json!("unknown"), &json!("reconcile")));
    assert_eq!(words(&open["resolutions"], "standing"), ["contradicted"]);
    assert_eq!(post(&serving, &path, &resolution("confirmed", "tomas")).0, 201);
    let closed = serving.json(&at);
    assert_eq!(words(&closed["resolutions"], "standing"), ["contradicted", "closed"]);
    assert_eq!(closed["outcome"], "confirmed");
}

#[test]
fn large_amounts_are_for_people_and_larger_ones_for_two() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "[tools.issue_refund]\nkind = \"act\"\nvalue = \"$.amount EUR\"\nescalate_over = 100\n\
                 second_person_over = 1000\nkey_ttl = \"24h\"\n";
    let serving = serving_with(folder.path(), rules);
    let of = |number: u8, amount: &str| {
        let run = format!("r{number}");
        let arguments = format!("{{\"amount\":\"{amount}\"}}");
        let act = Span::act(number, 1, &run, "st-1").key(&format!("k{number}")).times_out();
        send(&serving, &[act.with("gen_ai.tool.call.arguments", &arguments)]);
        open_case(&serving, &run)
    };
    let job = json!({"outcome": "confirmed", "evidence": "re_1", "by": "nightly", "by_job": true});
    let (small, large, huge) = (of(1, "40.00"), of(2, "400.00"), of(3, "4000.00"));
    let at = |case: &Value, what: &str| format!("/cases/{}/{what}", id(case));
    assert_eq!((&small["value"], &small["replay_safe"]), (&json!("40.00 EUR"), &json!(true)));
    assert_eq!((&small["people_only"], &large["people_only"]), (&json!(false), &json!(true)));
    assert_eq!(post(&serving, &at(&small, "resolution"), &job).0, 201);
    assert_eq!(post(&serving, &at(&large, "resolution"), &job).0, 403);
    assert_eq!(post(&serving, &at(&large, "resolution"), &resolution("failed", "maya")).0, 201);

    let (status, waits) = post(&serving, &at(&huge, "resolution"), &resolution("confirmed", "maya"));
    assert_eq!((status, &waits["state"], &waits["outcome"]), (201, &json!("open"), &json!("unknown")));
    assert_eq!(waits["pending"]["by"], "maya");
    assert_eq!(serving.json("/api/v1/keys/k3")["state"], "unknown", "nothing is decided yet");
    assert_eq!(post(&serving, &at(&huge, "resolution"), &resolution("failed", "tomas")).0, 409);
    assert_eq!(post(&serving, &at(&huge, "agree"), &json!({"by": "maya"})).0, 403, "not the same person");
    let (status, agreed) = post(&serving, &at(&huge, "agree"), &json!({"by": "tomas"}));
    assert_eq!(
        (status, &agreed["state"], &agreed["outcome"]),
        (201, &json!("resolved"), &json!("confirmed"))
    );
    assert_eq!(agreed["resolutions"][0]["agreed_by"], "tomas");
    serving.eventually("/api/v1/keys/k3", |key| key["state"] == "confirmed");
}

#[test]
fn many_are_closed_with_one_resolution_and_each_may_refuse_it() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let spans: Vec<Span> = (1..=3_u8)
        .map(|n| Span::act(n, 1, &format!("r{n}"), "st-1").key(&format!("k{n}")).times_out())
        .collect();
    send(&serving, &spans);
    let queue = serving.eventually("/api/v1/cases", |answer| answer["cases"].as_array().unwrap().len() == 3);
    let ids: Vec<&str> = words(&queue["cases"], "case_id");
    assert_eq!(
        post(&serving, &format!("/cases/{}/resolution", ids[0]), &resolution("failed", "maya")).0,
        201
    );
    let body = json!({"case_ids": ids, "outcome": "confirmed", "evidence": "ledger export of the 26th"});
    let (status, all) = post(&serving, "/cases/resolution", &body);
    assert_eq!((status, &all["resolved"], &all["refused"]), (200, &json!(2), &json!(1)), "{all}");
    assert_eq!(all["cases"][0]["status"], 409);
    assert_eq!(post(&serving, "/cases/resolution", &json!({"case_ids": []})).1["field"], "case_ids");
    // Pages of the list do not skip or repeat.
    let first = serving.json("/api/v1/cases?state=all&limit=2&sort=age");
    let next = first["next"].as_str().unwrap();
    let second = serving.json(&format!("/api/v1/cases?state=all&limit=2&sort=age&cursor={next}"));
    let mut seen = [words(&first["cases"], "case_id"), words(&second["cases"], "case_id")].concat();
    seen.sort_unstable();
    let mut expected = ids.clone();
    expected.sort_unstable();
    assert_eq!((seen, &second["next"]), (expected, &Value::Null));
}

#[test]
fn nothing_is_changed_by_pages_of_other_sites_or_by_forms() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1").times_out()]);
    let case = open_case(&serving, "r1");
    let path = format!("/api/v1/cases/{}/claim", id(&case));
    for (headers, expected) in [
        ("Content-Type: application/json\r\nOrigin: http://evil.test\r\n", 403),
        ("Content-Type: application/json\r\nSec-Fetch-Site: cross-site\r\n", 403),
        ("Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://evil.test\r\n", 403),
        ("Content-Type: text/plain\r\n", 415),
        ("Content-Type: application/x-www-form-urlencoded\r\n", 415),
        ("Content-Type: application/json\r\n", 201),
    ] {
        let (status, said) = http(&serving.ui, &format!("POST {path} HTTP/1.1\r\n{headers}"), b"{}").unwrap();
        assert_eq!(status, expected, "{headers} {said}");
    }
    let at = |what: &str| format!("/cases/{}/{what}", id(&case));
    assert_eq!(post(&serving, &at("comment"), &json!({"note": "x", "colour": "red"})).0, 400);
    assert_eq!(post(&serving, &at("comment"), &json!({"note": "x".repeat(17_000)})).1["field"], "note");
    assert_eq!(post(&serving, &at("comment"), &json!({"note": "x".repeat(400_000)})).0, 413);
    assert_eq!(post(&serving, "/cases/0123/claim", &json!({})).0, 404);
    let events = serving.json(&format!("/api/v1/cases/{}", id(&case)))["events"].as_array().unwrap().len();
    assert_eq!(events, 1);
}
