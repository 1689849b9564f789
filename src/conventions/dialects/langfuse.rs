//! The Langfuse SDK: observations whose values are JSON-encoded.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Field, Read, Side, Text, code, read, text};
use crate::conventions::fill;
use crate::conventions::frame;
use crate::conventions::identity;
use crate::conventions::json::{self, Object};
use crate::conventions::messages;
use crate::conventions::results;
use crate::domain::content::ContentKind;
use crate::domain::kind::Kind;
use crate::domain::step::Tokens;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "langfuse",
        title: "Langfuse SDK",
        about: "Version 5. Its LangChain handler takes cached tokens out of the input count, and \
                sends the tools on offer as messages of the role `tool`; they are read as \
                definitions.",
        reads: READS,
    },
    scopes: &["langfuse-sdk"],
    events: &[],
    code: read_span,
};

const KIND: &str = "langfuse.observation.type";
const INPUT: &str = "langfuse.observation.input";
const OUTPUT: &str = "langfuse.observation.output";
const USAGE: &str = "langfuse.observation.usage_details";
const COST: &str = "langfuse.observation.cost_details";
const LEVEL: &str = "langfuse.observation.level";
const CALL_ID: &str = "langfuse.observation.metadata.tool_call_id";

const READS: &[Read] = &[
    code(KIND, "kind of span: generation, tool, retriever, embedding, agent, chain, span, event"),
    text("langfuse.session.id", Text::Session),
    text("langfuse.user.id", Text::User),
    code("langfuse.observation.metadata.*", "session, user, account and LangGraph's keys"),
    code("langfuse.trace.metadata.*", "session, user and account"),
    text("langfuse.environment", Text::Environment),
    text("langfuse.release", Text::AgentVersion),
    text("langfuse.observation.model.name", Text::Model),
    read("langfuse.observation.model.parameters", Field::Parameters),
    code(USAGE, "token counts in its JSON"),
    code(COST, "total cost in its JSON"),
    code(LEVEL, "ERROR means that it failed"),
    read("langfuse.observation.status_message", Field::ErrorMessage),
    code(CALL_ID, "tool call id"),
    code(INPUT, "messages of a generation; arguments of a tool"),
    code(OUTPUT, "answer of a generation; result of a tool"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    for prefix in ["langfuse.observation.metadata.", "langfuse.trace.metadata."] {
        for (name, place) in draft.with_prefix(prefix) {
            if let Some(value) = draft.value(place).and_then(fill::text) {
                identity::entry(draft, name, &value);
            }
        }
    }
    draft.error.failed |= draft.text(LEVEL) == Some("ERROR");
    let work = match draft.text(KIND)? {
        "generation" => Work::Kind(Kind::Think),
        "tool" => Work::Tool,
        "retriever" | "embedding" => Work::Kind(Kind::Read),
        "agent" => Work::Kind(Kind::Agent),
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::Langfuse, work);
    if work == Work::Kind(Kind::Agent) && draft.step.facts.agent.is_none() {
        draft.facts().agent = Some(draft.source.name.to_owned()).filter(|name| !name.is_empty());
    }
    match work {
        Work::Tool => read_call(draft),
        Work::Kind(Kind::Think) => read_generation(draft),
        Work::Kind(_) => Some(()),
    }
}

fn read_generation(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(place) = draft.place(INPUT) {
        messages::read(draft, place, Side::Input);
        sort_definitions(draft);
    }
    if let Some(place) = draft.place(OUTPUT) {
        messages::read(draft, place, Side::Output);
    }
    read_usage(draft);
    let total = Object::parse(draft.text(COST)?)?.text("total")?.parse().ok();
    let facts = draft.facts();
    facts.cost_usd = facts.cost_usd.or(total);
    Some(())
}

/// The tools on offer stand among the messages.
fn sort_definitions(draft: &mut Draft<'_>) {
    let bodies = &mut draft.step.bodies;
    let definitions = &mut draft.definitions;
    draft.input.retain(|at| {
        let Some(content) = bodies.get_mut(*at).filter(|content| content.role == "tool") else { return true };
        let function = Object::parse(&content.body)
            .and_then(|message| message.object("content"))
            .is_some_and(|inner| inner.text("type").as_deref() == Some("function"));
        if function {
            content.kind = ContentKind::ToolDefinition;
            content.role.clear();
            definitions.push(*at);
        }
        !function
    });
}

fn read_usage(draft: &mut Draft<'_>) -> Option<()> {
    let usage = Object::parse(draft.text(USAGE)?)?;
    let count = |keys: &[&str]| usage.first_text(keys)?.parse::<u64>().ok();
    let input = count(&["input", "prompt_tokens", "input_tokens"]);
    let output = count(&["output", "completion_tokens", "output_tokens"]);
    let cached = count(&["input_cache_read", "cache_read_input_tokens", "input_cached_tokens"]);
    let total = count(&["total", "total_tokens"]);
    let told = Tokens {
        input,
        output,
        cache_read: cached,
        cache_write: count(&["input_cache_creation", "cache_creation_input_tokens"]),
        reasoning: count(&["output_reasoning", "output_reasoning_tokens"]),
        // The total says whether the cached tokens stand beside the others.
        cache_apart: cached.is_some_and(|cached| cached > 0)
            && total.is_some_and(|total| total > input.unwrap_or_default() + output.unwrap_or_default()),
    };
    let tokens = &mut draft.facts().tokens;
    if *tokens == Tokens::default() {
        *tokens = told;
    }
    Some(())
}

fn read_call(draft: &mut Draft<'_>) -> Option<()> {
    let call = draft.text(CALL_ID).and_then(json::scalar);
    let name = draft.source.name.to_owned();
    let facts = draft.facts();
    facts.tool_call_id = facts.tool_call_id.take().or(call);
    facts.tool.get_or_insert(name);
    if let Some(place) = draft.place(INPUT) {
        frame::whole(draft, place, Side::Arguments);
    }
    results::read(draft, draft.place(OUTPUT)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{body, read, span};

    #[test]
    fn tools_are_named_by_their_span() {
        let output =
            r#"{"content": "{\"ok\": 1}", "type": "tool", "tool_call_id": "c1", "status": "success"}"#;
        let step = read(&span(
            "lookup_order",
            vec![
                ("langfuse.observation.type", "tool".into()),
                ("langfuse.observation.input", "{\"order_id\": \"4812\"}".into()),
                ("langfuse.observation.output", output.into()),
                ("langfuse.trace.metadata.account_id", "\"acct_42\"".into()),
                ("langfuse.observation.metadata.tool_call_id", "\"c1\"".into()),
            ],
        ));
        let facts = &step.facts;
        assert_eq!(
            (facts.kind, facts.tool.as_deref(), facts.tool_call_id.as_deref()),
            (Kind::Read, Some("lookup_order"), Some("c1"))
        );
        assert_eq!(facts.entities[0].to_string(), "account:acct_42");
        assert_eq!(body(&step, step.result), Some("{\"ok\": 1}"));
    }

    #[test]
    fn cached_tokens_may_stand_apart() {
        let usage = |json: &str| {
            let list = vec![
                ("langfuse.observation.type", "generation".into()),
                ("langfuse.observation.usage_details", json.into()),
            ];
            read(&span("ChatOpenAI", list)).facts.tokens
        };
        let apart = usage(r#"{"input": 235, "output": 21, "total": 320, "input_cache_read": 64}"#);
        assert_eq!((apart.input, apart.cache_read, apart.cache_apart), (Some(235), Some(64), true));
        assert!(!usage(r#"{"input": 235, "output": 21, "total": 256, "input_cache_read": 64}"#).cache_apart);
    }

    #[test]
    fn tools_on_offer_are_no_messages() {
        let input = r#"[{"role": "user", "content": "hi"}, {"role": "tool", "content": {"type": "function", "function": {"name": "a"}}}]"#;
        let list = vec![
            ("langfuse.observation.type", "generation".into()),
            ("langfuse.observation.input", input.into()),
        ];
        let step = read(&span("ChatOpenAI", list));
        let kinds: Vec<ContentKind> = step.context.iter().map(|at| step.bodies[*at].kind).collect();
        assert_eq!(kinds, [ContentKind::ToolDefinition, ContentKind::Message]);
    }
}
