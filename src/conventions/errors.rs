//! Whether a record tells of an error, of which type, and what only looks like one.
use crate::conventions::draft::Draft;
use crate::conventions::json::{self, Object};
use crate::domain::finding::Code;
use crate::domain::kind::Status;
use crate::domain::outcome::Outcome;
use crate::domain::step::{Event, Failure};
use crate::domain::value::{Value, attribute};

/// Exceptions by which a runtime pauses; the last part of the type's name.
const PAUSES: &[&str] = &[
    "GraphInterrupt",
    "NodeInterrupt",
    "GraphBubbleUp",
    "ApprovalRequired",
    "CallDeferred",
    "InterruptException",
];
/// Types that say nothing; an exception's own type says more.
const VAGUE: &[&str] =
    &["_OTHER", "TOOL_ERROR", "tool_error", "error", "Error", "ERROR", "Exception", "unknown", "UNKNOWN"];

/// How much of a result stands for the error's text.
const RESULT_CHARS_MAX: usize = 1024;

/// Makes the step's failure from the status, the exception events and what the dialects said.
pub(in crate::conventions) fn settle(draft: &mut Draft<'_>) {
    let exceptions: Vec<&Event> =
        draft.source.events.iter().filter(|event| event.name == "exception").collect();
    let escaped = exceptions.iter().any(|event| {
        attribute(&event.attributes, "exception.escaped").and_then(Value::as_bool) == Some(true)
    });
    let told = if draft.is_tool() { result_text(draft).and_then(in_result) } else { None };
    // An exception was handled and nobody knows what came of the act: it is why.
    let unknown = draft.step.facts.outcome == Some(Outcome::Unknown) && !exceptions.is_empty();
    let failed =
        draft.source.status == Status::Error || draft.error.failed || escaped || unknown || told.is_some();
    // The first exception is the cause; later ones are what became of it on the way up.
    let kind = exceptions.iter().find_map(|event| filled(event, "exception.type"));
    let message = exceptions.iter().find_map(|event| filled(event, "exception.message"));
    let types = exceptions.iter().filter_map(|event| filled(event, "exception.type"));
    let paused = types.chain(draft.error.kind.clone()).any(|kind| is_pause(&kind))
        || is_pause(draft.source.status_message);
    if paused {
        draft.finding(Code::Paused, "the runtime paused here; this is no failure");
        return;
    }
    if !failed {
        return;
    }
    let said = draft.error.kind.take();
    let status_message = draft.source.status_message.to_owned();
    let messages = [message, Some(status_message), draft.error.message.take(), told, result_as_error(draft)];
    let message = messages.into_iter().flatten().find(|text| says_something(text)).unwrap_or_default();
    let http = draft.step.facts.http.as_ref().and_then(|http| http.status_code).filter(|code| *code >= 400);
    let precise = |kind: &String| !VAGUE.contains(&kind.as_str());
    let kinds = [said.clone().filter(precise), kind.clone().filter(precise), kind_in(&message), said, kind];
    let kind = kinds.into_iter().flatten().next().or(http.map(|code| code.to_string())).unwrap_or_default();
    draft.step.facts.error = Some(Failure { kind, message });
}

/// What a failed tool told the model, where nothing else says what went wrong.
fn result_as_error(draft: &Draft<'_>) -> Option<String> {
    let text = result_text(draft).filter(|_| draft.is_tool())?;
    let end = text.char_indices().nth(RESULT_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    text.get(..end).map(str::to_owned)
}

/// Whether a text says more than that, or by which type, something went wrong.
fn says_something(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !VAGUE.contains(&text) && !text.strip_suffix(':').is_some_and(is_type)
}

/// The type that a text begins with, as in `TimeoutError("timed out")` or `ValueError: no`.
fn kind_in(text: &str) -> Option<String> {
    let (kind, _) = text.split_once(['(', ':'])?;
    is_type(kind).then(|| kind.to_owned())
}

/// A name such as `TimeoutError` or `httpx.ReadTimeout`.
fn is_type(text: &str) -> bool {
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    is_name && ["Error", "Exception", "Timeout", "Interrupt"].iter().any(|end| text.ends_with(end))
}

/// Whether a tool's result says that the call failed: `{"error": …}`, MCP's `isError`, LangChain's status.
pub(in crate::conventions) fn in_result(text: &str) -> Option<String> {
    if !["error", "Error"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let object = Object::parse(text)?;
    if object.get("isError") == Some("true") || object.get("is_error") == Some("true") {
        return Some(String::new());
    }
    if object.object("data").and_then(|data| data.text("status")).as_deref() == Some("error") {
        return Some(String::new());
    }
    match object.get("error")? {
        "false" | "0" | "{}" | "[]" | "\"\"" => None,
        "true" => Some(String::new()),
        error => {
            Some(json::scalar(error).or_else(|| Object::parse(error)?.text("message")).unwrap_or_default())
        }
    }
}

fn result_text<'a>(draft: &'a Draft<'_>) -> Option<&'a str> {
    let body = draft.step.bodies.get(draft.step.result?)?;
    Some(&body.body)
}

fn filled(event: &Event, key: &str) -> Option<String> {
    let text = attribute(&event.attributes, key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a type, or a status message that is a type or `Type(…)`, is a pause.
fn is_pause(text: &str) -> bool {
    let name = text.split(['(', ':', ' ']).next().unwrap_or_default();
    PAUSES.contains(&name.rsplit('.').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_told_by_their_type() {
        let paused = [
            "GraphInterrupt",
            "langgraph.errors.GraphInterrupt",
            "GraphInterrupt(value='x')",
            "ApprovalRequired",
        ];
        paused.iter().for_each(|text| assert!(is_pause(text), "{text}"));
        assert!(!is_pause("ValueError: GraphInterrupt") && !is_pause(""));
    }

    #[test]
    fn types_are_found_in_texts() {
        assert_eq!(kind_in("TimeoutError(\"x\")").as_deref(), Some("TimeoutError"));
        assert_eq!(kind_in("httpx.ReadTimeout: x").as_deref(), Some("httpx.ReadTimeout"));
        assert_eq!(kind_in("Error running tool (x)"), None);
        assert!(!says_something("ToolRetryError: ") && !says_something("TOOL_ERROR") && says_something("no"));
    }

    #[test]
    fn results_that_tell_of_errors() {
        let table = [
            (r#"{"error": "timed out"}"#, Some("timed out")),
            (r#"{"error": {"message": "no"}}"#, Some("no")),
            (r#"{"isError": true, "content": []}"#, Some("")),
            (r#"{"type":"tool","data":{"content":"x","status":"error"}}"#, Some("")),
            (r#"{"error": null, "ok": 1}"#, None),
            (r#"{"error": ""}"#, None),
            (r#"{"errors": 0}"#, None),
            ("Error: no", None),
        ];
        for (text, expected) in table {
            assert_eq!(in_result(text).as_deref(), expected, "{text}");
        }
    }
}
