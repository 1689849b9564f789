//! Kind C: delivery and storage.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;
use recount::ingest::Signal;
use serde_json::{Value, json};

use crate::bugs::case::{BASE_NS, Case, SECOND_NS, Via, attempts, block_on, step, text};
use crate::bugs::clickhouse::Clickhouse;
use crate::bugs::shared::Own;
use crate::wire::client::calls;

const DAY_NS: u64 = 86_400 * SECOND_NS;

/// What must be so, however often and in whatever order the two spans come.
fn once(run: &Value) {
    assert_eq!((&run["step_count"], &run["tokens_in"]), (&json!(2), &json!(100)), "{run}");
    let refund = step(run, "st-3");
    assert_eq!(refund["attempts"].as_array().unwrap().len(), 1);
    let attempt = &refund["attempts"][0];
    assert_eq!((&attempt["gate"], &attempt["versions"]), (&json!("none"), &json!(0)));
}

fn line<'a>(list: &'a Value, id: &str) -> Option<&'a Value> {
    list["runs"].as_array()?.iter().find(|run| run["run_id"] == id)
}

#[test]
fn b14_the_same_batch_arrives_again() {
    // One trace for all transports: the same record over each of them is the same record.
    let proto = Case::over("B14", Via::Proto);
    let body = proto.request(1);
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    let with = |spans: &[Value]| {
        let mut body = body.clone();
        body["resourceSpans"][0]["scopeSpans"][0]["spans"] = json!(spans);
        body
    };
    (0..3).for_each(|_| proto.all_taken(&proto.send_json(&body)));
    let turned = with(&spans.iter().rev().cloned().collect::<Vec<_>>());
    let grpc = Case::over("B14", Via::Grpc);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| grpc.all_taken(&grpc.send_json(&turned)));
        }
    });
    let json_way = Case::over("B14", Via::Json);
    spans.iter().for_each(|span| json_way.all_taken(&json_way.send_json(&with(std::slice::from_ref(span)))));
    // Once a later span is shown, the copies before it have been stored as well.
    proto.send_spans(&[proto.made("T9", "S9", "last", &[proto.in_run("last")])]);
    proto.run("last", attempts(1));
    once(&proto.run("r1", attempts(2)));
    let id = proto.own("r1");
    let list = proto.eventually("/api/v1/runs?limit=500", |list| line(list, &id).is_some());
    let line = line(&list, &id).unwrap();
    let counts = ["step_count", "attempt_count", "retry_count", "tokens_in"].map(|name| line[name].clone());
    assert_eq!(counts, [json!(2), json!(2), json!(0), json!(100)]);
    assert!(!proto.page(&format!("/runs/{id}")).contains("2 attempts"));
}

#[test]
fn b16_what_was_called_kept_survives_the_plug() {
    let mut own = Own::start(&[]);
    let sent = AtomicU64::new(0);
    let acknowledged = std::sync::Mutex::new(Vec::new());
    let case = Case::on("B16", Via::Proto, own.at);
    std::thread::scope(|scope| {
        for sender in 0..4 {
            let (case, sent, acknowledged) = (&case, &sent, &acknowledged);
            scope.spawn(move || {
                for number in 0..50 {
                    let id = format!("r{sender}-{number}");
                    case.send_spans(&[case.made(&id, "S1", "step", &[case.in_run(&id)])]);
                    acknowledged.lock().unwrap().push(id);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    // The last was answered this moment; most are not in the store yet.
    own.kill_and_start();
    let case = Case::on("B16", Via::Proto, own.at);
    let acknowledged = acknowledged.into_inner().unwrap();
    assert_eq!(acknowledged.len(), 200);
    for id in acknowledged {
        assert_eq!(case.run(&id, attempts(1))["attempt_count"], 1, "{id}");
    }
}

#[test]
fn b17_many_tiny_inserts_and_one_over_many_days() {
    let store = Clickhouse::start();
    let own = Own::start(&["--clickhouse-url", &store.url]);
    let case = Case::on("B17", Via::Proto, own.at);
    let at = |case: &Case, trace: &str, span: &str, started: u64| {
        let mut made = case.made(trace, span, "step", &[]);
        made["startTimeUnixNano"] = json!(started.to_string());
        made["endTimeUnixNano"] = json!((started + SECOND_NS).to_string());
        made
    };
    let old = (0..=130).map(|days| at(&case, "T1", &format!("day {days}"), BASE_NS - days * DAY_NS));
    case.send_spans(&old.collect::<Vec<_>>());
    case.traced("T1", 131);

    let json_way = Case::on("B17", Via::Json, own.at);
    json_way.send_spans(&[
        at(&json_way, "T2", "now", BASE_NS),
        at(&json_way, "T2", "year 2060", 2_840_000_000 * SECOND_NS),
        at(&json_way, "T2", "year 1971", 40_000_000 * SECOND_NS),
    ]);
    json_way.traced("T2", 3);

    let grpc = Case::on("B17", Via::Grpc, own.at);
    let message = |sender: u64, number: u64| {
        let (trace, span) = (format!("sender {sender}"), format!("{sender} {number}"));
        let spans = [grpc.made(&trace, &span, "step", &[grpc.in_run("many")])];
        let body = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] });
        serde_json::from_value::<ExportTraceServiceRequest>(body).unwrap().encode_to_vec()
    };
    std::thread::scope(|scope| {
        for sender in 0..20 {
            let messages: Vec<_> = (0..150).map(|number| message(sender, number)).collect();
            scope.spawn(move || {
                let statuses = block_on(calls(own.at.grpc, Signal::Traces.grpc_path(), messages));
                assert!(statuses.iter().all(|status| status == "0"), "{statuses:?}");
            });
        }
    });
    assert_eq!(grpc.run("many", attempts(3_000))["step_count"], 3_000);
    let parts = store.most_parts();
    assert!((1..300).contains(&parts), "{parts} active parts");
}

#[test]
fn b10_the_store_is_down_then_hangs_and_nothing_is_lost_or_doubled() {
    let mut store = Clickhouse::start();
    let own = Own::start(&["--clickhouse-url", &store.url]);
    let proto = Case::on("B10", Via::Proto, own.at);
    let grpc = Case::on("B10", Via::Grpc, own.at);
    let sent = || {
        let begun = std::time::Instant::now();
        // What is safe on our own disk may be called kept.
        proto.sends([1]);
        grpc.sends([2]);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    };
    store.stop();
    sent();
    let page = proto.get("/runs");
    assert!(page.status == StatusCode::OK || page.status == StatusCode::SERVICE_UNAVAILABLE);
    eventually_says(&proto, "/runs", "unreachable since");
    store.hang();
    sent();
    // Bad data is refused for good, whatever the store does.
    assert_eq!(proto.post("application/x-protobuf", vec![0xff; 8]).status, StatusCode::BAD_REQUEST);
    store.serve();
    sent();
    for (case, trace, id) in [(&proto, "T1", "st-1"), (&grpc, "T1", "st-2")] {
        let run = case.traced(trace, 1);
        let attempts = step(&run, id)["attempts"].as_array().unwrap().clone();
        assert_eq!((attempts.len(), &attempts[0]["versions"]), (1, &json!(0)));
    }
    assert!(!proto.page("/runs").contains("unreachable since"));
}

fn eventually_says(case: &Case, path: &str, words: &str) {
    let begun = std::time::Instant::now();
    loop {
        let reply = case.get(path);
        if reply.text().contains(words) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{path} never says {words}: {}", reply.text());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_copy_over_another_transport_of_a_log_without_time_is_one_record() {
    let case = Case::over("B14", Via::Json);
    let log = json!({ "traceId": case.trace("L1"), "spanId": case.span("S1"), "eventName": "tool_decision",
        "attributes": [case.in_run("logs"), text("gen_ai.tool.call.id", "c1"),
            text("gen_ai.tool.name", "refund")] });
    case.send_logs(&[log.clone(), log.clone()]);
    case.send_logs(&[log]);
    case.send_spans(&[case.made("L9", "S9", "last", &[case.in_run("last-log")])]);
    case.run("last-log", attempts(1));
    let run = case.run("logs", attempts(1));
    assert_eq!(run["completeness"]["record_count"], 1, "{run}");
}
