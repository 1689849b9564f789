//! What no entry names and every entry asks for: no input ends the process or costs its neighbours.
use std::fmt::Write as _;

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bugs::case::{Case, Via, attempts, block_on, each, named, text};
use crate::wire::client::send;

const DEEP: usize = 100_000;

fn nested(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP))
}

/// Every page and answer of a run opens, whichever span and side is looked at.
fn all_opens(case: &Case, run: &Value) {
    let id = run["run_id"].as_str().unwrap();
    for step in run["steps"].as_array().unwrap() {
        for attempt in step["attempts"].as_array().unwrap() {
            let (trace, span) = (&attempt["trace_id"], attempt["span_id"].as_str().unwrap());
            for tab in ["saw", "proposed", "happened", "model", "gate", "raw"] {
                case.page(&format!("/runs/{id}?span={span}&tab={tab}"));
            }
            let at = format!("/api/v1/spans/{}/{span}", trace.as_str().unwrap());
            for path in [at.clone(), format!("{at}?format=otlp")] {
                assert_eq!(case.get(&path).status, StatusCode::OK, "{path}");
            }
            for body in ["context", "output"] {
                for content in attempt[body].as_array().unwrap() {
                    let digest = content["digest"].as_str().unwrap();
                    case.page(&format!("/contents/{}/{digest}", trace.as_str().unwrap()));
                }
            }
        }
    }
}

#[test]
fn values_nested_without_end_stay_text_and_cost_nobody() {
    let texts = [
        nested("[", "", "]"),
        nested(r#"{"message":"#, r#"{"role":"user"}"#, "}"),
        nested(r#"{"kwargs":"#, "1", "}"),
        nested(r#"[{"role":"user","content":"#, "[]", "}]"),
        nested(r#"{"type":"tool_result","content":["#, "1", "]}"),
        nested(r#"{"role":"assistant","tool_calls":["#, "", "]}"),
        nested(r#"{"function_response":{"response":["#, "", "]}}"),
        "[".repeat(DEEP),
    ];
    let keys = [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.tool.definitions",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "metadata",
        "llm.input_messages.0.message.content",
        "input.value",
        "x.unknown",
    ];
    let case = Case::over("DEEP", Via::Proto);
    let mut spans = vec![case.made("T1", "before", "before", &[case.in_run("r1")])];
    for (number, deep) in texts.iter().enumerate() {
        // Every key meets several of the texts; one of them within a text within a text, as senders that
        // encode twice make it.
        let quoted = json!(json!(deep).to_string()).to_string();
        let keys = keys.iter().cycle().skip(3 * number).take(4);
        let mut attributes: Vec<Value> = keys.map(|key| text(key, deep)).collect();
        attributes.extend([text("gen_ai.completion.0.content", &quoted), case.in_run("r1")]);
        let name = ["chat", "execute_tool x"][number % 2];
        spans.push(case.made("T1", &number.to_string(), name, &attributes));
    }
    spans.push(case.made("T1", "after", "after", &[case.in_run("r1")]));
    let count = u64::try_from(spans.len()).unwrap();
    for span in spans {
        case.send_spans(&[span]);
    }
    let run = case.run("r1", attempts(count));
    assert_eq!((named(&run, "before").len(), named(&run, "after").len()), (1, 1));
    // The value is there, to its last bracket.
    let id = (case.trace("T1"), case.span("0"));
    let otlp = case.get(&format!("/api/v1/spans/{}/{}?format=otlp", id.0, id.1));
    assert!(otlp.text().contains(&texts[0]));
    all_opens(&case, &run);
}

#[test]
fn structured_values_nested_without_end_are_refused_alone() {
    // As OTLP/JSON writes lists and maps; built as text, since builders of JSON end earlier.
    let lists = nested(r#"{"arrayValue":{"values":["#, r#"{"intValue":"1"}"#, "]}}");
    let maps = nested(r#"{"kvlistValue":{"values":[{"key":"k","value":"#, "{}", "}]}}");
    let case = Case::over("DEEP", Via::Json);
    for (number, deep) in [lists, maps].iter().enumerate() {
        let neighbour = case.made("T2", &format!("near {number}"), "neighbour", &[case.in_run("r2")]);
        let mut body = String::from(r#"{"resourceSpans":[{"scopeSpans":[{"spans":["#);
        let (trace, span) = (case.trace("T2"), case.span(&format!("deep {number}")));
        write!(
            body,
            r#"{{"traceId":"{trace}","spanId":"{span}","name":"deep","attributes":[{{"key":"x","value":{deep}}}]}},"#
        )
        .unwrap();
        write!(body, "{neighbour}]}}]}}]}}").unwrap();
        let (rejected, reason) = case.rejected(&case.post("application/json", body));
        assert_eq!((rejected, reason.contains("nested too deep")), (1, true), "{reason}");
    }
    // Bytes that only say that a value is in a value: a list of one list, and so on.
    let mut value = vec![0x18, 1];
    for _ in 0..20_000 {
        for tag in [0x0a, 0x2a] {
            let mut around = vec![tag];
            prost::encoding::encode_varint(value.len() as u64, &mut around);
            around.append(&mut value);
            value = around;
        }
    }
    let mut message = Vec::new();
    // KeyValue, Span, ScopeSpans, ResourceSpans, request.
    for (tags, before) in [(0x12_u8, &b"\x0a\x01x"[..]), (0x4a, b""), (0x12, b""), (0x12, b""), (0x0a, b"")] {
        let mut around = before.to_vec();
        around.push(tags);
        let inner = if message.is_empty() { &value } else { &message };
        prost::encoding::encode_varint(inner.len() as u64, &mut around);
        around.extend_from_slice(inner);
        message = around;
    }
    let reply = case.post("application/x-protobuf", message);
    assert!(reply.status == StatusCode::BAD_REQUEST || reply.status == StatusCode::OK, "{}", reply.status);
    assert_eq!(named(&case.run("r2", attempts(2)), "neighbour").len(), 2);
}

#[test]
fn ids_of_any_length_and_of_dots_have_pages() {
    let long = "r".repeat(100_000);
    let case = Case::over("IDS", Via::Grpc);
    let ids = [
        text("recount.run.id", &long),
        text("recount.step.id", &long),
        text("recount.action.key", &long),
        text("session.id", &long),
        text("recount.worker.id", &long),
        text("gen_ai.agent.name", &long),
        text("gen_ai.tool.name", &long),
        text("recount.action.target", &long),
        text("recount.account.id", &long),
    ];
    case.send_spans(&[case.made("T1", "S1", "refund", &ids)]);
    let run = case.traced("T1", 1);
    let id = run["run_id"].as_str().unwrap();
    assert!(id.len() <= 512 && id.contains("100000"), "{id}");
    assert_eq!(run["steps"][0]["step_id"], id);
    let page = case.page(&format!("/runs/{id}"));
    for href in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(href.len() < 4_000, "{} characters", href.len());
    }
    let listed = case.eventually("/api/v1/runs?limit=500", |list| list.to_string().contains(id));
    assert!(!listed.to_string().contains(&long));
    for (number, id) in [".", "..", "...", "%2E", "a/../b", "?", "#"].into_iter().enumerate() {
        let trace = format!("dots {number}");
        let attributes = [text("recount.run.id", id), text("recount.step.id", id)];
        case.send_spans(&[case.made(&trace, "S1", "refund", &attributes)]);
        let run = case.traced(&trace, 1);
        assert_eq!(run["run_id"], id);
        // As a browser follows the link: what looks like a step through folders is taken for one.
        let redirect =
            block_on(send(case.at.ui, Method::GET, &format!("/traces/{}", case.trace(&trace)), &[], ""));
        let to = redirect.header("location").to_owned();
        let looks_like_dots = |part: &str| matches!(part.replace("%2E", ".").as_str(), "." | "..");
        assert!(!to.split('/').any(looks_like_dots), "{to}");
        assert!(case.page(&to).contains("refund"), "{to}");
    }
}

#[test]
fn a_name_for_everything_that_html_could_mean() {
    each("HTML", |case| {
        let word = "<script>alert(1)</script>\u{202e}\"'&";
        let attributes = [case.in_run("r1"), text("gen_ai.tool.name", word), text("exception.type", word)];
        let mut span = case.made("T1", "S1", word, &attributes);
        span["events"] = json!([{ "name": "exception", "attributes": [text("exception.type", word),
            text("exception.message", word), text("exception.stacktrace", word)] },
            { "name": "gen_ai.retry", "attributes": [text("error.type", word)] }]);
        case.send_spans(&[span]);
        case.run("r1", attempts(1));
        let page = case.page(&format!("/runs/{}?tab=happened", case.own("r1")));
        assert!(page.contains("alert(1)") && !page.contains("<script>alert"), "{page}");
    });
}
