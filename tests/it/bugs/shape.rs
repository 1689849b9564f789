//! Kind D: the shape of traces, and time.
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::bugs::case::{BASE_NS, Case, SECOND_NS, Via, all, attempts, each, found, named, step, text};
use crate::bugs::shared::Own;

#[test]
fn b18_child_first_root_late_root_never_two_roots() {
    each("B18", |case| {
        case.sends([1]);
        let run = case.run("r1", attempts(1));
        assert!(found(&run, "parent-missing"), "{run}");
        let path = format!("/runs/{}?show=everything", case.own("r1"));
        assert!(case.page(&path).contains("Parent not received yet"));
        case.sends([3]);
        let run = case.run("r1", attempts(2));
        assert!(!found(&run, "parent-missing") && !case.page(&path).contains("not received yet"));
        let root = named(&run, "invoke_agent support")[0];
        assert_eq!(step(&run, "st-2")["parent_step_id"], root["step_id"]);

        case.sends([4]);
        let run = case.run("r2", attempts(1));
        assert_eq!((named(&run, "orphan tool").len(), found(&run, "parent-missing")), (1, true));
        assert!(case.page(&format!("/runs/{}", case.own("r2"))).contains(&case.span("S9")));
        let line = format!("/api/v1/runs?q={}", case.own("r2"));
        case.eventually(&line, |list| list.to_string().contains("\"attempt_count\":1"));

        case.sends([5]);
        let run = case.run("r3", attempts(3));
        let mut turned = case.request(5);
        // The same under another trace and run, the last span first and each in a request of its own.
        let text = turned.to_string().replace(&case.trace("T3"), &case.trace("T3b"));
        turned = serde_json::from_str(&text.replace(&case.own("r3"), &case.own("r3b"))).unwrap();
        let spans = turned["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        spans.iter().rev().for_each(|span| case.send_spans(std::slice::from_ref(span)));
        let other = case.run("r3b", attempts(3));
        // The outermost agent or span names a run; of two that start together the one with the lower id.
        assert_eq!(run["name"], other["name"]);
        for run in [&run, &other] {
            let roots =
                ["main agent", "remote sub agent"].map(|name| named(run, name)[0]["parent_step_id"].clone());
            assert_eq!(roots, [Value::Null, Value::Null]);
        }

        case.sends([6]);
        assert_eq!(named(&case.traced("T4", 1), "parent equals trace id").len(), 1);
    });
}

#[test]
fn b19_still_running_never_ended_or_the_root_ends_first() {
    each("B19", |case| {
        case.sends([1]);
        let run = case.run("r1", attempts(1));
        // It was sent forty minutes before the base of all times: its answer is long overdue.
        let charge = step(&run, "st-4");
        let attempt = &charge["attempts"][0];
        assert_eq!((&charge["outcome"], &attempt["ended_at"]), (&json!("unknown"), &Value::Null));
        assert_eq!((&attempt["latency_ms"], found(&run, "never-ended")), (&Value::Null, true));
        let page = case.page(&format!("/runs/{}", case.own("r1")));
        assert!(page.contains("No answer") || page.contains("no end recorded"), "{page}");
        assert!(!page.contains("56 y") && !page.contains("-40"), "{page}");
        case.sends([2]);
        case.run("r2", |run| run["state"] == "ended");
        case.sends([3]);
        let run = case.run("r2", attempts(2));
        assert_eq!(named(&run, "late tool").len(), 1);
        assert_eq!(run["duration_ms"], 9_000);
        case.sends([4]);
        let run = case.traced("T3", 1);
        assert_eq!((named(&run, "tool").len(), &run["step_count"]), (1, &json!(1)));
        assert_eq!(run["steps"][0]["attempts"][0]["latency_ms"], 4_000);
        assert!(!found(&run, "conflicting-versions"));
    });
    // Right after the start it is started and not overdue.
    let case = Case::over("B19", Via::Proto);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    let mut open =
        case.made("now", "S1", "charge card", &[case.in_run("now"), text("recount.step.id", "st-4")]);
    open["startTimeUnixNano"] = json!(now.to_string());
    open.as_object_mut().unwrap().remove("endTimeUnixNano");
    case.send_spans(&[open]);
    let run = case.run("now", attempts(1));
    assert_eq!((&run["state"], &step(&run, "st-4")["outcome"]), (&json!("running"), &json!("submitted")));
}

#[test]
fn b22_ten_thousand_steps_in_one_run() {
    // Its folds would keep the other tests waiting.
    let own = Own::start(&[]);
    let case = Case::on("B22", Via::Grpc, own.at);
    let made = |number: u64| {
        let parent = match number {
            0 => None,
            1..100 => Some(0),
            _ => Some(number % 99 + 1),
        };
        let mut span = if (9_731..9_734).contains(&number) {
            let value = json!({ "intValue": (number - 9_730).to_string() });
            let attempt = json!({ "key": "recount.step.attempt", "value": value });
            let error = text("error.type", "timeout");
            let refund = [text("recount.step.id", "st-9731"), attempt, error, case.in_run("r1")];
            case.made("T1", &number.to_string(), "refund", &refund)
        } else {
            let name = ["agent", "execute_tool look_up"][usize::from(number > 99)];
            // Every one of them 4 KiB, and none like another.
            let filled = format!("{number} {}", "the kettle of this order ".repeat(164));
            let arguments = json!({ "order": number, "note": filled }).to_string();
            let call = [
                text("gen_ai.tool.call.arguments", &arguments),
                text("gen_ai.tool.call.result", &filled),
                case.in_run("r1"),
            ];
            case.made("T1", &number.to_string(), name, &call)
        };
        span["startTimeUnixNano"] = json!((BASE_NS + number * 1_000_000).to_string());
        span["endTimeUnixNano"] = json!((BASE_NS + number * 1_000_000 + SECOND_NS / 2_000).to_string());
        span["parentSpanId"] = json!(parent.map(|parent| case.span(&parent.to_string())).unwrap_or_default());
        span
    };
    for request in 0..20 {
        let spans: Vec<Value> = (0..500).map(|number| made(request * 500 + number)).collect();
        case.send_spans(&spans);
    }
    let id = case.own("r1");
    // The line knows the counts without the content; the list is behind by a moment only.
    let list =
        case.eventually(&format!("/api/v1/runs?q={id}"), |list| list["runs"][0]["attempt_count"] == 10_000);
    assert_eq!((&list["runs"][0]["step_count"], &list["runs"][0]["retry_count"]), (&json!(9_998), &json!(2)));
    let page = case.page(&format!("/runs/{id}"));
    assert!(page.len() < 2 << 20, "{}", page.len());
    assert!(page.contains("Showing 1–500 of 9,"), "how many of how many is not said");
    let refund = case.json(&format!("/api/v1/runs/{id}/steps/st-9731"));
    assert_eq!(all(&refund["attempts"], "attempt"), [json!(1), json!(2), json!(3)]);
    for query in ["show=unsettled".to_owned(), "from=9701".to_owned(), format!("span={}", case.span("9733"))]
    {
        let page = case.page(&format!("/runs/{id}?{query}"));
        assert!(page.contains("refund") && page.len() < 2 << 20, "{query}");
    }
    assert_eq!(case.get(&format!("/runs/{id}?from=99999")).status, StatusCode::OK);
}
