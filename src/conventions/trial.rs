//! For tests of dialects: builds small records, reads them, and checks that nothing of them was lost.
use std::sync::Arc;

use crate::conventions::reader::Conventions;
use crate::conventions::rebuild::rebuild;
use crate::conventions::rules::ToolRules;
use crate::domain::content::Content;
use crate::domain::finding::Code;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::step::{Event, ScopeInfo, Step};
use crate::domain::value::Value;
use crate::otlp::{WireLog, WireSpan};

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<f64> for Value {
    fn from(double: f64) -> Self {
        Self::Double(double)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

/// A list of attributes.
pub(in crate::conventions) fn attributes(list: Vec<(&str, Value)>) -> Vec<(String, Value)> {
    list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A structured value.
pub(in crate::conventions) fn map(list: Vec<(&str, Value)>) -> Value {
    Value::Map(attributes(list))
}

/// A span that took a second.
pub(in crate::conventions) fn span(name: &str, list: Vec<(&str, Value)>) -> WireSpan {
    WireSpan {
        trace_id: TraceId([1; 16]),
        span_id: SpanId([2; 8]),
        name: name.to_owned(),
        started_ns: 1_795_970_000_000_000_000,
        ended_ns: 1_795_970_001_000_000_000,
        attributes: attributes(list),
        ..WireSpan::default()
    }
}

/// The same span from another scope.
pub(in crate::conventions) fn in_scope(scope: &str, span: WireSpan) -> WireSpan {
    WireSpan { scope: Arc::new(ScopeInfo { name: scope.to_owned(), ..ScopeInfo::default() }), ..span }
}

/// An event.
pub(in crate::conventions) fn event(name: &str, list: Vec<(&str, Value)>) -> Event {
    Event { name: name.to_owned(), at_ns: 1_795_970_000_500_000_000, attributes: attributes(list) }
}

/// A log record on a span.
pub(in crate::conventions) fn log(name: &str, body: Value, list: Vec<(&str, Value)>) -> WireLog {
    WireLog {
        trace_id: TraceId([1; 16]),
        span_id: SpanId([2; 8]),
        event_name: name.to_owned(),
        at_ns: 1_795_970_000_000_000_000,
        body,
        attributes: attributes(list),
        ..WireLog::default()
    }
}

/// Reads a span without rules and checks that its attributes and events come together again.
pub(in crate::conventions) fn read(span: &WireSpan) -> Step {
    let step = Conventions::new(ToolRules::default()).step(span);
    let body = |at: usize| step.bodies.get(at).map(|content: &Content| content.body.as_str());
    let whole = |list: &[(String, Value)]| -> Vec<(String, Value)> {
        list.iter().map(|(key, value)| (key.clone(), rebuild(value, &body))).collect()
    };
    assert_eq!(whole(&step.attributes), span.attributes);
    for (kept, sent) in step.events.iter().zip(&span.events) {
        assert_eq!(whole(&kept.attributes), sent.attributes);
    }
    assert_eq!(step.events.len(), span.events.len());
    step
}

/// Reads a log record without rules and checks that its attributes and body come together again.
pub(in crate::conventions) fn read_log(log: &WireLog) -> Step {
    let step = Conventions::new(ToolRules::default()).step_of_log(log);
    let body = |at: usize| step.bodies.get(at).map(|content: &Content| content.body.as_str());
    for (kept, sent) in step.attributes.iter().zip(&log.attributes) {
        assert_eq!((&kept.0, rebuild(&kept.1, &body)), (&sent.0, sent.1.clone()));
    }
    let kept = step.attributes.iter().find(|(key, _)| key == crate::conventions::reader::LOG_BODY);
    assert_eq!(kept.map_or(Value::Empty, |(_, value)| rebuild(value, &body)), log.body);
    step
}

/// Role and text of bodies.
pub(in crate::conventions) fn bodies(step: &Step, list: &[usize]) -> Vec<(String, String)> {
    list.iter().map(|at| (step.bodies[*at].role.clone(), step.bodies[*at].body.clone())).collect()
}

/// The text of one body.
pub(in crate::conventions) fn body(step: &Step, at: Option<usize>) -> Option<&str> {
    at.map(|at| step.bodies[at].body.as_str())
}

/// The codes of the findings.
pub(in crate::conventions) fn codes(step: &Step) -> Vec<Code> {
    step.facts.findings.iter().map(|finding| finding.code).collect()
}
