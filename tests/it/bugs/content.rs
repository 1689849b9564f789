//! Kind F: what models and tools were told and said.
use serde_json::{Value, json};

use crate::bugs::case::{Case, Via, attempts, each, found, named, step, text};

#[test]
fn b26_token_counts_of_containers_caches_and_text() {
    each("B26", |case| {
        case.sends([1, 2, 3, 4]);
        let run = case.run("r1", attempts(3));
        assert_eq!((&run["tokens_in"], &run["tokens_out"]), (&json!(300), &json!(30)));
        let run = case.run("r4", attempts(1));
        assert_eq!((&run["tokens_in"], &run["cost_usd"]), (&json!(300), &Value::Null));
        let run = case.run("r2", attempts(1));
        let tokens = &named(&run, "chat")[0]["attempts"][0]["tokens"];
        assert_eq!(
            ["in", "out", "cache_read"].map(|name| tokens[name].clone()),
            [json!(120), json!(12), json!(90)]
        );
        let run = case.run("r3", attempts(2));
        // The keys of OpenInference, and the bare ones beside them.
        assert_eq!((&run["tokens_in"], &run["tokens_out"]), (&json!(12), &json!(14)));
        let page = case.page(&format!("/runs/{}?show=everything", case.own("r4")));
        assert!(!page.contains("$0"), "an unknown cost is shown as nothing");
    });
}

/// The tab of what the model saw, for the only span of a trace.
fn saw(case: &Case, trace: &str) -> String {
    case.traced(trace, 1);
    case.page(&format!("/runs/{}?tab=saw&messages=all", case.trace(trace)))
}

fn main_of(page: &str) -> &str {
    page.split("id=\"inspector\"").nth(1).unwrap_or(page)
}

#[test]
fn b27_messages_in_five_shapes() {
    each("B27", |case| {
        // Twelve flattened messages, in shuffled order.
        let mut attributes = vec![case.in_run("r1")];
        for number in [7, 10, 0, 3, 11, 2, 9, 1, 5, 8, 4, 6] {
            let key = |what: &str| format!("llm.input_messages.{number}.message.{what}");
            attributes.push(text(&key("content"), &format!("m {number}.")));
            attributes.push(text(&key("role"), if number % 2 == 0 { "user" } else { "assistant" }));
        }
        case.send_spans(&[case.made("T1", "S1", "chat", &attributes)]);
        let page = saw(case, "T1");
        let places: Vec<usize> =
            (0..12).map(|number| main_of(&page).find(&format!("m {number}.")).unwrap()).collect();
        assert!(places.is_sorted(), "{places:?}");

        case.sends(2..=7);
        for (trace, told) in
            [("T2", "refund order-7001"), ("T3", "twice encoded"), ("T4", "structured"), ("T5", "in event")]
        {
            let page = saw(case, trace);
            let shown = main_of(&page);
            assert!(shown.contains(told) && shown.contains("User"), "{trace}: {shown}");
            assert!(!shown.contains('\\'), "{trace}: {shown}");
        }
        let run = case.traced("T2", 1);
        let proposed = &run["steps"][0]["attempts"][0]["proposed"][0];
        assert_eq!((&proposed["tool"], &proposed["call_id"]), (&json!("refund"), &json!("c1")));
        let page = case.page(&format!("/runs/{}?tab=proposed", case.trace("T2")));
        assert!(main_of(&page).contains("order-7001"));
        let cut = saw(case, "T6");
        assert!(main_of(&cut).contains("cut off he") && cut.contains("not complete JSON"), "{cut}");

        let run = case.traced("T8", 3);
        let mut digests = Vec::new();
        for refund in named(&run, "execute_tool refund") {
            let attempt = &refund["attempts"][0];
            let path = format!(
                "/api/v1/contents/{}/{}",
                case.trace("T8"),
                attempt["arguments"]["digest"].as_str().unwrap()
            );
            assert_eq!(case.json(&path), json!({ "order": "order-7001", "n": 2 }));
            digests.push(attempt["arguments"]["digest"].clone());
        }
        digests.dedup();
        assert_eq!(digests.len(), 1, "equal arguments are one content");
        for span in ["S1", "S2", "S3"] {
            assert!(case.otlp("T8", span).contains("order-7001"), "{span}");
        }
        assert!(case.otlp("T8", "S2").contains("kvlistValue"), "the attribute changed");

        // A log record, and the span that it is on.
        case.send_spans(&[case.made("T7", "S1", "chat", &[text("gen_ai.operation.name", "chat")])]);
        let body = json!({ "kvlistValue": { "values": [text("content", "from log")] } });
        case.send_logs(&[json!({ "traceId": case.trace("T7"), "spanId": case.span("S1"),
            "eventName": "gen_ai.user.message", "body": body })]);
        case.eventually(&format!("/api/v1/traces/{}", case.trace("T7")), |run| {
            run["steps"][0]["attempts"][0]["context"].as_array().is_some_and(|context| context.len() == 1)
        });
        assert!(main_of(&saw(case, "T7")).contains("from log"));
    });
}

#[test]
fn b29_arguments_cut_off_in_a_stream() {
    each("B29", |case| {
        case.sends([1, 2]);
        let run = case.run("r1", attempts(2));
        let proposed = &named(&run, "chat")[0]["attempts"][0]["proposed"][0];
        assert_eq!(proposed["complete"], false);
        let digest = proposed["arguments"]["digest"].as_str().unwrap();
        let body = case.get(&format!("/api/v1/contents/{}/{digest}", case.trace("T1")));
        assert_eq!(body.text(), r#"{"target":"acct-42","dry_ru"#);
        assert!(found(&run, "proposal-incomplete") && found(&run, "arguments-differ"), "{run}");
        assert_eq!(step(&run, "st-2")["proposed_by"], named(&run, "chat")[0]["step_id"]);
        let page = case.page(&format!("/runs/{}?span={}&tab=proposed", case.own("r1"), case.span("S2")));
        assert!(main_of(&page).contains("dry_ru"), "{page}");
        let run = case.run("r2", attempts(2));
        let bytes: Vec<Value> = run["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["attempts"][0]["arguments"]["bytes"].clone())
            .collect();
        assert!(bytes.contains(&json!(2)) && bytes.contains(&json!(0)), "{bytes:?}");
    });
}

#[test]
fn b31_large_values_images_and_schemas() {
    let case = Case::over("B31", Via::Proto);
    // Three bytes a character: no limit falls between two of them.
    let result = "語".repeat((20 << 20) / 3);
    let big = [text("gen_ai.tool.call.result", &result), case.in_run("r1")];
    case.send_spans(&[
        case.made("T1", "S1", "small before", &[case.in_run("r1")]),
        case.made("T1", "S2", "execute_tool big", &big),
        case.made("T1", "S3", "small after", &[case.in_run("r1")]),
    ]);
    let run = case.run("r1", attempts(3));
    assert!(found(&run, "value-cut"), "{run}");
    assert!(run["findings"].to_string().contains(&result.len().to_string()));
    let kept = &named(&run, "execute_tool big")[0]["attempts"][0]["result"];
    let whole =
        case.get(&format!("/api/v1/contents/{}/{}", case.trace("T1"), kept["digest"].as_str().unwrap()));
    let (value, mark) = whole.text().split_once("… [cut: ").unwrap();
    assert!(value.chars().all(|letter| letter == '語') && value.len() > 7 << 20);
    assert!(mark.contains(&format!("{} bytes, sha256 ", result.len())), "{mark}");
    for tab in ["happened", "raw"] {
        let path = format!("/runs/{}?span={}&tab={tab}", case.own("r1"), case.span("S2"));
        assert!(case.page(&path).len() < 2 << 20, "{tab}");
    }
    each("B31", |case| {
        let image = format!("data:image/png;base64,{}", "iVBORw0KGgo".repeat((2 << 20) / 11));
        let part = json!([{ "role": "user", "parts": [{ "type": "text", "content": "before the image" },
            { "type": "blob", "mime_type": "image/png", "modality": "image", "content": image },
            { "type": "text", "content": "after the image ![x](https://evil.example/p.png)" }] }]);
        let vision = [text("gen_ai.input.messages", &part.to_string()), case.in_run("r2")];
        case.send_spans(&[case.made("T2", "S1", "chat", &vision)]);
        case.run("r2", attempts(1));
        let page = case.page(&format!("/runs/{}?tab=saw", case.own("r2")));
        assert!(page.contains("before the image") && page.contains("after the image"), "{page}");
        assert!(
            page.len() < 2 << 20 && !page.contains("<img") && !page.contains("src=\"http"),
            "{}",
            page.len()
        );
    });
    let schema: Vec<Value> = (0..90)
        .map(|number| {
            json!({ "type": "function", "name": format!("tool_{number}"),
        "description": "d".repeat(4_500) })
        })
        .collect();
    let schema = text("gen_ai.tool.definitions", &json!(schema).to_string());
    let spans: Vec<Value> = (0..50)
        .map(|number| case.made("T3", &number.to_string(), "chat", &[schema.clone(), case.in_run("r3")]))
        .collect();
    case.send_spans(&spans);
    let run = case.run("r3", attempts(50));
    let mut contexts: Vec<Vec<Value>> = run["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| crate::bugs::case::all(&step["attempts"][0]["context"], "digest"))
        .collect();
    assert_eq!(contexts[0].len(), 90);
    contexts.dedup();
    assert_eq!(contexts.len(), 1, "equal schemas are kept once");
}
