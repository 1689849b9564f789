//! What is in the queue, and what is not.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use serde_json::{Value, json};

use crate::ledger::sending::{Span, id, open_case, post, send, words};
use crate::support::binary::Serving;

fn steps(answer: &Value) -> Vec<String> {
    let mut steps: Vec<String> = answer["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| format!("{}/{}", case["run_id"].as_str().unwrap(), case["step_id"].as_str().unwrap()))
        .collect();
    steps.sort();
    steps
}

#[test]
fn b34_no_answer_is_queued_and_a_refusal_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let on = |span: Span, key: &str, order: &str| span.key(key).with("recount.action.target", order);
    let read = Span::new(2, 4, "r2", "get_order").with("recount.step.id", "st-5");
    send(
        &serving,
        &[
            on(Span::act(1, 1, "r1", "st-3").times_out(), "k1", "order:7003"),
            on(Span::act(2, 1, "r2", "st-1").fails("ECONNRESET"), "k2", "order:7004"),
            on(Span::act(2, 2, "r2", "st-2").status(422).fails("422"), "k3", "order:7005"),
            on(Span::act(2, 3, "r2", "st-4").status(502).fails("502"), "k4", "order:7006"),
            read.with("recount.step.kind", "read").with("gen_ai.tool.name", "get_order").times_out(),
        ],
    );
    let queue = serving.eventually("/api/v1/cases", |answer| answer["cases"].as_array().unwrap().len() >= 3);
    assert_eq!(steps(&queue), ["r1/st-3", "r2/st-1", "r2/st-4"]);
    serving.eventually("/api/v1/keys/k3", |key| key["state"] == "failed");
    let case = open_case(&serving, "r1");
    assert_eq!(words(&case["path"], "state"), ["submitted", "unknown"]);
    assert_eq!((&case["policy"], &case["owner"]), (&json!("reconcile"), &Value::Null));

    // A refused look-up proves nothing either way, and is told.
    let look = Span::new(1, 6, "r1", "find_refunds").with("recount.step.kind", "reconcile");
    let look = look.with("gen_ai.tool.name", "find_refunds").key("k1").status(401).fails("401").at(40, 39);
    send(&serving, &[look]);
    let path = format!("/api/v1/cases/{}", id(&case));
    let looked = serving.eventually(&path, |case| case["looks"]["count"] == 1);
    assert_eq!((&looked["state"], &looked["looks"]["unanswered"]), (&json!("open"), &json!(1)));

    // Sent again under a new key while nobody knows: attempt 1 stays open.
    send(&serving, &[on(Span::act(1, 5, "r1", "st-3").at(30, 29), "k1b", "order:7003")]);
    serving.eventually("/api/v1/keys/k1b", |key| key["state"] == "confirmed");
    assert_eq!(serving.json(&path)["state"], "open");
    let run = serving.json("/api/v1/runs/r1");
    let codes = words(&run["findings"], "code");
    assert!(codes.contains(&"key-changed") && codes.contains(&"retried-while-unknown"), "{codes:?}");
}

#[test]
fn b36_success_that_did_nothing_is_queued() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").status(200), Span::act(2, 1, "r2", "st-1").status(202)]);
    serving.eventually("/api/v1/actions", |answer| answer["actions"].as_array().unwrap().len() == 2);
    let outcomes = |run: &str| serving.json(&format!("/api/v1/runs/{run}"))["steps"][0]["outcome"].clone();
    assert_eq!((outcomes("r1"), outcomes("r2")), (json!("confirmed"), json!("submitted")));
    assert_eq!(steps(&serving.json("/api/v1/cases")), Vec::<String>::new());
    let still = Span::new(1, 2, "r1", "read back").with("recount.step.verifies", "st-1").at(50, 49);
    send(&serving, &[still]);
    let case = open_case(&serving, "r1");
    assert_eq!(words(&case["path"], "state"), ["submitted", "confirmed", "unknown"]);
    assert_eq!((&case["evidence"], &case["key"]), (&json!("read_back"), &Value::Null));
    assert_eq!(steps(&serving.json("/api/v1/cases")), ["r1/st-1"]);
}

#[test]
fn a_deadline_passes_without_anybody_writing() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    // Sent 15 minutes less some seconds ago, and never answered.
    let intent = Span::act(1, 1, "r1", "st-1").key("k1").with("recount.action.outcome", "submitted");
    send(&serving, &[intent.at(15 * 60 - 3, 15 * 60 - 3)]);
    let key = serving.eventually_found("/api/v1/keys/k1");
    assert!(key["unknown_at"].is_string() || key["state"] == "unknown", "{key}");
    let key = serving.eventually("/api/v1/keys/k1", |key| key["state"] == "unknown");
    let last = &key["path"][1];
    assert_eq!((&last["by"], &last["evidence"]), (&json!("deadline"), &json!("timeout")));
    let case = open_case(&serving, "r1");
    assert_eq!((&case["state"], &case["outcome"]), (&json!("open"), &json!("unknown")));
    let (status, closed) = post(
        &serving,
        &format!("/cases/{}/resolution", id(&case)),
        &json!({"outcome": "failed", "evidence": "not on the ledger"}),
    );
    assert_eq!((status, &closed["outcome"]), (201, &json!("failed")));
    // The answer that comes after all says otherwise: nobody knows, and the case is open again.
    let answer = Span::act(1, 1, "r1", "st-1").key("k1").status(201);
    send(&serving, &[answer.at(15 * 60 - 3, 60)]);
    let path = format!("/api/v1/cases/{}", id(&case));
    let again = serving.eventually(&path, |case| case["state"] == "open");
    assert_eq!(words(&again["resolutions"], "standing"), ["contradicted"]);
}

#[test]
fn a_case_stays_where_it_is_when_its_key_arrives_late() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").times_out()]);
    let early = open_case(&serving, "r1");
    assert_eq!(early["key"], Value::Null);
    let at = |what: &str| format!("/cases/{}/{what}", id(&early));
    assert_eq!(post(&serving, &at("claim"), &json!({"by": "maya"})).0, 201);
    assert_eq!(post(&serving, &at("comment"), &json!({"note": "asked payments", "by": "maya"})).0, 201);

    // The call below it arrives, and has the key.
    let call = Span::new(1, 2, "r1", "POST /refunds").call_below(1).with("http.request.method", "POST");
    send(&serving, &[call.with("http.request.header.idempotency-key", "k1").at(89, 61)]);
    let key = serving.eventually_found("/api/v1/keys/k1");
    assert_eq!((&key["state"], &key["case"]["owner"]), (&json!("unknown"), &json!("maya")), "{key}");
    let late = open_case(&serving, "r1");
    assert_eq!((&late["key"], &late["owner"]), (&json!("k1"), &json!("maya")));

    // Its old address leads to it, with all that was said, and takes what is said now.
    let path = format!("/api/v1/cases/{}", id(&early));
    let same = serving.json(&path);
    assert_eq!(
        (&same["case_id"], words(&same["events"], "act")),
        (&late["case_id"], vec!["claim", "comment"])
    );
    let (status, page) = serving.get(&format!("/cases/{}", id(&early)));
    assert!(status == 200 && page.contains("asked payments"), "{status} {page}");
    let closing = json!({"outcome": "failed", "evidence": "not on the ledger", "by": "tomas"});
    let (status, closed) = post(&serving, &at("resolution"), &closing);
    assert_eq!((status, &closed["state"]), (201, &json!("resolved")), "{closed}");
    assert_eq!(post(&serving, &at("resolution"), &closing).0, 409, "closed once");
    for path in [path, format!("/api/v1/cases/{}", id(&late))] {
        let whole = serving.eventually(&path, |case| case["state"] == "resolved");
        assert_eq!(words(&whole["events"], "act"), ["claim", "comment", "resolution"], "{whole}");
    }
}

#[test]
fn the_list_of_runs_shows_what_was_unknown_and_what_was_said_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1").times_out(), Span::act(2, 1, "r2", "st-1")]);
    let case = open_case(&serving, "r1");
    let resolution = json!({"outcome": "confirmed", "evidence": "re_9"});
    assert_eq!(post(&serving, &format!("/cases/{}/resolution", id(&case)), &resolution).0, 201);
    let listed = serving
        .eventually("/api/v1/runs?q=has:resolution", |answer| !words(&answer["runs"], "run_id").is_empty());
    assert_eq!(words(&listed["runs"], "run_id"), ["r1"]);
    let run = listed["runs"].as_array().unwrap().first().unwrap();
    let counts = ["resolved_count", "confirmed_count", "unknown_count"].map(|name| run[name].clone());
    assert_eq!(counts, [json!(1), json!(1), json!(0)]);
    let (_, page) = serving.get("/runs");
    assert_eq!(page.matches("1 was unknown, resolved").count(), 1, "{page}");
    let (_, page) = serving.get("/runs?q=-has:resolution");
    assert!(page.contains("r2") && !page.contains("1 was unknown, resolved"), "{page}");
}

#[test]
fn a_look_up_in_another_run_settles_both_pages() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1").times_out()]);
    let case = open_case(&serving, "r1");
    send(&serving, &[Span::look(2, 1, "nightly", "confirmed").key("k1").with("recount.worker.id", "job-7")]);
    let path = format!("/api/v1/cases/{}", id(&case));
    let settled = serving.eventually(&path, |case| case["state"] == "resolved");
    let last = settled["path"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["by"], &last["run_id"]), (&json!("job-7"), &json!("nightly")));
    assert_eq!((&settled["outcome"], &settled["evidence"]), (&json!("confirmed"), &json!("reconcile")));
    let run = serving.eventually("/api/v1/runs/r1", |run| run["steps"][0]["outcome"] == "confirmed");
    let attempt = &run["steps"][0]["attempts"][0];
    assert_eq!((&attempt["outcome"], &attempt["outcome_now"]), (&json!("unknown"), &json!("confirmed")));
    // The list knows it too, although nothing of this run arrived anew.
    let listed =
        serving.eventually("/api/v1/runs?q=run:r1", |answer| answer["runs"][0]["outcome"] == "confirmed");
    assert_eq!(listed["runs"][0]["unknown_count"], 0);
}
