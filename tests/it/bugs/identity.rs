//! Kind E: whose run it is.
use serde_json::{Value, json};

use crate::bugs::case::{BASE_NS, Case, SECOND_NS, all, attempts, each, found, step, text};

/// The runs of a session.
fn of_session(case: &Case, session: &str, satisfied: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/api/v1/runs?session={}", case.own(session));
    let one = |list: &Value| list["runs"].as_array().is_some_and(|runs| runs.len() == 1);
    case.eventually(&path, |list| one(list) && satisfied(&list["runs"][0]))["runs"][0].clone()
}

#[test]
fn b23_ids_on_some_spans_only_in_the_resource_or_contradicting() {
    each("B23", |case| {
        case.sends([1, 2, 3]);
        let run = of_session(case, "chat-9", attempts(3));
        assert_eq!(run["tokens_in"], 50);
        of_session(case, "chat-10", attempts(1));
        of_session(case, "chat-11", attempts(2));
        case.sends([4]);
        let run = case.traced("T4", 2);
        let ids = [case.own("app-1"), case.own("7f3c-inner")];
        assert_eq!((&run["session_id"], found(&run, "conflicting-identity")), (&json!(ids[0]), true));
        let said = run["findings"].to_string();
        assert!(
            said.contains(&ids[0]) && said.contains(&ids[1]) && said.contains("groups the run"),
            "{said}"
        );
        let page = case.page(&format!("/traces/{}", case.trace("T4")));
        assert!(page.contains(&ids[1]), "the page does not name the other id");
        of_session(case, "app-1", attempts(2));
        case.sends([5]);
        case.traced("T5", 1);
        case.sends([6]);
        of_session(case, "chat-12", attempts(2));
    });
}

#[test]
fn ids_in_json_metadata_in_the_resource_and_on_a_root_that_comes_last() {
    each("IDENT", |case| {
        let session = case.own("m-1");
        let metadata = json!({ "session_id": session, "user_id": "u-7", "account_id": "2291" }).to_string();
        let mut child = case.made("T1", "S2", "chat", &[text("gen_ai.operation.name", "chat")]);
        child["parentSpanId"] = json!(case.span("S1"));
        case.send_spans(&[child]);
        case.traced("T1", 1);
        let root = [
            text("gen_ai.operation.name", "invoke_agent"),
            text("openinference.span.kind", "AGENT"),
            text("metadata", &metadata),
        ];
        case.send_spans(&[case.made("T1", "S1", "agent", &root)]);
        let run = case.traced("T1", 2);
        assert_eq!((&run["session_id"], &run["user_id"]), (&json!(session), &json!("u-7")), "{run}");
        assert!(run["entities"].to_string().contains("account:2291"), "{run}");

        // A resource says one session, a span of it another: the span's counts, and the other is told.
        let (resource, span) = (case.own("of-resource"), case.own("of-span"));
        let spans = [
            case.made("T2", "S1", "agent", &[text("session.id", &span)]),
            case.made("T2", "S2", "chat", &[]),
        ];
        let body = json!({ "resourceSpans": [{ "resource": { "attributes": [text("session.id", &resource)] },
            "scopeSpans": [{ "spans": spans }] }] });
        case.all_taken(&case.send_json(&body));
        let run = case.traced("T2", 2);
        assert!(found(&run, "conflicting-identity"), "{run}");
        assert!(
            run["findings"].to_string().contains(&resource) && run["findings"].to_string().contains(&span)
        );

        // One span, two users, in two requests: a finding, whichever comes last.
        for (at, user) in ["u-1", "u-2"].into_iter().enumerate() {
            let mut sent = case.made("T3", &format!("S{at}"), "agent", &[text("user.id", user)]);
            sent["startTimeUnixNano"] = json!((BASE_NS - at as u64 * SECOND_NS).to_string());
            case.send_spans(&[sent]);
        }
        assert!(found(&case.traced("T3", 2), "conflicting-identity"));
    });
}

#[test]
fn b24_one_run_over_several_traces() {
    each("B24", |case| {
        case.sends([1, 2]);
        let run = case.run("r1", attempts(4));
        let traces = run["traces"].as_array().unwrap();
        assert!(["T1", "T2"].iter().all(|trace| traces.contains(&json!(case.trace(trace)))), "{traces:?}");
        assert_eq!(run["workers"], json!(["wa", "wb"]));
        let ids = all(&run["steps"], "step_id");
        let place = |id: &str| ids.iter().position(|known| known == id).unwrap();
        assert!(place("st-2") < place("st-3"));
        assert!(
            run["steps"]
                .as_array()
                .unwrap()
                .iter()
                .any(|step| step["idle_before_ms"].as_u64() >= Some(7_000_000))
        );
        assert_eq!(step(&run, "st-3")["attempts"].as_array().unwrap().len(), 1);
        for trace in ["T1", "T2"] {
            let page = case.page(&format!("/traces/{}", case.trace(trace)));
            assert!(page.contains(&case.own("r1")), "{trace}");
        }
        case.sends([3]);
        let linked = case.traced("T3", 1);
        assert_eq!(
            (&linked["run_id"], &linked["linked_traces"]),
            (&json!(case.trace("T3")), &json!([case.trace("T2")]))
        );
        assert!(
            case.page(&format!("/runs/{}", case.trace("T3"))).contains(&case.trace("T2")),
            "no way to the linked run"
        );
        assert_eq!(case.run("r1", attempts(4))["attempt_count"], 4);
    });
}

#[test]
fn links_join_traces_where_the_convention_says_so() {
    each("LINKS", |case| {
        let joined = json!({ "key": "recount.link.same_run", "value": { "boolValue": true } });
        let link =
            json!([{ "traceId": case.trace("T1"), "spanId": case.span("S1"), "attributes": [joined] }]);
        let mut second = case.made("T2", "S1", "agent resumed", &[]);
        second["links"] = link;
        // The joining trace comes first, the one with the run's id last.
        case.send_spans(&[second]);
        case.traced("T2", 1);
        case.send_spans(&[case.made("T1", "S1", "agent", &[case.in_run("r1")])]);
        let run = case.run("r1", attempts(2));
        assert_eq!(run["traces"].as_array().unwrap().len(), 2);
        assert_eq!(
            case.json(&format!("/api/v1/traces/{}", case.trace("T2")))["run_id"],
            json!(case.own("r1"))
        );
    });
}
