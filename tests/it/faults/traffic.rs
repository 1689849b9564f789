//! Runs to send, each in a request of its own, with ids that no other has.
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Spans of each run.
pub(crate) const SPANS: u64 = 4;
/// What a sender of OTLP/JSON says of its body.
pub(crate) const JSON: &str = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n";

/// One run: its number, and the request that holds it.
pub(crate) struct Run {
    pub(crate) number: u64,
    pub(crate) body: String,
}

/// The next run.
pub(crate) fn run() -> Run {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    of(NEXT.fetch_add(1, Ordering::Relaxed), 20)
}

/// One whose results have so many words more.
pub(crate) fn long_run(words: usize) -> Run {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 32);
    of(NEXT.fetch_add(1, Ordering::Relaxed), words)
}

fn of(number: u64, words: usize) -> Run {
    let mut spans = String::new();
    for at in 0..SPANS {
        let (id, start) = (number * SPANS + at, 1_795_970_000_000_000_000 + number * 1_000_000_000 + at);
        write!(
            spans,
            r#"{}{{"traceId":"{number:032x}","spanId":"{id:016x}","name":"act {id}","kind":1,
            "startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[
            {{"key":"gen_ai.operation.name","value":{{"stringValue":"execute_tool"}}}},
            {{"key":"recount.run.id","value":{{"stringValue":"run-{number}"}}}},
            {{"key":"gen_ai.tool.name","value":{{"stringValue":"tool_{at}"}}}},
            {{"key":"gen_ai.tool.call.result","value":{{"stringValue":"result {id}{}"}}}}]}}"#,
            if at == 0 { "" } else { "," },
            start + 500_000,
            format!(" word{id}").repeat(words)
        )
        .unwrap();
    }
    Run { number, body: format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#) }
}
