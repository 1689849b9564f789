//! The spellings of OTLP/JSON that senders in the field use.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Status;
use crate::domain::value::{Value, attribute};
use crate::otlp::{
    DecodeError, Decoded, WireSpan, decode_logs_json, decode_traces_json, decode_traces_protobuf,
};

const TRACE: &str = "5b8efff798038103d269b633813fc60c";

fn in_scope(spans: &str) -> Decoded<WireSpan> {
    let body = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#);
    decode_traces_json(body.as_bytes()).unwrap()
}

/// One span with these members beside its ids.
fn span(members: &str) -> Decoded<WireSpan> {
    in_scope(&format!(r#"{{"traceId":"{TRACE}","spanId":"eee19b7ec3c1b174"{members}}}"#))
}

fn value(any: &str) -> Decoded<WireSpan> {
    span(&format!(r#","attributes":[{{"key":"k","value":{any}}}]"#))
}

#[test]
fn ids_come_in_hex_of_either_case_or_base64() {
    for (trace, id) in [
        ("5B8EFFF798038103D269B633813FC60C", "EEE19B7EC3C1B174"),
        ("W47/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXQ="),
        ("W47_95gDgQPSabYzgT_GDA", "7uGbfsPBsXQ"),
    ] {
        let decoded = in_scope(&format!(r#"{{"traceId":"{trace}","spanId":"{id}","parentSpanId":""}}"#));
        let span = &decoded.items[0];
        assert_eq!(span.trace_id, TraceId::parse(TRACE).unwrap());
        assert_eq!(span.span_id, SpanId::parse("eee19b7ec3c1b174").unwrap());
        assert_eq!(span.parent_span_id, None);
    }
    for (trace, reason) in [
        ("\"\"", "`traceId` is missing or all zero"),
        ("null", "`traceId` is missing or all zero"),
        ("\"00000000000000000000000000000000\"", "`traceId` is missing or all zero"),
        ("\"d269b633813fc60c\"", "`traceId` is not 32 hex digits; hex expected"),
        ("\"5b8efff798038103d269b633813fc60x\"", "`traceId` is not 32 hex digits; hex expected"),
        ("17", "`traceId` is not 32 hex digits; hex expected"),
    ] {
        let good = format!(r#"{{"traceId":"{TRACE}","spanId":"eee19b7ec3c1b174","name":"good"}}"#);
        let decoded = in_scope(&format!(r#"{{"traceId":{trace},"spanId":"eee19b7ec3c1b174"}},{good}"#));
        assert_eq!(decoded.items[0].name, "good");
        let refused = &decoded.refused[0];
        assert!(refused.class == "bad-id" && refused.reason.starts_with(reason), "{}", refused.reason);
    }
}

#[test]
fn numbers_come_as_numbers_or_strings() {
    for (any, expected) in [
        (r#"{"intValue":"25"}"#, Value::Int(25)),
        (r#"{"intValue":7}"#, Value::Int(7)),
        (r#"{"intValue":25.0}"#, Value::Int(25)),
        (r#"{"intValue":"9007199254740993"}"#, Value::Int(9_007_199_254_740_993)),
        (r#"{"intValue":"-9223372036854775808"}"#, Value::Int(i64::MIN)),
        (r#"{"intValue":25.5}"#, Value::Double(25.5)),
        (r#"{"intValue":18446744073709551615}"#, Value::Double(18_446_744_073_709_551_615.0)),
        (r#"{"doubleValue":1}"#, Value::Double(1.0)),
        (r#"{"doubleValue":"-1.5e3"}"#, Value::Double(-1500.0)),
        (r#"{"doubleValue":"Infinity"}"#, Value::Double(f64::INFINITY)),
        (r#"{"doubleValue":"-Infinity"}"#, Value::Double(f64::NEG_INFINITY)),
        (r#"{"boolValue":"true"}"#, Value::Bool(true)),
        (r#"{"stringValue":5}"#, Value::String("5".to_owned())),
        (r#"{"stringValue":null}"#, Value::Empty),
        (r#"{"bytesValue":"aGk="}"#, Value::Bytes(b"hi".to_vec())),
        (r#"{"bytesValue":"_-8"}"#, Value::Bytes(vec![255, 239])),
        (r#"{"arrayValue":{}}"#, Value::Array(Vec::new())),
        (r#"{"arrayValue":{"values":null}}"#, Value::Array(Vec::new())),
        (
            r#"{"kvlistValue":{"values":[{"value":{"intValue":1},"key":"a"}]}}"#,
            Value::Map(vec![("a".to_owned(), Value::Int(1))]),
        ),
        ("{}", Value::Empty),
        ("null", Value::Empty),
    ] {
        let decoded = value(any);
        assert_eq!(decoded.refused, Vec::new(), "{any}");
        assert_eq!(attribute(&decoded.items[0].attributes, "k"), Some(&expected), "{any}");
    }
    let Some(Value::Double(double)) =
        value(r#"{"doubleValue":"NaN"}"#).items[0].attributes.pop().map(|(_, value)| value)
    else {
        panic!()
    };
    assert!(double.is_nan());
    for any in [
        r#"{"intValue":"x"}"#,
        r#"{"intValue":"NaN"}"#,
        r#"{"boolValue":3}"#,
        r#"{"bytesValue":"%"}"#,
        r#"{"stringValue":{}}"#,
        r#""bare""#,
    ] {
        let decoded = value(any);
        assert_eq!((decoded.items.len(), decoded.refused[0].class), (0, "bad-value"), "{any}");
    }
    let times = span(r#","startTimeUnixNano":1795970000000000001,"endTimeUnixNano":1.758e18"#);
    assert_eq!(times.items[0].started_ns, 1_795_970_000_000_000_001);
    assert_eq!(times.items[0].ended_ns, 1_758_000_000_000_000_000);
    assert_eq!(span(r#","endTimeUnixNano":"18446744073709551615""#).items[0].ended_ns, u64::MAX);
    assert_eq!(span(r#","endTimeUnixNano":"-1""#).refused[0].class, "bad-value");
}

#[test]
fn enums_come_by_number_or_name() {
    for (members, kind, status) in [
        (r#","kind":3,"status":{"code":2}"#, 3, Status::Error),
        (r#","kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}"#, 3, Status::Error),
        (r#","kind":"client","status":{"code":"ok","message":"m"}"#, 3, Status::Ok),
        (r#","kind":"3","status":null"#, 3, Status::Unset),
        (r#","kind":null,"status":{}"#, 0, Status::Unset),
        (r#","kind":"SPAN_KIND_OF_THE_FUTURE""#, 0, Status::Unset),
    ] {
        let decoded = span(members);
        assert_eq!((decoded.items[0].kind, decoded.items[0].status), (kind, status), "{members}");
    }
}

#[test]
fn absent_empty_null_unknown_and_old_names_all_read() {
    for body in [
        "",
        "{}",
        " {} ",
        r#"{"resourceSpans":[]}"#,
        r#"{"resourceSpans":null}"#,
        r#"{"resourceSpans":[{"scopeSpans":[{}]}]}"#,
        r#"{"resourceSpans":[null]}"#,
    ] {
        let decoded = decode_traces_json(body.as_bytes()).unwrap();
        assert_eq!(decoded, Decoded { items: Vec::new(), refused: Vec::new(), warning: None }, "{body}");
    }
    assert_eq!(decode_traces_protobuf(b"").unwrap().warning, None);
    let nulls = span(
        r#","events":null,"links":null,"attributes":null,"name":null,"droppedEventsCount":null,
        "new":{"a":[1]}"#,
    );
    assert_eq!((nulls.items.len(), nulls.warning), (1, None));
    let ids = format!(r#""traceId":"{TRACE}","spanId":"eee19b7ec3c1b174""#);
    let snake = ids.replace("traceId", "trace_id").replace("spanId", "span_id");
    for body in [
        format!(r#"{{"resource_spans":[{{"scope_spans":[{{"spans":[{{{snake},"name":"x"}}]}}]}}]}}"#),
        format!(
            r#"{{"resourceSpans":[{{"instrumentationLibrarySpans":[{{
            "instrumentationLibrary":{{"name":"lib"}},"spans":[{{{ids},"name":"x"}}]}}]}}]}}"#
        ),
        "\u{feff}{\"new\":1,".to_owned()
            + &format!(
                r#""resourceSpans":[{{"scopeSpans":[{{"spans":[{{{ids},"name":"a","name":"x"}}]}}]}}]}}"#
            ),
    ] {
        let decoded = decode_traces_json(body.as_bytes()).unwrap();
        assert_eq!((decoded.items[0].name.as_str(), decoded.warning), ("x", None), "{body}");
    }
    assert!(decode_traces_json(br#"{"spans":[{}]}"#).unwrap().warning.is_some());
    assert_eq!(
        decode_logs_json(br#"{"resourceSpans":[{}]}"#).unwrap_err().to_string(),
        "no `resourceLogs` in this request, but `resourceSpans`; send these to /v1/traces",
    );
}

#[test]
fn the_resource_may_stand_behind_its_spans() {
    let body = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{TRACE}",
        "spanId":"eee19b7ec3c1b174"}}],"scope":{{"name":"lib","version":2}}}}],
        "resource":{{"attributes":[{{"key":"service.name",
        "value":{{"stringValue":"late"}}}},{{"key":"bad","value":7}}]}}}}]}}"#
    );
    let decoded = decode_traces_json(body.as_bytes()).unwrap();
    let span = &decoded.items[0];
    assert_eq!(attribute(&span.resource, "service.name").and_then(Value::as_str), Some("late"));
    assert_eq!((span.scope.name.as_str(), span.scope.version.as_str()), ("lib", "2"));
    assert!(decoded.warning.unwrap().contains("could not be read whole"));
}

#[test]
fn repeated_and_odd_keys_are_kept_as_sent() {
    let decoded = span(
        r#","attributes":[{"key":"k","value":{"intValue":1}},
        {"key":"k","value":{"intValue":2}},{"key":"a.b"},{"value":{"intValue":3}}]"#,
    );
    let keys: Vec<&str> = decoded.items[0].attributes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["k", "k", "a.b", ""]);
}

#[test]
fn a_lone_surrogate_is_replaced_and_told() {
    let decoded = span(r#","name":"a\ud800b""#);
    assert_eq!(decoded.items[0].name, "a\u{fffd}b");
    assert!(decoded.warning.unwrap().contains("surrogate"));
}

#[test]
fn broken_json_costs_its_own_span_or_the_rest() {
    let good = format!(r#"{{"traceId":"{TRACE}","spanId":"eee19b7ec3c1b174"}}"#);
    for (spans, kept, refused) in [
        (format!(r#"{good},{{"name" 1}},{good}"#), 2, 1),
        (format!(r#"{good},{{"name":tru}},{good}"#), 2, 1),
        (format!(r#"{good},7,{good}"#), 2, 1),
        (format!("{good},{good},"), 2, 1),
        (format!("{good},,{good}"), 1, 1),
    ] {
        let decoded = in_scope(&spans);
        assert_eq!((decoded.items.len(), decoded.refused.len()), (kept, refused), "{spans}");
        assert!(decoded.refused.iter().all(|refused| refused.class == "broken"));
    }
    let trailing = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{good}]}}]}}]}} x"#);
    let decoded = decode_traces_json(trailing.as_bytes()).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused.len()), (1, 1));
    for body in ["[]", "null", "text", "{", "{\"resourceSpans\":", "\"", "7"] {
        let expected = DecodeError::NotJson { expected: "resourceSpans" };
        assert_eq!(decode_traces_json(body.as_bytes()), Err(expected), "{body}");
    }
}

#[test]
fn a_log_record_is_read_whole() {
    let body = format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"5","observedTimeUnixNano":6,
        "severityNumber":"SEVERITY_NUMBER_INFO","eventName":"e","body":{{"stringValue":"b"}},
        "traceId":"{TRACE}",
        "spanId":"","droppedAttributesCount":2,"attributes":[{{"key":"k"}}]}},{{"traceId":"ab"}}]}}]}}]}}"#
    );
    let decoded = decode_logs_json(body.as_bytes()).unwrap();
    let log = &decoded.items[0];
    assert_eq!((log.at_ns, log.observed_ns, log.severity, log.event_name.as_str()), (5, 6, 9, "e"));
    assert_eq!((log.body.as_str(), log.trace_id.to_string().as_str()), (Some("b"), TRACE));
    assert!(log.span_id.is_zero() && log.dropped_attributes == 2 && log.attributes.len() == 1);
    assert_eq!((decoded.items.len(), decoded.refused[0].class), (1, "bad-id"));
}
