//! LangSmith's OpenTelemetry exporter: whole runs as JSON blobs, metadata as attributes.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Field, Read, Side, Text, code, count, parameter, read, text};
use crate::conventions::fill;
use crate::conventions::frame;
use crate::conventions::identity;
use crate::conventions::json::{self, Object};
use crate::conventions::messages;
use crate::conventions::results;
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "langsmith",
        title: "LangSmith",
        about: "A tool that raised is exported with status OK and an exception event whose type is \
                always `Exception`; the event is read as the failure.",
        reads: READS,
    },
    scopes: &["langsmith"],
    events: &[],
    code: read_span,
};

const KIND: &str = "langsmith.span.kind";
const PROMPT: &str = "gen_ai.prompt";
const COMPLETION: &str = "gen_ai.completion";
const USAGE: &str = "langsmith.metadata.usage_metadata";

const READS: &[Read] = &[
    code(KIND, "kind of span: llm, tool, chain, retriever, embedding, prompt, parser"),
    code("langsmith.metadata.*", "session_id, thread_id, user_id, account_id and LangGraph's keys"),
    parameter("langsmith.metadata.ls_temperature", "temperature"),
    parameter("langsmith.metadata.ls_max_tokens", "max_tokens"),
    parameter("langsmith.metadata.ls_stop", "stop_sequences"),
    text("langsmith.metadata.ls_model_name", Text::ModelRequested),
    text("langsmith.metadata.ls_provider", Text::Provider),
    code(USAGE, "cached and reasoning tokens in its JSON"),
    count("langsmith.usage_metadata.input_tokens", Count::TokensIn),
    count("langsmith.usage_metadata.output_tokens", Count::TokensOut),
    read("langsmith.usage_metadata.total_cost", Field::Cost),
    code(PROMPT, "messages of a model call; arguments of a tool").no_sign(),
    code(COMPLETION, "answer of a model call; result of a tool").no_sign(),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    for (name, place) in draft.with_prefix("langsmith.metadata.") {
        if let Some(value) = draft.value(place).and_then(fill::text) {
            identity::entry(draft, name, &value);
        }
    }
    read_usage(draft);
    let work = match draft.text(KIND)? {
        "llm" => Work::Kind(Kind::Think),
        "tool" => Work::Tool,
        "retriever" | "embedding" => Work::Kind(Kind::Read),
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::LangSmith, work);
    draft.error.failed |= draft.source.events.iter().any(|event| event.name == "exception");
    match work {
        Work::Tool => read_call(draft),
        Work::Kind(Kind::Think) => read_model_call(draft),
        Work::Kind(_) => Some(()),
    }
}

fn read_usage(draft: &mut Draft<'_>) -> Option<()> {
    let usage = Object::parse(draft.text(USAGE)?)?;
    let number = |object: Option<Object<'_>>, key: &str| object?.text(key)?.parse::<u64>().ok();
    let read = number(usage.object("input_token_details"), "cache_read");
    let written = number(usage.object("input_token_details"), "cache_creation");
    let reasoning = number(usage.object("output_token_details"), "reasoning");
    let tokens = &mut draft.facts().tokens;
    tokens.cache_read = tokens.cache_read.or(read);
    tokens.cache_write = tokens.cache_write.or(written);
    tokens.reasoning = tokens.reasoning.or(reasoning);
    Some(())
}

fn read_model_call(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(place) = draft.place(PROMPT) {
        messages::read(draft, place, Side::Input);
    }
    let place = draft.place(COMPLETION)?;
    let text = draft.value(place)?.as_str()?;
    if text.trim() == "{}" {
        return None;
    }
    messages::read(draft, place, Side::Output);
    let generation = json::array(json::array(Object::parse(text)?.get("generations")?)?.first()?)?;
    let generation = Object::parse(generation.first()?)?;
    let reason = generation.object("generation_info").and_then(|info| info.text("finish_reason"));
    let message = generation.object("message").and_then(|message| message.object("kwargs"));
    let model = message.and_then(|message| message.object("response_metadata")?.text("model_name"));
    let facts = draft.facts();
    if facts.finish_reasons.is_empty() {
        facts.finish_reasons.extend(reason);
    }
    facts.model = facts.model.take().or(model);
    Some(())
}

fn read_call(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(place) = draft.place(PROMPT) {
        frame::whole(draft, place, Side::Arguments);
    }
    // A tool that raised has an empty object where its result would be.
    let place = draft.place(COMPLETION)?;
    if draft.error.failed && draft.text(COMPLETION) == Some("{}") {
        return None;
    }
    results::read(draft, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{body, event, read, span};
    use crate::otlp::WireSpan;

    #[test]
    fn a_tool_that_raised_has_status_ok() {
        let list = vec![
            ("langsmith.span.kind", "tool".into()),
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.name", "lookup_order".into()),
            ("gen_ai.prompt", "{\"order_id\":\"4812\"}".into()),
            ("gen_ai.completion", "{}".into()),
            ("langsmith.metadata.langgraph_checkpoint_ns", "tools:1".into()),
        ];
        let raised = event(
            "exception",
            vec![("exception.type", "Exception".into()), ("exception.message", "timed out".into())],
        );
        let step = read(&WireSpan { events: vec![raised], ..span("lookup_order", list) });
        assert_eq!(step.facts.error.as_ref().unwrap().message, "timed out");
        assert_eq!((step.result, step.facts.kind), (None, Kind::Read));
        assert_eq!(step.facts.link_keys, ["langgraph=tools:1"]);
    }

    #[test]
    fn model_calls_are_blobs() {
        let completion = r#"{"generations":[[{"text":"","generation_info":{"finish_reason":"tool_calls"},"message":{"lc":1,"kwargs":{"content":"","type":"ai","response_metadata":{"model_name":"m-1"},"tool_calls":[{"name":"refund","args":{"n":1},"id":"c1","type":"tool_call"}]}}}]]}"#;
        let prompt = r#"{"messages":[[{"lc":1,"kwargs":{"content":"hi","type":"human"}}]]}"#;
        let step = read(&span(
            "ChatOpenAI",
            vec![
                ("langsmith.span.kind", "llm".into()),
                ("gen_ai.prompt", prompt.into()),
                ("gen_ai.completion", completion.into()),
            ],
        ));
        assert_eq!((step.context.len(), step.bodies[step.context[0]].role.as_str()), (1, "user"));
        assert_eq!(body(&step, step.proposed[0].arguments), Some("{\"n\":1}"));
        assert_eq!(
            (step.facts.model.as_deref(), step.facts.finish_reasons.as_slice()),
            (Some("m-1"), &["tool_calls".to_owned()][..])
        );
    }
}
