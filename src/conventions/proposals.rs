//! Finds the tool calls that a model's message proposes, in every provider's spelling.
use crate::conventions::json::{self, Object};

/// How many levels of wrapping are opened.
const DEPTH_MAX: usize = 6;
/// Lists that hold parts or calls.
const LISTS: &[&str] = &["parts", "content", "tool_calls", "toolCalls", "contents", "output", "items"];
/// Objects around a message.
const WRAPPERS: &[&str] = &["message", "kwargs", "data", "choice"];
/// Types of parts that are a call for us to run; a call that the provider ran itself is none.
const CALL_TYPES: &[&str] =
    &["tool_call", "function_call", "tool_use", "tool-call", "function", "custom_tool_call"];

/// A proposed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::conventions) struct Call {
    /// Its id.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments exactly as received: the text of a string, or JSON as written; `None` when left out.
    pub arguments: Option<String>,
}

impl Call {
    /// Whether the arguments were received to their end.
    pub(in crate::conventions) fn is_complete(&self) -> bool {
        self.arguments.as_deref().is_none_or(|text| text.trim().is_empty() || json::is_whole(text))
    }
}

/// The calls in one message's JSON, in order.
pub(in crate::conventions) fn of_message(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    // Every spelling names its call with one of these words; most messages have none.
    if ["tool", "function", "Tool"].iter().any(|word| text.contains(word)) {
        collect(text, DEPTH_MAX, &mut calls);
    }
    calls
}

fn collect(text: &str, depth: usize, calls: &mut Vec<Call>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(elements) = json::array(text) {
        elements.iter().for_each(|element| collect(element, depth, calls));
        return;
    }
    let Some(object) = Object::parse(text) else { return };
    if object.text("role").is_some_and(|role| matches!(role.as_str(), "tool" | "user" | "system")) {
        return;
    }
    if let Some(call) = call_of(&object) {
        calls.push(call);
        return;
    }
    if let Some(call) = object.get("function_call").and_then(named_call) {
        calls.push(call);
    }
    let before = calls.len();
    for list in LISTS {
        if let Some(list) = object.get(list) {
            let inner = json::string(list);
            collect(inner.as_deref().unwrap_or(list), depth, calls);
        }
        // Anthropic and LangChain repeat their content parts as `tool_calls`: one list is enough.
        if calls.len() > before {
            return;
        }
    }
    for wrapper in WRAPPERS {
        if let Some(inner) = object.get(wrapper) {
            let text = json::string(inner);
            collect(text.as_deref().unwrap_or(inner), depth, calls);
        }
        if calls.len() > before {
            return;
        }
    }
    if let Some(additional) = object.get("additional_kwargs") {
        collect(additional, depth, calls);
    }
}

fn call_of(object: &Object<'_>) -> Option<Call> {
    let nested = ["toolUse", "functionCall"].iter().find_map(|key| object.get(key));
    if let Some(nested) = nested.or_else(|| object.get("function").filter(|_| object.get("name").is_none())) {
        let mut call = named_call(nested)?;
        call.id = call.id.or_else(|| object.first_text(&["id", "call_id"]));
        return Some(call);
    }
    let kind = object.text("type");
    let is_call = match kind.as_deref() {
        Some(kind) => CALL_TYPES.contains(&kind),
        // LangChain without types, Vercel AI's list of calls.
        None => object.get("args").is_some() || object.get("toolCallId").is_some() || flat(object),
    };
    if is_call { named(object) } else { None }
}

/// A call without type or wrapper: a name beside arguments.
fn flat(object: &Object<'_>) -> bool {
    object.get("arguments").is_some() && object.get("name").is_some() && object.get("role").is_none()
}

fn named_call(text: &str) -> Option<Call> {
    named(&Object::parse(text)?)
}

fn named(object: &Object<'_>) -> Option<Call> {
    let tool = object.first_text(&["name", "toolName", "tool_name"])?;
    let id = object.first_text(&["call_id", "id", "toolCallId", "toolUseId", "tool_call_id"]);
    let arguments = object.first(&["arguments", "args", "input"]);
    let arguments =
        arguments.map(|raw| json::string(raw).map_or_else(|| raw.to_owned(), std::borrow::Cow::into_owned));
    Some(Call { id, tool, arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_understood() {
        let table = [
            (
                "semconv",
                r#"{"role":"assistant","parts":[{"type":"text","content":"x"},{"type":"tool_call","id":"c1","name":"refund","arguments":{"n":1}}]}"#,
            ),
            (
                "openai chat",
                r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"refund","arguments":"{\"n\":1}"}}]}"#,
            ),
            (
                "openai choice",
                r#"{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"refund","arguments":"{\"n\":1}"}}]}}"#,
            ),
            (
                "responses",
                r#"{"type":"function_call","call_id":"c1","id":"fc_9","name":"refund","arguments":"{\"n\":1}"}"#,
            ),
            (
                "anthropic",
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"refund","input":{"n":1}}]}"#,
            ),
            (
                "bedrock",
                r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"refund","input":{"n":1}}}]}"#,
            ),
            (
                "langchain",
                r#"{"type":"ai","data":{"content":"","tool_calls":[{"name":"refund","args":{"n":1},"id":"c1","type":"tool_call"}]}}"#,
            ),
            (
                "langchain lc",
                r#"{"lc":1,"type":"constructor","kwargs":{"content":"","tool_calls":[{"name":"refund","args":{"n":1},"id":"c1","type":"tool_call"}]}}"#,
            ),
            ("vercel", r#"[{"toolCallId":"c1","toolName":"refund","input":"{\"n\":1}"}]"#),
            (
                "vercel part",
                r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"refund","input":{"n":1}}]}"#,
            ),
            (
                "gemini",
                r#"{"role":"model","parts":[{"functionCall":{"id":"c1","name":"refund","args":{"n":1}}}]}"#,
            ),
            (
                "flattened",
                r#"{"role":"assistant","tool_calls":[{"id":"c1","name":"refund","arguments":"{\"n\":1}"}]}"#,
            ),
        ];
        for (name, text) in table {
            let calls = of_message(text);
            let expected = Call {
                id: Some("c1".to_owned()),
                tool: "refund".to_owned(),
                arguments: Some("{\"n\":1}".to_owned()),
            };
            assert_eq!(calls, [expected], "{name}");
        }
    }

    #[test]
    fn other_parts_are_no_calls() {
        for text in [
            r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"x"}]}"#,
            r#"{"role":"assistant","parts":[{"type":"server_tool_call","id":"c1","name":"web_search"}]}"#,
            r#"{"role":"user","content":"use the tool"}"#,
            r#"{"role":"assistant","content":"function calls are fun"}"#,
        ] {
            assert_eq!(of_message(text), [], "{text}");
        }
    }

    #[test]
    fn b29_cut_arguments_are_kept_and_told() {
        let text = r#"{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"delete_records","arguments":"{\"target\":\"acct-42\",\"dry_ru"}]}"#;
        let calls = of_message(text);
        assert_eq!(calls[0].arguments.as_deref(), Some("{\"target\":\"acct-42\",\"dry_ru"));
        assert!(!calls[0].is_complete());
    }
}
