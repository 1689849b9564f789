//! What a gate or a reconciler hears of a key.
use serde_json::json;

use crate::ledger::sending::{Span, send, serving_with, words};
use crate::support::binary::{Serving, raw};

#[test]
fn a_key_tells_every_attempt_over_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let first = Span::act(1, 1, "r1", "st-1").key("k1").times_out().with("recount.worker.id", "w-07");
    let ends = "2099-01-01T00:00:00Z";
    let first = first.with("recount.action.key_expires_at", ends).with("recount.gate.decision", "new");
    let held = Span::act(2, 1, "r2", "st-1").key("k1").with("recount.gate.decision", "unknown").at(40, 40);
    send(&serving, &[first, held]);
    let key = serving.eventually("/api/v1/keys/k1", |key| key["held_count"] == 1);
    assert_eq!((&key["state"], &key["attempt_count"]), (&json!("unknown"), &json!(1)));
    assert_eq!(words(&key["attempts"], "gate"), ["new", "unknown"]);
    assert_eq!(words(&key["attempts"], "run_id"), ["r1", "r2"]);
    assert_eq!(words(&key["path"], "by"), ["w-07", "w-07"]);
    assert_eq!((&key["replay_safe"], &key["case"]["state"]), (&json!(true), &json!("open")));
    assert!(key["key_expires_at"].as_str().unwrap().starts_with("2099-01-01"));
    // What undoes it is linked to it.
    let undo = Span::act(3, 1, "r3", "st-9").key("undo-k1").with("recount.action.compensates", "k1");
    send(&serving, &[undo]);
    let key = serving.eventually("/api/v1/keys/k1", |key| key["compensated_by"] == json!(["undo-k1"]));
    assert_eq!(key["state"], "unknown");
    assert_eq!(serving.json("/api/v1/keys/undo-k1")["compensates"], "k1");
    let (_, page) = serving.get("/keys/k1");
    assert!(page.contains("Undone by") && page.contains("href=\"/keys/undo-k1\""), "{page}");
    let (_, page) = serving.get("/keys/undo-k1");
    assert!(page.contains("Undoes") && page.contains("href=\"/keys/k1\""), "{page}");
}

#[test]
fn an_act_without_a_key_is_found_by_the_name_that_lists_give_it() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").times_out()]);
    let listed = serving.eventually("/api/v1/actions", |answer| answer["actions"][0]["state"] == "unknown");
    let name = listed["actions"][0]["key"].as_str().unwrap().to_owned();
    assert!(name.starts_with("r1:st-1:"), "{listed}");
    let path = name.replace(':', "%3A");
    let own = serving.json(&format!("/api/v1/keys/{path}"));
    assert_eq!((&own["key"], &own["key_given"]), (&json!(name), &json!(false)));
    assert_eq!((&own["state"], &own["case"]["state"]), (&json!("unknown"), &json!("open")));
    assert_eq!(own["replay_safe"], false);
    let page = raw(&serving.ui, &format!("GET /keys/{path} HTTP/1.1\r\n"), b"").unwrap();
    let to = page.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_default();
    assert!(to.starts_with("/runs/r1?span="), "{page}");
    let (status, _) = serving.get("/keys/r1%3Ast-1%3Aanother%3Aorder%3A1");
    assert_eq!(status, 404);
}

#[test]
fn arguments_that_drift_under_one_key_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let act = |trace: u8, key: &str, arguments: &str| {
        let act = Span::act(trace, 1, &format!("r{trace}"), "st-1").key(key).at(90 - u64::from(trace), 60);
        act.with("gen_ai.tool.call.arguments", arguments)
    };
    send(
        &serving,
        &[
            act(1, "k1", r#"{"order":"7001","amount":40}"#).times_out(),
            act(2, "k1", r#"{"order":"7001","amount":45,"note":"again"}"#),
            // The same values in another spelling are the same arguments.
            act(3, "k2", r#"{"order":"7001","amount":40}"#).times_out(),
            act(4, "k2", r#"{ "amount": 40, "order": "7001" }"#),
        ],
    );
    let both = |key: &serde_json::Value| key["attempt_count"] == 2;
    assert_eq!(serving.eventually("/api/v1/keys/k1", both)["argument_drift"], true);
    assert_eq!(serving.eventually("/api/v1/keys/k2", both)["argument_drift"], false);
    let (status, page) = serving.get("/keys/k1");
    assert_eq!(status, 200);
    let drift = page.split("drift-h").nth(2).unwrap();
    assert!(drift.contains("<del>40</del>") && drift.contains("<ins>45</ins>"), "{drift}");
    assert!(drift.contains("not there") && drift.contains("again"), "{drift}");
    assert!(drift.contains("One key stands for one intent"), "{drift}");
    let (_, page) = serving.get("/keys/k2");
    assert!(!page.contains("One key stands for one intent"), "{page}");
}

#[test]
fn a_key_that_became_a_pseudonym_is_found_by_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serving_with(folder.path(), "[redaction]\npacks = [\"email\"]\n");
    let typed = "refund/bob@example.com";
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key(typed).times_out()]);
    let found = serving.eventually_found("/api/v1/keys/refund%2Fbob%40example.com");
    let kept = found["key"].as_str().unwrap();
    assert!(kept.starts_with("email(22):v1."), "{found}");
    assert_eq!((&found["state"], &found["case"]["state"]), (&json!("unknown"), &json!("open")));
    let listed = serving.json("/api/v1/actions?key=refund%2FBOB%40example.com");
    assert_eq!(words(&listed["actions"], "key"), [kept]);
    for path in ["/keys?key=refund%2Fbob%40example.com", "/keys/refund%2Fbob%40example.com"] {
        let answer = raw(&serving.ui, &format!("GET {path} HTTP/1.1\r\n"), b"").unwrap();
        let to = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_default();
        assert!(to.starts_with("/keys/email") && !to.contains("bob"), "{path}: {answer}");
        assert_eq!(serving.get(to).0, 200, "{to}");
    }
    assert_eq!(serving.get("/keys/refund%2Frob%40example.com").0, 404);
}

#[test]
fn odd_keys_work_or_are_refused_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let keys = ["a/b", "100%", "ü ?#&=+", "..", "'; DROP TABLE actions --", "\\\u{1f9fe}\""];
    let spans: Vec<Span> = (1..)
        .zip(keys)
        .map(|(n, key)| Span::act(n, 1, &format!("r{n}"), "st-1").key(key).times_out())
        .collect();
    send(&serving, &spans);
    for key in keys {
        let encoded: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let found = serving.eventually_found(&format!("/api/v1/keys/{encoded}"));
        assert_eq!((&found["key"], &found["state"]), (&json!(key), &json!("unknown")));
    }
    assert_eq!(serving.get("/api/v1/keys/nothing").0, 404);
    assert_eq!(serving.get("/api/v1/keys/%ff%fe").0, 400);
    let (status, _) = serving.get(&format!("/api/v1/keys/{}", "k".repeat(100_000)));
    assert!((400..500).contains(&status), "{status}");
    let (status, _) = serving.get(&format!("/api/v1/keys/{}", "k".repeat(30_000)));
    assert_eq!(status, 404);
    for path in ["/api/v1/keys/a?colour=red", "/api/v1/cases?colour=red", "/api/v1/actions?colour=red"] {
        assert_eq!(serving.get(path).0, 400, "{path}");
    }
    for (path, field) in [
        ("/api/v1/cases?state=gone", "state"),
        ("/api/v1/cases?sort=colour", "sort"),
        ("/api/v1/cases?cursor=x", "cursor"),
        ("/api/v1/cases?older_than=soon", "older_than"),
        ("/api/v1/actions?outcome=done", "outcome"),
    ] {
        let (status, said) = serving.get(path);
        let problem: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((status, &problem["field"]), (400, &json!(field)), "{path}");
    }
}

#[test]
fn the_list_of_actions_is_filtered_and_paged() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let spans: Vec<Span> = (1..=5_u8)
        .map(|n| {
            let act = Span::act(n, 1, &format!("r{n}"), "st-1").key(&format!("k{n}"));
            let act = act.with("recount.account.id", if n == 1 { "2291" } else { "7" });
            if n % 2 == 0 { act.times_out() } else { act }
        })
        .collect();
    send(&serving, &spans);
    serving.eventually("/api/v1/actions", |answer| answer["actions"].as_array().unwrap().len() == 5);
    let keys = |query: &str| {
        let answer = serving.json(&format!("/api/v1/actions?{query}"));
        let mut keys: Vec<String> =
            words(&answer["actions"], "key").iter().map(ToString::to_string).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys("outcome=unknown"), ["k2", "k4"]);
    assert_eq!(keys("account=2291"), ["k1"]);
    assert_eq!(keys("older_than=1h"), Vec::<String>::new());
    assert_eq!(keys("older_than=1s&tool=issue_refund").len(), 5);
    let mut seen = Vec::new();
    let mut path = "/api/v1/actions?limit=2".to_owned();
    loop {
        let page = serving.json(&path);
        seen.extend(words(&page["actions"], "key").iter().map(ToString::to_string));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/actions?limit=2&cursor={next}");
    }
    seen.sort();
    assert_eq!(seen, ["k1", "k2", "k3", "k4", "k5"]);
}
