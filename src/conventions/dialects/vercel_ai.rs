//! The Vercel AI SDK: `ai.*` of versions 4 to 6 and of the legacy exporter of 7.
use crate::conventions::assemble::Node;
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{
    Count, Field, Read, Side, Text, code, content, count, parameter, read, text,
};
use crate::conventions::fill;
use crate::conventions::identity;
use crate::conventions::messages::{self, To};
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "vercel_ai",
        title: "Vercel AI SDK",
        about: "`ai.*` of versions 4 to 6; version 7 speaks OpenTelemetry GenAI and no longer \
                exports metadata. Retried model calls are sibling spans in 5 and 6, and can't be \
                seen in 7; errors have no type.",
        reads: READS,
    },
    scopes: &["ai"],
    events: &["ai.*"],
    code: read_span,
};

const OPERATION: &str = "ai.operationId";
const NAME: &str = "operation.name";
const ANSWER: &str = "ai.response.text";
const CALLS: &str = "ai.response.toolCalls";
const OBJECT: &str = "ai.response.object";
const REASONING: &str = "ai.response.reasoning";

const READS: &[Read] = &[
    code(OPERATION, "kind of span: *.doGenerate, *.doStream, ai.toolCall, ai.embed*"),
    code(NAME, "as above, up to its first space").no_sign(),
    code("ai.telemetry.metadata.*", "sessionId, userId and account_id"),
    text("ai.telemetry.functionId", Text::Agent),
    text("ai.response.model", Text::Model),
    text("ai.model.id", Text::ModelRequested),
    text("ai.model.provider", Text::Provider),
    parameter("ai.settings.temperature", "temperature"),
    parameter("ai.settings.maxOutputTokens", "max_tokens"),
    parameter("ai.settings.maxTokens", "max_tokens"),
    parameter("ai.settings.topP", "top_p"),
    parameter("ai.settings.topK", "top_k"),
    parameter("ai.settings.seed", "seed"),
    parameter("ai.settings.stopSequences", "stop_sequences"),
    parameter("ai.settings.frequencyPenalty", "frequency_penalty"),
    parameter("ai.settings.presencePenalty", "presence_penalty"),
    parameter("ai.settings.maxRetries", "max_retries"),
    read("ai.response.finishReason", Field::FinishReasons),
    count("ai.usage.inputTokens", Count::TokensIn),
    count("ai.usage.promptTokens", Count::TokensIn),
    count("ai.usage.outputTokens", Count::TokensOut),
    count("ai.usage.completionTokens", Count::TokensOut),
    count("ai.usage.inputTokenDetails.cacheReadTokens", Count::TokensCacheRead),
    count("ai.usage.cachedInputTokens", Count::TokensCacheRead),
    count("ai.usage.inputTokenDetails.cacheWriteTokens", Count::TokensCacheWrite),
    count("ai.usage.outputTokenDetails.reasoningTokens", Count::TokensReasoning),
    count("ai.usage.reasoningTokens", Count::TokensReasoning),
    content("ai.prompt.tools", Side::ToolDefinitions),
    content("ai.prompt.messages", Side::Input),
    code(ANSWER, "text of the answer"),
    code(REASONING, "reasoning of the answer"),
    code(CALLS, "calls that the answer proposes"),
    code(OBJECT, "the answer, where an object was asked for"),
    text("ai.toolCall.name", Text::Tool),
    text("ai.toolCall.id", Text::ToolCallId),
    content("ai.toolCall.args", Side::Arguments),
    content("ai.toolCall.result", Side::Result),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    for (name, place) in draft.with_prefix("ai.telemetry.metadata.") {
        if let Some(value) = draft.value(place).and_then(fill::text) {
            identity::entry(draft, name, &value);
        }
    }
    let named = draft.text(NAME).and_then(|name| name.split(' ').next());
    let operation = draft.text(OPERATION).or(named)?;
    let work = match operation {
        "ai.toolCall" => Work::Tool,
        _ if operation.ends_with(".doGenerate") || operation.ends_with(".doStream") => {
            Work::Kind(Kind::Think)
        }
        _ if operation.starts_with("ai.embed") && operation.ends_with(".doEmbed") => Work::Kind(Kind::Read),
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::VercelAi, work);
    if work == Work::Kind(Kind::Think) {
        read_answer(draft);
    }
    Some(())
}

/// Text and calls of one answer are sent apart.
fn read_answer(draft: &mut Draft<'_>) {
    let to = To::free(draft, Side::Output);
    let mut node = Node::default();
    node.set("role", Node::Said("assistant"));
    let mut found = false;
    for (key, field) in
        [(REASONING, "reasoning"), (ANSWER, "content"), (OBJECT, "content"), (CALLS, "tool_calls")]
    {
        if let Some((place, value)) = draft.place(key).and_then(|place| Some((place, draft.value(place)?))) {
            // An answer of calls alone has an empty text in some versions.
            found |= fill::text(value).is_some();
            node.set(field, Node::Leaf(value, place));
        }
    }
    if found {
        messages::add_assembled(draft, to, &node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, read, span};
    use crate::domain::value::Value;

    #[test]
    fn a_model_call_with_calls() {
        let calls = r#"[{"toolCallId":"c1","toolName":"refund","input":"{\"n\": 1}"}]"#;
        let step = read(&span(
            "ai.generateText.doGenerate",
            vec![
                ("ai.operationId", "ai.generateText.doGenerate".into()),
                ("ai.prompt.messages", r#"[{"role":"user","content":[{"type":"text","text":"hi"}]}]"#.into()),
                ("ai.prompt.tools", Value::Array(vec![r#"{"type":"function","name":"refund"}"#.into()])),
                ("ai.response.text", "Well".into()),
                ("ai.response.toolCalls", calls.into()),
                ("ai.usage.inputTokens", 5.into()),
                ("ai.telemetry.metadata.userId", "u_7".into()),
            ],
        ));
        assert_eq!((step.facts.kind, step.facts.user_id.as_deref()), (Kind::Think, Some("u_7")));
        let answer = format!(r#"{{"role":"assistant","content":"Well","tool_calls":{calls}}}"#);
        assert_eq!(bodies(&step, &step.output), [("assistant".to_owned(), answer)]);
        assert_eq!(body(&step, step.proposed[0].arguments), Some("{\"n\": 1}"));
        assert_eq!(step.context.len(), 2);
        assert_eq!(step.facts.dialect, "vercel_ai");
    }

    #[test]
    fn wrappers_are_plumbing_and_tools_are_calls() {
        let kind = |operation: &str| {
            read(&span("x", vec![("operation.name", operation.into()), ("ai.model.id", "m".into())]))
                .facts
                .kind
        };
        assert_eq!(kind("ai.generateText support_agent"), Kind::Other);
        assert_eq!(kind("ai.streamText.doStream support_agent"), Kind::Think);
        assert_eq!(kind("ai.toolCall support_agent"), Kind::Act);
        assert_eq!(kind("ai.embedMany.doEmbed"), Kind::Read);
    }
}
