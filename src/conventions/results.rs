//! What a tool gave back, taken out of the message that a framework wrapped it into.
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::Side;
use crate::conventions::frame;
use crate::conventions::json::{self, Object};

/// Where LangChain's tool message stands, by what exports it.
const WRAPPERS: &[&str] = &["data", "output", "kwargs"];

/// Reads a tool's result. LangChain's tool message is opened: its content is the result, and its call id and
/// status are heard; the attribute as sent stays whole. Anything else is the result itself.
pub(in crate::conventions) fn read(draft: &mut Draft<'_>, place: Place) -> Option<()> {
    if draft.has(Side::Result) {
        return None;
    }
    let text = draft.value(place).and_then(|value| value.as_str()).unwrap_or_default();
    let wrapped = Object::parse(text).and_then(|outer| {
        let inner = WRAPPERS.iter().find_map(|wrapper| outer.object(wrapper).filter(is_tool_message));
        inner.or_else(|| Some(outer).filter(is_tool_message))
    });
    let Some(message) = wrapped else { return read_plain(draft, place, text) };
    let content = message.get("content")?;
    let content = json::string(content).map_or_else(|| content.to_owned(), std::borrow::Cow::into_owned);
    let is_json = json::is_structure(&content);
    let body = draft.body(frame::kind_of(Side::Result), frame::role_of(Side::Result), content, is_json);
    draft.attach(Side::Result, body);
    let call = message.text("tool_call_id");
    let facts = draft.facts();
    facts.tool_call_id = facts.tool_call_id.take().or(call);
    draft.error.failed |= message.text("status").as_deref() == Some("error");
    Some(())
}

/// Google ADK's wrapper `{"id", "name", "response"}` is opened; anything else is the result itself.
fn read_plain(draft: &mut Draft<'_>, place: Place, text: &str) -> Option<()> {
    let answer = Object::parse(text).and_then(|wrapper| {
        let only = wrapper.entries().all(|(name, _)| matches!(name, "id" | "name" | "response"));
        wrapper.get("response").filter(|_| only && wrapper.get("name").is_some())
    });
    let Some(answer) = answer else { return frame::whole(draft, place, Side::Result).map(drop) };
    let is_json = json::is_structure(answer);
    let body = draft.body(frame::kind_of(Side::Result), frame::role_of(Side::Result), answer, is_json);
    draft.attach(Side::Result, body);
    draft.move_out(place, frame::around(text, &[(json::range_in(text, answer), body)]));
    Some(())
}

fn is_tool_message(message: &Object<'_>) -> bool {
    message.get("content").is_some()
        && (message.get("tool_call_id").is_some() || message.text("type").as_deref() == Some("tool"))
}
