//! Kind G: attempts, effects, and what became of them. What people do with open questions comes with cases.
use serde_json::{Value, json};

use crate::bugs::case::{Case, all, attempts, each, found, named, step, text};

#[test]
fn b32_attempts_are_one_row_in_number_order() {
    each("B32", |case| {
        case.sends([1, 2, 3]);
        let run = case.run("r1", attempts(3));
        let refund = step(&run, "st-3");
        assert_eq!(run["step_count"], 1);
        assert_eq!(all(&refund["attempts"], "attempt"), [json!(1), json!(2), json!(3)]);
        assert_eq!(
            all(&refund["attempts"], "outcome"),
            [json!("unknown"), json!("failed"), json!("confirmed")]
        );
        assert_eq!(all(&refund["attempts"], "latency_ms"), [json!(2_000), json!(1_000), json!(1_000)]);
        // What the first two were called with stays readable after the third.
        let page = case.page(&format!("/runs/{}?span={}&tab=happened", case.own("r1"), case.span("S1")));
        assert!(page.contains("damaged") && page.contains("3 attempts"), "{page}");

        case.sends([4]);
        let run = case.run("r2", attempts(2));
        assert_eq!(all(&run["steps"][0]["attempts"], "attempt"), [json!(1), json!(2)]);

        case.sends([5]);
        let run = case.run("r3", attempts(1));
        assert_eq!(run["steps"][0]["attempts"][0]["tries"], 3);
        let page = case.page(&format!("/runs/{}", case.own("r3")));
        assert!(page.contains("One span covers 3 tries") && page.contains("3 tries in one span"), "{page}");
        assert!(page.contains("Try 1: 429") && page.contains("Try 2: timeout"), "{page}");

        case.sends([6]);
        let run = case.run("r4", attempts(2));
        let refund = step(&run, "st-1");
        assert_eq!(all(&refund["attempts"], "given"), [json!(false), json!(false)]);
        let page = case.page(&format!("/runs/{}", case.own("r4")));
        assert!(page.contains("inferred"), "{page}");
    });
}

#[test]
fn b33_it_ran_again_after_it_had_succeeded() {
    each("B33", |case| {
        case.sends([1, 2, 3, 4]);
        let run = case.run("r1", attempts(3));
        let charge = step(&run, "st-2");
        assert_eq!(all(&charge["attempts"], "outcome"), [json!("confirmed"), json!("confirmed")]);
        assert!(found(&run, "double-effect"));
        let page = case.page(&format!("/runs/{}", case.own("r1")));
        assert!(page.contains("made twice"), "{page}");
        let list = format!("/api/v1/runs?q={}", case.own("r1"));
        case.eventually(&list, |list| list["runs"][0]["finding_codes"].to_string().contains("double-effect"));
        assert!(!found(&case.run("r3", attempts(1)), "double-effect"));
        // Whoever asks about the order finds the other run beside it.
        let asked = case.eventually("/api/v1/runs?q=order-7001&limit=500", |list| {
            ["r1", "r2"].iter().all(|run| all(&list["runs"], "run_id").contains(&json!(case.own(run))))
        });
        assert!(!all(&asked["runs"], "run_id").contains(&json!(case.own("r3"))), "that is another order");
    });
}

#[test]
fn b34_no_answer_is_not_no() {
    each("B34", |case| {
        case.sends([1, 2]);
        let run = case.run("r1", attempts(1));
        assert_eq!(step(&run, "st-3")["outcome"], "unknown");
        let run = case.run("r2", attempts(4));
        let outcomes = ["st-1", "st-2", "st-4", "st-5"].map(|id| step(&run, id)["outcome"].clone());
        assert_eq!(outcomes, [json!("unknown"), json!("failed"), json!("unknown"), Value::Null]);
        assert_eq!(run["unknown_count"], 2);
        case.sends([3, 4]);
        let run = case.run("r1", attempts(3));
        assert!(found(&run, "retried-while-unknown") && found(&run, "key-changed"), "{run}");
        let refund = step(&run, "st-3");
        assert_eq!(all(&refund["attempts"], "outcome"), [json!("unknown"), json!("confirmed")]);
        // Neither the second attempt nor the look-up that was refused closes the first.
        assert_eq!(
            (&refund["attempts"][0]["outcome_now"], &refund["outcome"]),
            (&Value::Null, &json!("unknown"))
        );
    });
}

#[test]
fn b36_success_that_did_nothing() {
    each("B36", |case| {
        case.sends([1]);
        let run = case.run("r1", attempts(1));
        let close = step(&run, "st-1");
        assert_eq!((&close["outcome"], &close["evidence"]), (&json!("confirmed"), &json!("status")));
        let page = case.page(&format!("/runs/{}", case.own("r1")));
        assert!(page.to_lowercase().contains("answered ok, not read back"), "{page}");
        case.sends([2, 3, 4]);
        let run = case.run("r1", attempts(2));
        assert_eq!(
            (&step(&run, "st-1")["outcome"], found(&run, "read-back-contradicts")),
            (&json!("unknown"), true)
        );
        let queue = format!("/api/v1/cases?run={}", case.own("r1"));
        case.eventually(&queue, |queue| queue["cases"][0]["step_id"] == "st-1");
        assert_eq!(step(&case.run("r2", attempts(1)), "st-1")["outcome"], "submitted");
        assert_eq!(step(&case.run("r3", attempts(2)), "st-1")["outcome"], "confirmed");

        let mut spans = Vec::new();
        for number in 1..=6 {
            let status = json!({ "key": "http.response.status_code", "value": { "intValue": "429" } });
            let attempt =
                json!({ "key": "recount.step.attempt", "value": { "intValue": number.to_string() } });
            let list = [case.in_run("r4"), text("recount.step.id", "st-1"), attempt, status];
            let mut span = case.made("T5", &format!("S{number}"), "lookup_account", &list);
            span["status"] = json!({ "code": 2 });
            let at = |second: u64| {
                json!((crate::bugs::case::BASE_NS + second * crate::bugs::case::SECOND_NS).to_string())
            };
            (span["startTimeUnixNano"], span["endTimeUnixNano"]) = (at(2 * number), at(2 * number + 1));
            spans.push(span);
        }
        let mut written = case.made("T5", "S7", "row written", &[case.in_run("r4"), text("result", "")]);
        written["status"] = json!({ "code": 1 });
        spans.push(written);
        case.send_spans(&spans);
        let run = case.run("r4", attempts(7));
        let said = run["findings"].to_string();
        assert!(
            found(&run, "throttled-out") && said.contains("6 refusals") && said.contains("never executed"),
            "{said}"
        );
        // An empty result and none at all are two things.
        let empty = case.made(
            "T6",
            "S1",
            "execute_tool get_x",
            &[case.in_run("r5"), text("gen_ai.tool.call.result", "")],
        );
        let none = case.made("T6", "S2", "execute_tool get_x", &[case.in_run("r5")]);
        case.send_spans(&[empty, none]);
        case.run("r5", attempts(2));
        let result = |span: &str| case.kept("T6", span)["result"].clone();
        assert_eq!((&result("S1")["bytes"], result("S2")), (&json!(0), Value::Null));
        let shown = |span: &str| {
            let page = case.page(&format!("/runs/{}?span={}&tab=happened", case.own("r5"), case.span(span)));
            page.split("id=\"inspector\"").nth(1).unwrap().contains("Result as received")
        };
        assert!(shown("S1") && !shown("S2"));
    });
}

#[test]
fn b38_marks_that_are_no_failures_and_failures_that_hide() {
    each("B38", |case| {
        case.sends([1, 2, 3, 4]);
        let run = case.run("r1", attempts(2));
        let approve = step(&run, "st-2");
        assert_eq!(all(&approve["attempts"], "attempt"), [json!(1), json!(2)]);
        let first = &approve["attempts"][0];
        assert_eq!(
            (&first["outcome"], &first["reason"], found(&run, "paused")),
            (&Value::Null, &json!("Paused"), true)
        );
        // On the page as it opens: nobody has to know where to look.
        case.run("r3", attempts(1));
        let page = case.page(&format!("/runs/{}", case.own("r3")));
        for told in
            ["ValueError: bad é", "line1\nline2", "RuntimeError", "3 exceptions", "neither type nor text"]
        {
            assert!(page.contains(told), "{told} in {page}");
        }
        let run = case.run("r4", attempts(1));
        assert_eq!(
            (&run["error_count"], &run["steps"][0]["attempts"][0]["error"]),
            (&json!(0), &Value::Null)
        );
        let page = case.page(&format!("/runs/{}", case.own("r4")));
        assert!(
            page.contains("KeyError") && page.contains("handled") && page.contains("no failure"),
            "{page}"
        );
    });
}

#[test]
fn exceptions_are_shown_whole_in_every_carrier() {
    each("RAISED", |case| {
        let stack = format!("{}last line", "  at somewhere\n".repeat(400));
        let raised = [
            text("exception.type", "httpx.ReadTimeout"),
            text("exception.message", "timed out"),
            text("exception.stacktrace", &stack),
        ];
        let mut act = case.made("T1", "S1", "execute_tool refund", &[case.in_run("r1")]);
        act["events"] = json!([{ "name": "exception", "attributes": raised }]);
        act["status"] = json!({ "code": 2 });
        case.send_spans(&[act]);
        let run = case.run("r1", attempts(1));
        assert_eq!(run["steps"][0]["outcome"], "unknown");
        let page = case.page(&format!("/runs/{}", case.own("r1")));
        assert!(page.contains("httpx.ReadTimeout: timed out") && page.contains("last line"), "{page}");

        // The exception comes as a log only, on the agent's span, and names the call.
        let mut call = case.made(
            "T2",
            "S2",
            "execute_tool refund",
            &[case.in_run("r2"), text("gen_ai.tool.call.id", "c1")],
        );
        call["parentSpanId"] = json!(case.span("S1"));
        case.send_spans(&[case.made("T2", "S1", "invoke_agent a", &[case.in_run("r2")]), call]);
        case.run("r2", attempts(2));
        let log = json!({ "traceId": case.trace("T2"), "spanId": case.span("S1"),
            "timeUnixNano": (crate::bugs::case::BASE_NS + 500_000_000).to_string(),
            "eventName": "gen_ai.client.operation.exception",
            "attributes": [text("exception.type", "ReadTimeout"), text("exception.message", "slow"),
                text("gen_ai.tool.call.id", "c1")] });
        case.send_logs(&[log]);
        let run = case.run("r2", |run| run["unknown_count"] == 1);
        let agent = named(&run, "invoke_agent a")[0];
        assert_eq!((&run["attempt_count"], &agent["attempts"][0]["error"]), (&json!(2), &Value::Null));
        assert!(case.page(&format!("/runs/{}", case.own("r2"))).contains("ReadTimeout"));
    });
}

#[test]
fn an_intent_written_on_the_agents_span_is_that_of_the_act() {
    each("INTENT", |case: &Case| {
        let intent = |run: &str, id: &str, at: u64| {
            json!({ "traceId": case.trace(run), "spanId": case.span("S1"),
            "timeUnixNano": (crate::bugs::case::BASE_NS + at).to_string(), "eventName": "recount.intent",
            "attributes": [case.in_run(run), text("recount.step.id", id),
                text("recount.action.key", &case.own(&format!("k-{id}"))),
                text("recount.action.outcome", "submitted"), text("gen_ai.tool.name", "refund")] })
        };
        case.send_logs(&[intent("r1", "st-1", 1), intent("r1", "st-2", 2)]);
        let agent = case.made("r1", "S1", "invoke_agent a", &[case.in_run("r1")]);
        let mut act = case.made(
            "r1",
            "S2",
            "execute_tool refund",
            &[
                case.in_run("r1"),
                text("recount.step.id", "st-1"),
                text("recount.action.key", &case.own("k-st-1")),
            ],
        );
        act["parentSpanId"] = json!(case.span("S1"));
        case.send_spans(&[act, agent]);
        let run = case.run("r1", attempts(3));
        let outcome = |id: &str| step(&run, id)["outcome"].clone();
        // The second act was announced, and then nothing was heard of it.
        assert_eq!((outcome("st-1"), outcome("st-2")), (json!("confirmed"), json!("unknown")));
        let agent = named(&run, "invoke_agent a")[0];
        assert_eq!((&agent["kind"], &agent["outcome"]), (&json!("agent"), &Value::Null));
    });
}
