//! OpenLLMetry (Traceloop): decorated workflows and tools, and flattened messages in its older versions.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::{Count, Field, Read, Side, Text, code, count, read, text};
use crate::conventions::fill;
use crate::conventions::frame;
use crate::conventions::identity;
use crate::conventions::json::{self, Object};
use crate::conventions::messages;
use crate::domain::kind::Kind;
use crate::domain::value::Value;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "openllmetry",
        title: "OpenLLMetry (Traceloop)",
        about: "Versions 0.4x with flattened `gen_ai.prompt.N` and `gen_ai.completion.N`, and 0.6x \
                with the messages of OpenTelemetry GenAI. Tool spans carry no call id; the call is \
                found by tool and arguments.",
        reads: READS,
    },
    scopes: &["traceloop.*"],
    events: &[],
    code: read_span,
};

const KIND: &str = "traceloop.span.kind";
const NAME: &str = "traceloop.entity.name";
const INPUT: &str = "traceloop.entity.input";
const OUTPUT: &str = "traceloop.entity.output";
const TYPE: &str = "llm.request.type";
const PROPERTIES: &str = "traceloop.association.properties.*";

const READS: &[Read] = &[
    code(KIND, "kind of span: workflow, task, agent or tool"),
    code(TYPE, "a model call: chat or completion"),
    code(NAME, "the tool's name, on spans of tools"),
    text("traceloop.workflow.name", Text::Agent),
    code(PROPERTIES, "session_id, user_id and account_id"),
    count("llm.usage.prompt_tokens", Count::TokensIn),
    count("llm.usage.completion_tokens", Count::TokensOut),
    count("llm.usage.reasoning_tokens", Count::TokensReasoning),
    count("llm.usage.cache_read_input_tokens", Count::TokensCacheRead),
    count("llm.usage.cache_creation_input_tokens", Count::TokensCacheWrite),
    text("llm.request.model", Text::ModelRequested),
    text("llm.response.model", Text::Model),
    read("llm.response.finish_reason", Field::FinishReasons),
    code("llm.request.functions.*", "definitions of the tools on offer"),
    code("gen_ai.prompt.*", "messages that the model saw"),
    code("gen_ai.completion.*", "what the model answered"),
    code(INPUT, "arguments of a tool: the keyword arguments, where there are no others"),
    code(OUTPUT, "result of a tool"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    match draft.text(KIND) {
        Some("tool") => draft.claim(KindRule::OpenLlmetry, Work::Tool),
        Some("workflow" | "task" | "agent") => draft.claim(KindRule::OpenLlmetry, Work::Kind(Kind::Other)),
        Some(_) | None => {}
    }
    match draft.text(TYPE) {
        Some("chat" | "completion") => draft.claim(KindRule::OpenLlmetry, Work::Kind(Kind::Think)),
        Some("embedding" | "rerank") => draft.claim(KindRule::OpenLlmetry, Work::Kind(Kind::Read)),
        Some(_) | None => {}
    }
    for (name, place) in draft.with_prefix("traceloop.association.properties.") {
        if let Some(value) = draft.value(place).and_then(fill::text) {
            identity::entry(draft, name, &value);
        }
    }
    messages::read_flattened(draft, "llm.request.functions.", Side::ToolDefinitions);
    messages::read_flattened(draft, "gen_ai.prompt.", Side::Input);
    for (key, place) in draft.with_prefix("gen_ai.completion.") {
        if key.ends_with(".finish_reason") {
            fill::fill(draft, Field::FinishReasons, place);
        }
    }
    messages::read_flattened(draft, "gen_ai.completion.", Side::Output);
    if draft.is_tool() {
        read_call(draft);
    }
    Some(())
}

fn read_call(draft: &mut Draft<'_>) {
    let name = draft.text(NAME).map(str::to_owned);
    let facts = draft.facts();
    facts.tool = facts.tool.take().or(name);
    if let Some(place) = draft.place(INPUT) {
        read_arguments(draft, place);
    }
    if let Some(place) = draft.place(OUTPUT).filter(|_| !draft.has(Side::Result)) {
        read_result(draft, place);
    }
}

/// `{"args": [], "kwargs": {…}}`: without positional arguments the keywords are the arguments.
fn read_arguments(draft: &mut Draft<'_>, place: Place) {
    let text = draft.value(place).and_then(Value::as_str).unwrap_or_default();
    let keywords = Object::parse(text).and_then(|call| {
        let none = call.get("args").is_none_or(|args| json::array(args).is_some_and(|args| args.is_empty()));
        call.get("kwargs").filter(|_| none)
    });
    match keywords {
        Some(keywords) if !draft.has(Side::Arguments) => {
            let body = draft.body(frame::kind_of(Side::Arguments), "", keywords, true);
            draft.attach(Side::Arguments, body);
            draft.move_out(place, frame::around(text, &[(json::range_in(text, keywords), body)]));
        }
        Some(_) | None => {
            frame::whole(draft, place, Side::Arguments);
        }
    }
}

/// A result that is text is sent as a JSON string.
fn read_result(draft: &mut Draft<'_>, place: Place) {
    let text = draft.value(place).and_then(Value::as_str).and_then(json::string);
    match text {
        Some(text) => {
            let is_json = json::is_structure(&text);
            let role = frame::role_of(Side::Result);
            let body = draft.body(frame::kind_of(Side::Result), role, text, is_json);
            draft.attach(Side::Result, body);
        }
        None => {
            frame::whole(draft, place, Side::Result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, read, span};

    #[test]
    fn tools_of_both_versions() {
        let step = read(&span(
            "lookup_order.tool",
            vec![
                ("traceloop.span.kind", "tool".into()),
                ("traceloop.entity.name", "lookup_order".into()),
                ("traceloop.entity.input", r#"{"args": [], "kwargs": {"order_id": "4812"}}"#.into()),
                ("traceloop.entity.output", r#""{\"ok\": 1}""#.into()),
                ("traceloop.association.properties.session_id", "conv-77".into()),
                ("traceloop.association.properties.account_id", "acct_42".into()),
            ],
        ));
        assert_eq!((step.facts.kind, step.facts.tool.as_deref()), (Kind::Read, Some("lookup_order")));
        assert_eq!(body(&step, step.arguments), Some(r#"{"order_id": "4812"}"#));
        assert_eq!(body(&step, step.result), Some(r#"{"ok": 1}"#));
        assert_eq!(step.facts.session_id.as_deref(), Some("conv-77"));
        let positional = r#"{"args": ["4812"], "kwargs": {}}"#;
        let list =
            vec![("traceloop.span.kind", "tool".into()), ("traceloop.entity.input", positional.into())];
        let step = read(&span("x.tool", list));
        assert_eq!(body(&step, step.arguments), Some(positional));
    }

    #[test]
    fn model_calls_of_old_versions() {
        let step = read(&span(
            "openai.chat",
            vec![
                ("llm.request.type", "chat".into()),
                ("gen_ai.prompt.0.role", "user".into()),
                ("gen_ai.prompt.0.content", "Refund".into()),
                ("gen_ai.completion.0.finish_reason", "tool_calls".into()),
                ("gen_ai.completion.0.role", "assistant".into()),
                ("gen_ai.completion.0.tool_calls.0.id", "c1".into()),
                ("gen_ai.completion.0.tool_calls.0.name", "refund".into()),
                ("gen_ai.completion.0.tool_calls.0.arguments", "{\"n\": 1}".into()),
            ],
        ));
        assert_eq!(step.facts.kind, Kind::Think);
        assert_eq!(
            bodies(&step, &step.context),
            [("user".to_owned(), r#"{"role":"user","content":"Refund"}"#.to_owned())]
        );
        assert_eq!(
            (step.proposed[0].tool.as_str(), step.proposed[0].call_id.as_deref()),
            ("refund", Some("c1"))
        );
        assert_eq!(step.facts.finish_reasons, ["tool_calls"]);
    }
}
