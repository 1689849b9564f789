//! What a model call was told of the tool calls before it: raw errors among the answers its input ends with.
//!
//! Many runtimes write no result on a tool's own span; what the model was shown stands in the next call's
//! input only. Answers before the last turn were new to an earlier call, so only the end is read.
use std::borrow::Cow;

use crate::conventions::draft::Draft;
use crate::conventions::json::{self, Object};
use crate::domain::fold::is_raw;
use crate::domain::kind::Kind;

/// Messages at the end of an input that are read.
const MESSAGES_MAX: usize = 64;
/// Lists and objects around an answer that are opened.
const DEPTH_MAX: usize = 4;
/// A longer message is a document, and no error.
const BYTES_MAX: usize = 65_536;
/// How a call is named beside its answer.
const CALL_IDS: &[&str] = &["tool_call_id", "call_id", "tool_use_id", "toolCallId", "toolUseId"];
/// What the answer stands under.
const ANSWERS: &[&str] = &["content", "output", "response", "result"];
/// What answers stand inside of.
const WRAPPERS: &[&str] =
    &["parts", "content", "functionResponse", "function_response", "toolResult", "kwargs", "data"];
/// What says in words what went wrong.
const TEXTS: &[&str] = &["text", "value", "error", "message", "content", "output", "result"];

/// Notes the calls whose error a model call was shown as it came.
pub(in crate::conventions) fn note(draft: &mut Draft<'_>) {
    let step = &mut draft.step;
    if step.facts.kind != Kind::Think {
        return;
    }
    let last = step.context.iter().rev().take(MESSAGES_MAX);
    let messages = last.filter_map(|body| step.bodies.get(*body));
    let ended = messages.take_while(|message| message.role != "assistant" && message.role != "model");
    let mut told: Vec<String> = Vec::new();
    for message in ended.filter(|message| message.body.len() <= BYTES_MAX) {
        collect(&message.body, DEPTH_MAX, &mut told);
    }
    told.sort();
    told.dedup();
    step.facts.errors_shown = told;
}

fn collect(text: &str, depth: usize, told: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(elements) = json::array(text) {
        elements.iter().for_each(|element| collect(element, depth, told));
        return;
    }
    let Some(object) = Object::parse(text) else { return };
    if let Some(call_id) = call_id(&object) {
        let answer = object.first(ANSWERS).and_then(|answer| words(answer, DEPTH_MAX));
        told.extend(answer.filter(|answer| is_raw(answer)).map(|_| call_id));
        return;
    }
    for inner in WRAPPERS.iter().filter_map(|wrapper| object.get(wrapper)) {
        collect(inner, depth, told);
    }
}

/// The call that an object answers: under a name of its own, or as the `id` of a part that is an answer.
fn call_id(object: &Object<'_>) -> Option<String> {
    let named = object.first_text(CALL_IDS);
    let is_answer = object.text("type").is_some_and(|kind| kind == "tool_call_response");
    let answers = is_answer || object.get("response").is_some();
    named.or_else(|| object.text("id").filter(|_| answers))
}

/// The words of an answer: a text, the first of several, or what an object says went wrong.
fn words(answer: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    if let Some(text) = json::string(answer) {
        // Encoded twice, as in `"{\"error\":\"timed out\"}"`: what it says counts.
        let inner = words(&text, depth);
        return inner.or_else(|| Some(Cow::into_owned(text)));
    }
    if let Some(elements) = json::array(answer) {
        return elements.iter().find_map(|element| words(element, depth));
    }
    let object = Object::parse(answer)?;
    if ["status", "outcome", "state"].iter().any(|key| object.get(key).is_some()) {
        return None;
    }
    if object.get("error").is_some() {
        let said = object.get("error").and_then(|error| words(error, depth)).unwrap_or_default();
        return Some(format!("error: {said}"));
    }
    TEXTS.iter().find_map(|key| object.get(key)).and_then(|inner| words(inner, depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str) -> Vec<String> {
        let mut told = Vec::new();
        collect(message, DEPTH_MAX, &mut told);
        told
    }

    #[test]
    fn raw_errors_are_heard_in_every_spelling() {
        for message in [
            r#"{"role":"tool","tool_call_id":"c1","content":"Error: timed out after 30 s"}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"{\"error\":\"timed out\"}"}"#,
            r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"Error: timed out"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Error: x"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"Traceback (most"}]}]}"#,
            r#"{"type":"function_call_output","call_id":"c1","output":"Exception: read timeout"}"#,
            r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","output":{"type":"error-text","value":"Error: x"}}]}"#,
            r#"{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"refund","response":{"error":"timed out"}}}]}"#,
            r#"{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"error: timed out"}]}}]}"#,
        ] {
            assert_eq!(told(message), ["c1"], "{message}");
        }
    }

    #[test]
    fn a_status_or_another_answer_is_no_raw_error() {
        for message in [
            r#"{"role":"tool","tool_call_id":"c1","content":"{\"status\":\"unknown\",\"error\":\"timeout\"}"}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"Outcome unknown: a look-up is pending."}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"re_9013"}"#,
            r#"{"role":"user","content":"Error: I typed this"}"#,
            r#"{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"r","response":{"result":"ok"}}}]}"#,
            "Error: no message at all",
            r#"{"role":"tool","tool_call_id":"c1"}"#,
        ] {
            assert_eq!(told(message), [""; 0], "{message}");
        }
    }
}
