//! Span events by which one span tells of the tries it covers, as `gen_ai.retry` does.
use crate::domain::step::Event;
use crate::domain::value::{Value, attribute};

/// Keys under which such an event numbers a try.
const NUMBERS: &[&str] =
    &["attempt", "attempt_number", "retry_attempt", "retry.attempt", "gen_ai.retry.attempt", "retry_count"];
/// Keys under which it says why, the type first.
const KINDS: &[&str] =
    &["error.type", "exception.type", "error_type", "http.response.status_code", "status_code", "reason"];
/// Keys under which it says more.
const TEXTS: &[&str] =
    &["error.message", "exception.message", "retry.reason", "gen_ai.retry.reason", "error", "message"];

/// One try inside a span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retry {
    /// When its event was written, nanoseconds since 1970.
    pub at_ns: u64,
    /// Its number, as told.
    pub number: Option<u64>,
    /// Why it was not the last: type and text as told; empty when neither is.
    pub reason: String,
}

/// The tries that the events of a span tell of, in order.
pub fn retries(events: &[Event]) -> Vec<Retry> {
    let told = events.iter().filter(|event| tells(&event.name).is_some());
    told.map(|event| Retry { at_ns: event.at_ns, number: number(event), reason: reason(event) }).collect()
}

/// How many tries a span covers, by its events; `None` when they tell of no more than one.
pub(in crate::conventions) fn tries(events: &[Event]) -> Option<u32> {
    let count = |what: What| events.iter().filter(|event| tells(&event.name) == Some(what)).count();
    // Each retry followed a try that failed; events of every try count the last one as well.
    let counted = match (count(What::Retry), count(What::Try)) {
        (0, tries) => tries,
        (retries, _) => retries + 1,
    };
    let told = events.iter().filter(|event| tells(&event.name).is_some());
    let highest = told.filter_map(number).max().and_then(|number| usize::try_from(number).ok());
    let tries = counted.max(highest.unwrap_or_default());
    u32::try_from(tries).ok().filter(|tries| counted > 0 && *tries > 1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// It is written before another try.
    Retry,
    /// It is written for every try.
    Try,
}

fn tells(event: &str) -> Option<What> {
    match event.rsplit(['.', ' ', ':']).next()?.to_ascii_lowercase().as_str() {
        "retry" | "retrying" | "retried" | "retry_attempt" | "llm_retry" | "http_retry" => Some(What::Retry),
        "attempt" => Some(What::Try),
        _ => None,
    }
}

fn number(event: &Event) -> Option<u64> {
    let told = NUMBERS.iter().find_map(|key| attribute(&event.attributes, key)?.as_int());
    told.and_then(|number| u64::try_from(number).ok())
}

fn reason(event: &Event) -> String {
    let first = |keys: &[&str]| keys.iter().find_map(|key| said(attribute(&event.attributes, key)?));
    match (first(KINDS), first(TEXTS)) {
        (Some(kind), Some(text)) if kind != text => format!("{kind}: {text}"),
        (Some(said), _) | (None, Some(said)) => said,
        (None, None) => String::new(),
    }
}

fn said(value: &Value) -> Option<String> {
    let text =
        if let Value::Int(number) = value { number.to_string() } else { value.as_str()?.trim().to_owned() };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::event;

    fn retry(number: i64, kind: &str) -> Event {
        event("gen_ai.retry", vec![("attempt", number.into()), ("error.type", kind.into())])
    }

    #[test]
    fn b32_every_retry_tells_of_a_try_before_it() {
        let events = [retry(1, "429"), retry(2, "timeout")];
        assert_eq!(tries(&events), Some(3));
        let reasons: Vec<String> = retries(&events).into_iter().map(|retry| retry.reason).collect();
        assert_eq!(reasons, ["429", "timeout"]);
        // The first events were dropped.
        assert_eq!(tries(&[retry(7, "429")]), Some(7));
    }

    #[test]
    fn other_spellings_and_other_events() {
        let status = event("retry", vec![("status_code", 503.into()), ("message", "busy".into())]);
        assert_eq!(retries(&[status])[0].reason, "503: busy");
        let each = [event("gen_ai.request.attempt", vec![]), event("gen_ai.request.attempt", vec![])];
        assert_eq!((tries(&each), tries(&each[..1])), (Some(2), None));
        let others = [event("exception", vec![("attempt", 3.into())]), event("no retry needed", vec![])];
        assert_eq!((tries(&others), retries(&others)), (None, vec![]));
    }
}
