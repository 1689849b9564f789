//! The shapes in which messages, system instructions and tool definitions are sent: each becomes one body.
use std::borrow::Cow;
use std::ops::Range;

use crate::conventions::assemble::{Assembly, Node};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::Side;
use crate::conventions::frame;
use crate::conventions::json;
use crate::conventions::proposals;
use crate::domain::content::ContentKind;
use crate::domain::finding::Code;
use crate::domain::step::Proposal;
use crate::domain::value::{Piece, Value};

/// Fields that hold a list of messages inside a larger JSON text.
const LISTS: &[&str] = &["messages", "contents", "choices", "candidates", "generations", "choice"];
/// How many lists inside lists are opened (LangChain batches).
const NESTING_MAX: usize = 4;
/// How many objects around a message are opened to find its role.
const WRAPPERS_MAX: usize = 8;

/// Where bodies go: to which side, and whether the side takes them.
#[derive(Debug, Clone, Copy)]
pub(in crate::conventions) struct To {
    side: Side,
    attach: bool,
}

impl To {
    /// The side takes them if it has nothing yet.
    pub(in crate::conventions) fn free(draft: &Draft<'_>, side: Side) -> Self {
        Self { side, attach: !draft.has(side) }
    }
}

/// Reads all messages of a value: text of a JSON list, one message, plain text, or a structured list.
/// They are given to the side unless it has some already; the value becomes a frame either way.
pub(in crate::conventions) fn read(draft: &mut Draft<'_>, place: Place, side: Side) -> Option<()> {
    let to = To::free(draft, side);
    match draft.value(place)? {
        Value::String(text) => read_text(draft, place, to, text),
        Value::Array(values) => {
            let mut rest = Vec::with_capacity(values.len());
            for value in values {
                rest.push(structured(draft, value, to));
            }
            draft.move_out(place, Value::Array(rest));
        }
        value @ Value::Map(_) => {
            let rest = structured(draft, value, to);
            draft.move_out(place, rest);
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::Bytes(_)
        | Value::Framed(_) => return None,
    }
    Some(())
}

fn read_text(draft: &mut Draft<'_>, place: Place, to: To, text: &str) {
    let side = to.side;
    if text.trim().is_empty() {
        return;
    }
    if let Some(inner) = json::string(text).filter(|inner| json::is_structure(inner)) {
        // Encoded twice: the messages are read, and the text as sent stays whole.
        for range in split(&inner, side).unwrap_or_default() {
            add(draft, to, inner.get(range).unwrap_or_default());
        }
        return;
    }
    if let Some(ranges) = split(text, side) {
        let mut parts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let body = add(draft, to, text.get(range.clone()).unwrap_or_default());
            parts.push((range, body));
        }
        draft.move_out(place, frame::around(text, &parts));
        return;
    }
    let looks_cut = text.trim_start().starts_with(['{', '[']);
    let role = if side == Side::Input && !looks_cut { "user" } else { frame::role_of(side) };
    let body = draft.body(frame::kind_of(side), role, text, false);
    draft.move_out(place, Value::Framed(vec![Piece::Body(body)]));
    if to.attach {
        draft.attach(side, body);
    }
    if looks_cut {
        let called = draft.called(place);
        draft.finding(Code::Unreadable, format!("{called} is not complete JSON; it is shown as received"));
    }
}

/// Where the messages are in a JSON text; `None` when it is no whole JSON list or object.
fn split(text: &str, side: Side) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    if let Some(elements) = json::array(text) {
        flatten(text, &elements, NESTING_MAX, &mut found);
        return Some(found);
    }
    let object = json::Object::parse(text)?;
    if side != Side::System && object.get("role").is_none() {
        for list in LISTS {
            if let Some(elements) = object.get(list).and_then(json::array) {
                flatten(text, &elements, NESTING_MAX, &mut found);
                return Some(found);
            }
        }
    }
    let part = text.trim();
    found.push(json::range_in(text, part));
    Some(found)
}

fn flatten(whole: &str, elements: &[&str], depth: usize, found: &mut Vec<Range<usize>>) {
    for element in elements {
        let inner = if depth > 0 && element.starts_with('[') { json::array(element) } else { None };
        match inner {
            // A pair such as ["system","You are …"] is one message of LangChain's short form.
            Some(inner) if !inner.iter().all(|part| part.starts_with('"')) => {
                flatten(whole, &inner, depth - 1, found);
            }
            Some(_) | None => found.push(json::range_in(whole, element)),
        }
    }
}

fn structured(draft: &mut Draft<'_>, value: &Value, to: To) -> Value {
    // A list of JSON texts (Vercel AI's tools): each text is one message as written.
    if let Value::String(text) = value
        && json::is_structure(text)
    {
        let body = add(draft, to, text);
        return Value::Framed(vec![Piece::Body(body)]);
    }
    let body = add(draft, to, &json::of_value(value));
    frame::inside(value, body, "")
}

/// Adds one message's text as a body.
pub(in crate::conventions) fn add(draft: &mut Draft<'_>, to: To, text: &str) -> usize {
    let role = match to.side {
        Side::Input | Side::Output => role(text),
        Side::System | Side::ToolDefinitions | Side::Arguments | Side::Result => None,
    };
    add_as(draft, to, text, role.as_deref().unwrap_or(frame::role_of(to.side)))
}

fn add_as(draft: &mut Draft<'_>, to: To, text: &str, role: &str) -> usize {
    let body = draft.body(frame::kind_of(to.side), role, text, true);
    if to.attach {
        draft.attach(to.side, body);
        if to.side == Side::Output {
            propose(draft, text);
        }
    }
    body
}

/// Reads a value that is one message, or the content of one whose role was said elsewhere.
pub(in crate::conventions) fn read_one(draft: &mut Draft<'_>, place: Place, to: To, role: &'static str) {
    match draft.value(place) {
        Some(Value::String(text)) => {
            let object = json::Object::parse(text);
            let inner = object
                .as_ref()
                .and_then(|object| object.get("message"))
                .filter(|inner| inner.starts_with('{'));
            let whole =
                object.as_ref().filter(|object| object.first(&["role", "content", "tool_calls"]).is_some());
            if let Some(message) = inner.or(whole.map(|_| text.trim())) {
                let body = add_as(draft, to, message, role);
                let rest = frame::around(text, &[(json::range_in(text, message), body)]);
                draft.move_out(place, rest);
            } else if let Some(value) = draft.value(place) {
                let mut node = Node::default();
                node.set("role", Node::Said(role));
                node.set("content", Node::Leaf(value, place));
                add_assembled(draft, to, &node);
            }
        }
        Some(map @ Value::Map(entries)) => {
            let message = map.get("message").filter(|inner| matches!(inner, Value::Map(_)));
            let text = json::of_value(message.unwrap_or(map));
            let has_role = message.unwrap_or(map).get("role").is_some();
            let text = if has_role { text } else { with_role(&text, role) };
            let body = add_as(draft, to, &text, role);
            let rest = match message {
                None => frame::inside(map, body, ""),
                Some(_) => Value::Map(
                    entries
                        .iter()
                        .map(|(key, value)| {
                            let rest =
                                if key == "message" { frame::inside(value, body, "") } else { value.clone() };
                            (key.clone(), rest)
                        })
                        .collect(),
                ),
            };
            draft.move_out(place, rest);
        }
        Some(
            Value::Empty
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Double(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::Framed(_),
        )
        | None => {}
    }
}

fn with_role(object: &str, role: &str) -> String {
    let rest = object.strip_prefix('{').unwrap_or(object);
    let comma = if rest == "}" { "" } else { "," };
    format!("{{\"role\":{}{comma}{rest}", json::quote(role))
}

/// Notes the calls that a message proposes; their arguments become bodies of their own.
pub(in crate::conventions) fn propose(draft: &mut Draft<'_>, message: &str) {
    for call in proposals::of_message(message) {
        let complete = call.is_complete();
        if !complete {
            let tool = &call.tool;
            draft.finding(
                Code::ProposalIncomplete,
                format!(
                    "the proposed arguments of `{tool}` are not complete JSON; they are shown as received"
                ),
            );
        }
        let arguments = call.arguments.map(|text| {
            let is_json = json::is_whole(&text);
            draft.body(ContentKind::Arguments, "", text, is_json)
        });
        draft.step.proposed.push(Proposal { call_id: call.id, tool: call.tool, arguments, complete });
    }
}

/// Adds one message that was put together from parts that were sent apart.
pub(in crate::conventions) fn add_assembled(draft: &mut Draft<'_>, to: To, node: &Node<'_>) {
    let assembly = Assembly::of(node.unwrapped());
    let body = add(draft, to, &assembly.json);
    assembly.settle(draft, body);
}

/// Reads the list under a field of a JSON object, such as the tools among request parameters.
pub(in crate::conventions) fn read_list(
    draft: &mut Draft<'_>,
    place: Place,
    field: &str,
    side: Side,
) -> Option<()> {
    let to = To::free(draft, side);
    let text = draft.value(place)?.as_str()?;
    let elements = json::array(json::Object::parse(text)?.get(field)?)?;
    let parts: Vec<_> = elements
        .into_iter()
        .map(|element| (json::range_in(text, element), add(draft, to, element)))
        .collect();
    draft.move_out(place, frame::around(text, &parts));
    Some(())
}

/// Reads flattened keys (`<prefix><number>.…`): each number is one message.
pub(in crate::conventions) fn read_flattened(draft: &mut Draft<'_>, prefix: &str, side: Side) {
    let to = To::free(draft, side);
    let mut list = Node::default();
    for (path, place) in draft.with_prefix(prefix) {
        if let Some(value) = draft.value(place).filter(|_| path.starts_with(|c: char| c.is_ascii_digit())) {
            list.put(path, value, place);
        }
    }
    let Node::List(messages) = list else { return };
    for message in messages.values() {
        add_assembled(draft, to, message);
    }
}

/// The role in a message's JSON, in every provider's spelling.
fn role(text: &str) -> Option<Cow<'_, str>> {
    role_within(text, WRAPPERS_MAX)
}

fn role_within(text: &str, wrappers: usize) -> Option<Cow<'_, str>> {
    if let Some(first) = first_field(text, "role") {
        return Some(first);
    }
    if let Some(pair) = json::array(text) {
        return pair.first().and_then(|role| json::string(role));
    }
    let object = json::Object::parse(text)?;
    if let Some(role) = object.text("role") {
        return Some(Cow::Owned(role));
    }
    for wrapper in ["message", "kwargs", "data"] {
        if let Some(inner) = object.get(wrapper).filter(|inner| wrappers > 0 && inner.starts_with('{'))
            && let Some(role) = role_within(inner, wrappers - 1)
        {
            return Some(Cow::Owned(role.into_owned()));
        }
    }
    match object.text("type")?.as_str() {
        "human" => Some(Cow::Borrowed("user")),
        "ai" | "AIMessageChunk" | "function_call" | "reasoning" => Some(Cow::Borrowed("assistant")),
        "tool" | "function_call_output" => Some(Cow::Borrowed("tool")),
        "system" => Some(Cow::Borrowed("system")),
        _ => None,
    }
}

/// The text of an object's field when it is the first one: nearly every message begins with its role.
fn first_field<'a>(text: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let rest = rest.strip_prefix(name)?.strip_prefix('"')?.trim_start().strip_prefix(':')?.trim_start();
    let (value, _) = rest.strip_prefix('"')?.split_once('"')?;
    (!value.contains('\\')).then_some(Cow::Borrowed(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_found_in_every_spelling() {
        let table = [
            (r#"{"role":"user","content":"x"}"#, Some("user")),
            (r#"{ "content" : "x", "role" : "tool" }"#, Some("tool")),
            (r#"["system","You are"]"#, Some("system")),
            (r#"{"type":"human","data":{"content":"x"}}"#, Some("user")),
            (
                r#"{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"type":"human"}}"#,
                Some("user"),
            ),
            (r#"{"type":"function_call_output","call_id":"c"}"#, Some("tool")),
            (r#"{"text":"x"}"#, None),
        ];
        for (text, expected) in table {
            assert_eq!(role(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn wrappers_without_end_have_no_role() {
        for wrapper in ["message", "kwargs", "data"] {
            let around = |count: usize, inner: &str| {
                format!("{}{inner}{}", format!("{{\"{wrapper}\":").repeat(count), "}".repeat(count))
            };
            assert_eq!(role(&around(3, r#"{"x":1,"role":"tool"}"#)).as_deref(), Some("tool"));
            assert_eq!(role(&around(100_000, r#"{"x":1,"role":"tool"}"#)), None);
        }
    }

    #[test]
    fn lists_are_found_and_short_forms_stay_whole() {
        let text = r#"{"messages":[["system","You are"],["user","Refund"]]}"#;
        let cuts: Vec<&str> =
            split(text, Side::Input).unwrap().into_iter().map(|range| &text[range]).collect();
        assert_eq!(cuts, [r#"["system","You are"]"#, r#"["user","Refund"]"#]);
        let text = r#"{"messages":[[{"role":"user"},{"role":"tool"}]]}"#;
        assert_eq!(split(text, Side::Input).unwrap().len(), 2);
        assert_eq!(split("[{\"role\":\"us", Side::Input), None);
    }
}
