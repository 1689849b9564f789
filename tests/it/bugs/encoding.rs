//! Kind A: the wire encoding.
use axum::http::StatusCode;
use serde_json::json;

use crate::bugs::case::{BASE_NS, Case, Via, attempts, each, found, named, step, text};

#[test]
fn b01_ids_in_otlp_json() {
    let case = Case::over("B01", Via::Json);
    let literal = |number: u32| {
        let name = format!("{}/tests/fixtures/requests/B01-{number:02}.json", env!("CARGO_MANIFEST_DIR"));
        case.post("application/json", std::fs::read_to_string(name).unwrap())
    };
    case.all_taken(&literal(1));
    let trace = "5b8efff798038103d269b633813fc60c";
    let run = case.eventually(&format!("/api/v1/traces/{trace}"), attempts(1));
    assert_eq!((&run["run_id"], &run["traces"]), (&json!(trace), &json!([trace])));
    assert!(case.page(&format!("/traces/{}", trace.to_uppercase())).contains(trace));
    case.all_taken(&literal(2));
    let run = case.eventually(&format!("/api/v1/traces/{trace}"), attempts(2));
    assert_eq!((named(&run, "upper hex").len(), named(&run, "base64").len()), (1, 1));
    each("B01", |case| {
        let (rejected, reason) = case.rejected(&case.send(3));
        assert_eq!(rejected, 3);
        assert!(reason.to_lowercase().replace('_', "").contains("traceid"), "{reason}");
        assert_eq!(named(&case.traced("T9", 1), "good").len(), 1);
        for id in ["d269b633813fc60c", "00000000000000000000000000000000"] {
            assert_eq!(case.get(&format!("/api/v1/traces/{id}")).status, StatusCode::NOT_FOUND, "{id}");
        }
    });
}

#[test]
fn b02_integers_in_every_spelling() {
    let case = Case::over("B02", Via::Json);
    case.sends([1, 2]);
    let run = case.traced("T1", 2);
    assert_eq!((&run["tokens_in"], &run["tokens_out"]), (&json!(25), &json!(7)));
    let kept = case.kept("T1", "S1");
    assert_eq!(kept["attempt"], 2);
    let shown = kept["attributes"].to_string();
    assert!(shown.contains("9007199254740993") && shown.contains("-9223372036854775808"), "{shown}");
    assert_eq!(case.kept("T1", "S2")["started_at"], "2026-11-29T16:33:20.000000000Z");
    assert!(case.otlp("T1", "S2").contains(&format!("\"startTimeUnixNano\":\"{BASE_NS}\"")));
    let (rejected, _) = case.rejected(&case.send(3));
    let run = case.eventually(&format!("/api/v1/traces/{}", case.trace("T1")), |run| {
        !named(run, "neighbour").is_empty()
    });
    let float = named(&run, "float int").len();
    assert_eq!(i64::try_from(float).unwrap() + rejected, 1);
    if float == 1 {
        assert!(case.kept("T1", "S3")["attributes"].to_string().contains("25"));
    }
}

#[test]
fn b04_fields_left_out_and_other_key_styles() {
    let case = Case::over("B04", Via::Json);
    for body in ["{}", r#"{"resourceSpans":[]}"#] {
        let reply = case.post("application/json", body);
        assert_eq!((reply.status, reply.text()), (StatusCode::OK, "{}"));
    }
    let empty = case.post("application/x-protobuf", "");
    assert_eq!((empty.status, empty.body.len()), (StatusCode::OK, 0));
    case.sends([4]);
    case.traced("T1", 1);
    let page = case.page(&format!("/traces/{}", case.trace("T1")));
    assert!(page.matches("not given").count() >= 2, "{page}");
    let snake = case.send(6);
    if snake.status == StatusCode::OK {
        if case.rejected(&snake).1.is_empty() {
            case.traced("T3", 1);
        }
    } else {
        assert_eq!(snake.status, StatusCode::BAD_REQUEST);
        assert!(snake.text().contains("trace_id") || snake.text().contains("snake"), "{}", snake.text());
    }
    case.sends([7]);
    assert_eq!(named(&case.traced("T4", 1), "unknown fields").len(), 1);
    each("B04", |case| {
        case.sends([5]);
        case.traced("T2", 2);
        for (span, service) in [("S1", "agent-a"), ("S2", "agent-b")] {
            assert!(case.otlp("T2", span).contains(service), "{span}");
        }
    });
}

#[test]
fn b05_repeated_keys_dots_and_prefixes() {
    each("B05", |case| {
        case.sends([1, 2]);
        let run = case.traced("T1", 2);
        assert!(found(&run, "repeated-key"), "{run}");
        assert_eq!(case.traced("T2", 2)["step_count"], 2);
        let repeated = case.otlp("T1", "S1");
        assert_eq!(repeated.matches(r#""key":"k""#).count(), 2, "{repeated}");
        assert!(repeated.contains(r#"{"key":"m","value":{"intValue":"1"}}"#), "{repeated}");
        assert!(repeated.contains(r#"{"key":"m","value":{"stringValue":"two"}}"#), "{repeated}");
        let prefixes = case.otlp("T2", "S1");
        for pair in [
            r#"{"key":"tool","value":{"stringValue":"refund"}}"#,
            r#"{"key":"tool.name","value":{"stringValue":"refund"}}"#,
            r#"{"key":"db.function","value":{"stringValue":"x"}}"#,
            r#"{"key":"db","value":{"kvlistValue":{"values":[{"key":"function","value":{"stringValue":"y"}}]}}}"#,
            r#"{"key":"","value":{"stringValue":"empty key"}}"#,
        ] {
            assert!(prefixes.contains(pair), "{pair} in {prefixes}");
        }
        let raw = case.page(&format!("/runs/{}?span={}&tab=raw", case.trace("T2"), case.span("S1")));
        assert!(raw.contains("db.function"), "{raw}");
    });
    // Of a repeated key that a convention reads the last one counts, on every side.
    let case = Case::over("B05", Via::Proto);
    let twice = [case.in_run("last"), text("recount.step.id", "first"), text("recount.step.id", "second")];
    case.send_spans(&[case.made("T8", "S1", "refund", &twice)]);
    let run = case.run("last", attempts(1));
    assert_eq!(step(&run, "second")["attempts"].as_array().unwrap().len(), 1);
}
