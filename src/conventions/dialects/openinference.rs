//! OpenInference (Arize Phoenix): flattened messages, `input.value` and `output.value`, JSON metadata.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Field, Read, Side, Text, code, count, read, text};
use crate::conventions::frame;
use crate::conventions::identity;
use crate::conventions::messages;
use crate::conventions::results;
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "openinference",
        title: "OpenInference",
        about: "Span kind, flattened messages (their numbers may have gaps), tool and token \
                attributes. Many instrumentations send no tool call id; the call is then found by \
                tool and arguments.",
        reads: READS,
    },
    scopes: &["openinference.*"],
    events: &[],
    code: read_span,
};

const KIND: &str = "openinference.span.kind";
const INPUT: &str = "input.value";
const OUTPUT: &str = "output.value";
const METADATA: &str = "metadata";
const INPUT_MESSAGES: &str = "llm.input_messages.*";
const OUTPUT_MESSAGES: &str = "llm.output_messages.*";
const TOOLS: &str = "llm.tools.*";

const READS: &[Read] = &[
    code(KIND, "kind of span: LLM, TOOL, AGENT, CHAIN, RETRIEVER, EMBEDDING, RERANKER, GUARDRAIL, EVALUATOR"),
    text("llm.response.model_name", Text::Model),
    text("llm.model_name", Text::Model),
    text("embedding.model_name", Text::Model),
    text("llm.request.model_name", Text::ModelRequested),
    text("llm.provider", Text::Provider),
    text("llm.system", Text::Provider),
    read("llm.invocation_parameters", Field::Parameters),
    read("llm.finish_reason", Field::FinishReasons),
    count("llm.token_count.prompt", Count::TokensIn),
    count("llm.token_count.completion", Count::TokensOut),
    count("llm.token_count.prompt_details.cache_read", Count::TokensCacheRead),
    count("llm.token_count.prompt_details.cache_write", Count::TokensCacheWrite),
    count("llm.token_count.completion_details.reasoning", Count::TokensReasoning),
    read("llm.cost.total", Field::Cost),
    text("tool.name", Text::Tool),
    text("tool.id", Text::ToolCallId),
    text("tool_call.id", Text::ToolCallId),
    text("agent.name", Text::Agent),
    text("graph.node.id", Text::Agent),
    code(METADATA, "thread_id, session_id, user_id, account_id and langgraph_checkpoint_ns in its JSON")
        .no_sign(),
    code(INPUT_MESSAGES, "messages that the model saw"),
    code(OUTPUT_MESSAGES, "what the model answered"),
    code(TOOLS, "definitions of the tools on offer"),
    code(INPUT, "arguments of a tool call; messages where none are sent flattened"),
    code(OUTPUT, "result of a tool call; the answer where none is sent flattened"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(work) = draft.text(KIND).and_then(work) {
        draft.claim(KindRule::OpenInference, work);
        // LangGraph's agents are named by their span only.
        let chain = draft.source.scope.name == "openinference.instrumentation.langchain";
        if chain && work == Work::Kind(Kind::Agent) && draft.step.facts.agent.is_none() {
            draft.facts().agent = Some(draft.source.name.to_owned()).filter(|name| !name.is_empty());
        }
    }
    if let Some(metadata) = draft.text(METADATA) {
        identity::object(draft, metadata);
    }
    messages::read_flattened(draft, "llm.tools.", Side::ToolDefinitions);
    messages::read_flattened(draft, "llm.input_messages.", Side::Input);
    messages::read_flattened(draft, "llm.output_messages.", Side::Output);
    let name = draft.source.name;
    let is_call = draft.is_tool() || (draft.claim.is_none() && name.starts_with("execute_tool "));
    if is_call {
        read_call(draft);
    } else if matches!(draft.claim, Some((_, Work::Kind(Kind::Think)))) {
        for (key, side) in [(INPUT, Side::Input), (OUTPUT, Side::Output)] {
            if let Some(place) = draft.place(key).filter(|_| !draft.has(side)) {
                messages::read(draft, place, side);
            }
        }
    }
    Some(())
}

fn work(kind: &str) -> Option<Work> {
    Some(match kind {
        "LLM" => Work::Kind(Kind::Think),
        "TOOL" => Work::Tool,
        "EMBEDDING" | "RETRIEVER" | "RERANKER" => Work::Kind(Kind::Read),
        "AGENT" => Work::Kind(Kind::Agent),
        "CHAIN" | "GUARDRAIL" | "EVALUATOR" | "PROMPT" => Work::Kind(Kind::Other),
        _ => return None,
    })
}

fn read_call(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(place) = draft.place(INPUT) {
        frame::whole(draft, place, Side::Arguments);
    }
    results::read(draft, draft.place(OUTPUT)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, read, span};
    use crate::domain::value::Value;

    #[test]
    fn b27_messages_are_in_number_order() {
        let keys: Vec<(String, Value)> = [3, 11, 0, 10, 2, 1, 9, 4, 8, 5, 7, 6]
            .iter()
            .flat_map(|n| {
                let prefix = format!("llm.input_messages.{n}.message");
                [
                    (format!("{prefix}.content"), format!("m {n}").as_str().into()),
                    (format!("{prefix}.role"), "user".into()),
                ]
            })
            .collect();
        let mut sent = span("chat", vec![("openinference.span.kind", "LLM".into())]);
        sent.attributes.extend(keys);
        let step = read(&sent);
        let texts: Vec<String> = bodies(&step, &step.context).into_iter().map(|(_, text)| text).collect();
        let expected: Vec<String> =
            (0..12).map(|n| format!(r#"{{"content":"m {n}","role":"user"}}"#)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn calls_with_gaps_in_their_numbers() {
        let step = read(&span(
            "generation",
            vec![
                ("openinference.span.kind", "LLM".into()),
                ("llm.output_messages.0.message.role", "assistant".into()),
                ("llm.output_messages.0.message.tool_calls.1.tool_call.id", "c1".into()),
                ("llm.output_messages.0.message.tool_calls.1.tool_call.function.name", "refund".into()),
                (
                    "llm.output_messages.0.message.tool_calls.1.tool_call.function.arguments",
                    "{\"n\": 1}".into(),
                ),
                ("llm.output_messages.0.message.tool_calls.2.tool_call.id", "c2".into()),
                ("llm.output_messages.0.message.tool_calls.2.tool_call.function.name", "mail".into()),
                (
                    "llm.output_messages.0.message.tool_calls.2.tool_call.function.arguments",
                    "{\"n\": ".into(),
                ),
            ],
        ));
        let calls: Vec<_> = step.proposed.iter().map(|call| (call.tool.as_str(), call.complete)).collect();
        assert_eq!(calls, [("refund", true), ("mail", false)]);
        assert_eq!(body(&step, step.proposed[1].arguments), Some("{\"n\": "));
    }

    #[test]
    fn langchain_tools() {
        let output = r#"{"type": "tool", "data": {"content": "{\"ok\": 1}", "tool_call_id": "c9", "status": "success"}}"#;
        let metadata = r#"{"account_id": "acct_42", "user_id": "u_7", "thread_id": "conv-77", "langgraph_checkpoint_ns": "tools:1"}"#;
        let step = read(&span(
            "lookup_order",
            vec![
                ("input.value", "4812".into()),
                ("output.value", output.into()),
                ("tool.name", "lookup_order".into()),
                ("metadata", metadata.into()),
                ("openinference.span.kind", "TOOL".into()),
            ],
        ));
        assert_eq!(body(&step, step.arguments), Some("4812"));
        assert!(!step.bodies[step.arguments.unwrap()].is_json);
        assert_eq!(body(&step, step.result), Some(r#"{"ok": 1}"#));
        let facts = &step.facts;
        assert_eq!((facts.kind, facts.tool_call_id.as_deref()), (Kind::Read, Some("c9")));
        assert_eq!((facts.session_id.as_deref(), facts.user_id.as_deref()), (Some("conv-77"), Some("u_7")));
        assert_eq!(facts.entities[0].to_string(), "account:acct_42");
        assert_eq!(facts.link_keys, ["langgraph=tools:1"]);
    }
}
