//! The OpenTelemetry conventions for generative AI, current and before 1.37, in all three carriers.
use crate::conventions::assemble::Node;
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::{
    Count, Field, Read, Side, Text, code, content, count, parameter, read, text,
};
use crate::conventions::fill;
use crate::conventions::json::Object;
use crate::conventions::messages::{self, To};
use crate::domain::finding::Code;
use crate::domain::kind::{Carrier, Kind};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::step::Event;
use crate::domain::value::{Value, attribute};

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "gen_ai",
        title: "OpenTelemetry GenAI",
        about: "Attributes, span events and log records, from before 1.37 (`gen_ai.system`, one \
                event per message) to 1.41. It has no attempt numbers and no idempotency keys, and \
                content is sent only where the instrumentation is told to capture it.",
        reads: READS,
    },
    scopes: &[],
    events: &["gen_ai.*"],
    code: read_record,
};

const WORKFLOW: &str = "gen_ai.workflow.name";
const OPERATION: &str = "gen_ai.operation.name";
const DECISION: &str = "gen_ai.tool.call.decision.outcome";
const TIER: &str = "gen_ai.agent.tool.tier";
const DETAILS: &str = "gen_ai.client.inference.operation.details";

const READS: &[Read] = &[
    code(OPERATION, "kind of step: chat, execute_tool, invoke_agent, embeddings and the rest"),
    text("gen_ai.conversation.id", Text::Session),
    text("gen_ai.agent.name", Text::Agent),
    code(WORKFLOW, "the agent, where none is named and the span is not the workflow's own"),
    text("gen_ai.agent.version", Text::AgentVersion),
    text("gen_ai.provider.name", Text::Provider),
    text("gen_ai.system", Text::Provider),
    text("gen_ai.response.model", Text::Model),
    text("gen_ai.request.model", Text::ModelRequested),
    parameter("gen_ai.request.temperature", "temperature"),
    parameter("gen_ai.request.top_p", "top_p"),
    parameter("gen_ai.request.top_k", "top_k"),
    parameter("gen_ai.request.max_tokens", "max_tokens"),
    parameter("gen_ai.request.seed", "seed"),
    parameter("gen_ai.request.stop_sequences", "stop_sequences"),
    parameter("gen_ai.request.frequency_penalty", "frequency_penalty"),
    parameter("gen_ai.request.presence_penalty", "presence_penalty"),
    parameter("gen_ai.request.choice.count", "choice_count"),
    parameter("gen_ai.request.stream", "stream"),
    parameter("gen_ai.request.reasoning.level", "reasoning_effort"),
    parameter("gen_ai.request.previous_response.id", "previous_response_id"),
    parameter("gen_ai.output.type", "output_type"),
    read("gen_ai.response.finish_reasons", Field::FinishReasons),
    read("gen_ai.response.finish_reason", Field::FinishReasons),
    count("gen_ai.usage.input_tokens", Count::TokensIn),
    count("gen_ai.usage.prompt_tokens", Count::TokensIn),
    count("gen_ai.usage.output_tokens", Count::TokensOut),
    count("gen_ai.usage.completion_tokens", Count::TokensOut),
    count("gen_ai.usage.cache_read.input_tokens", Count::TokensCacheRead),
    count("gen_ai.usage.cache_read_input_tokens", Count::TokensCacheRead),
    count("gen_ai.usage.cache_write.input_tokens", Count::TokensCacheWrite),
    count("gen_ai.usage.cache_write_input_tokens", Count::TokensCacheWrite),
    count("gen_ai.usage.cache_creation.input_tokens", Count::TokensCacheWrite),
    count("gen_ai.usage.cache_creation_input_tokens", Count::TokensCacheWrite),
    count("gen_ai.usage.reasoning.output_tokens", Count::TokensReasoning),
    count("gen_ai.usage.reasoning_tokens", Count::TokensReasoning),
    read("gen_ai.usage.cost", Field::Cost),
    content("gen_ai.system_instructions", Side::System),
    content("gen_ai.tool.definitions", Side::ToolDefinitions),
    content("gen_ai.input.messages", Side::Input),
    content("gen_ai.output.messages", Side::Output),
    text("gen_ai.tool.name", Text::Tool),
    code("gen_ai.tool.call.id", "tool call id"),
    content("gen_ai.tool.call.arguments", Side::Arguments),
    content("gen_ai.tool.call.result", Side::Result),
    code("gen_ai.tool.status", "whether the tool failed"),
    code(TIER, "whether the tool reads or acts (draft)"),
    code(DECISION, "what was decided about a call before it ran: allow, deny, require_approval"),
];

fn read_record(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(work) = draft.text(OPERATION).and_then(work) {
        draft.claim(KindRule::GenAi, work);
    }
    let workflow = draft.text(WORKFLOW).filter(|_| draft.text(OPERATION) != Some("invoke_workflow"));
    let facts = draft.facts();
    facts.agent = facts.agent.take().or(workflow.map(str::to_owned));
    // Google ADK writes a placeholder where the model gave no id.
    if let Some(id) = draft.text("gen_ai.tool.call.id").filter(|id| *id != "<not specified>") {
        draft.facts().tool_call_id = Some(id.to_owned());
    }
    draft.error.failed |= draft.text("gen_ai.tool.status") == Some("error");
    match draft.text(TIER) {
        Some("read") => draft.claim(KindRule::Recount, Work::Kind(Kind::Read)),
        Some("write" | "destructive" | "provision" | "decommission") => {
            draft.claim(KindRule::Recount, Work::Kind(Kind::Act));
        }
        Some(_) | None => {}
    }
    if let Some(decision) = draft.text(DECISION) {
        decide(draft, decision);
    }
    match draft.source.carrier {
        Carrier::Span | Carrier::Event => read_events(draft),
        Carrier::Log => read_log(draft),
    }
    Some(())
}

fn work(operation: &str) -> Option<Work> {
    Some(match operation {
        "chat" | "text_completion" | "generate_content" | "completion" | "generate" => {
            Work::Kind(Kind::Think)
        }
        "execute_tool" => Work::Tool,
        "embeddings" | "retrieval" | "search_memory" => Work::Kind(Kind::Read),
        "create_memory" | "update_memory" | "upsert_memory" | "delete_memory" => Work::Kind(Kind::Act),
        "invoke_agent" | "create_agent" | "invoke_workflow" => Work::Kind(Kind::Agent),
        "plan" | "agent_step" | "execute_event_loop_cycle" => Work::Kind(Kind::Other),
        _ if operation.ends_with("_memory_store") => Work::Kind(Kind::Act),
        _ => return None,
    })
}

/// A gate that denied a call kept it from being sent; one that asks for approval pauses it.
fn decide(draft: &mut Draft<'_>, decision: &str) {
    match decision {
        "deny" => {
            let facts = draft.facts();
            facts.outcome.get_or_insert(Outcome::Failed);
            facts.evidence.get_or_insert(Evidence::Given);
        }
        "require_approval" => draft.finding(Code::Paused, "the call waits for approval; this is no failure"),
        "allow" => {}
        _ => draft.finding(Code::Unreadable, format!("attribute `{DECISION}` names no decision")),
    }
}

fn read_events(draft: &mut Draft<'_>) {
    let (input, output) = (To::free(draft, Side::Input), To::free(draft, Side::Output));
    for (number, event) in draft.source.events.iter().enumerate() {
        match event.name.as_str() {
            "gen_ai.choice" if !draft.is_tool() => {
                finish(draft, attribute(&event.attributes, "finish_reason"));
                read_message(draft, number, event, (output, "assistant"));
            }
            // On a tool's span these carry arguments and result (Strands).
            "gen_ai.choice" => {}
            "gen_ai.client.inference.operation.details"
            | "gen_ai.content.prompt"
            | "gen_ai.content.completion"
            | "gen_ai.tool.call.decision" => read_details(draft, number, event),
            name => {
                if let Some(role) = role(name).filter(|_| !draft.is_tool()) {
                    read_message(draft, number, event, (input, role));
                }
            }
        }
    }
}

fn role(event: &str) -> Option<&'static str> {
    Some(match event {
        "gen_ai.system.message" => "system",
        "gen_ai.user.message" => "user",
        "gen_ai.assistant.message" => "assistant",
        "gen_ai.tool.message" => "tool",
        _ => return None,
    })
}

/// Attributes of an event that are those of a span.
fn read_details(draft: &mut Draft<'_>, number: usize, event: &Event) {
    for (at, (key, value)) in event.attributes.iter().enumerate() {
        let place = Place::Event(number, at);
        match key.as_str() {
            "gen_ai.prompt" => messages::read(draft, place, Side::Input),
            "gen_ai.completion" => messages::read(draft, place, Side::Output),
            DECISION => value.as_str().map(|decision| decide(draft, decision)),
            _ => READS.iter().find(|row| row.key == key).map(|row| fill::fill(draft, row.field, place)),
        };
    }
}

/// One message per event: role by the event's name, content and calls in its attributes.
fn read_message(draft: &mut Draft<'_>, number: usize, event: &Event, (to, role): (To, &'static str)) {
    let attributes = &event.attributes;
    // Older instrumentations put the whole message into one attribute.
    let whole = ["gen_ai.event.content", "event_body"];
    if let Some(at) = attributes.iter().position(|(key, _)| whole.contains(&key.as_str())) {
        messages::read_one(draft, Place::Event(number, at), to, role);
        return;
    }
    let mut node = Node::default();
    let said = attribute(attributes, "role").and_then(Value::as_str).is_some();
    if !said {
        node.set("role", Node::Said(role));
    }
    for (at, (key, value)) in attributes.iter().enumerate() {
        let field = match key.as_str() {
            "message" => "content",
            "role" | "content" | "tool_calls" | "id" | "name" | "tool_call_id" => key.as_str(),
            _ => continue,
        };
        // A message that is itself an object stands for the whole.
        if field == "content" && is_message(value) {
            messages::read_one(draft, Place::Event(number, at), to, role);
            return;
        }
        node.set(field, Node::Leaf(value, Place::Event(number, at)));
    }
    messages::add_assembled(draft, to, &node);
}

fn is_message(value: &Value) -> bool {
    match value {
        Value::Map(_) => true,
        Value::String(text) => {
            let object = Object::parse(text);
            object.is_some_and(|object| object.first(&["role", "content", "tool_calls"]).is_some())
        }
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Framed(_) => false,
    }
}

fn read_log(draft: &mut Draft<'_>) {
    let name = draft.source.name;
    if name == DETAILS {
        draft.claim(KindRule::ModelNamed, Work::Kind(Kind::Think));
    } else if name == "gen_ai.choice" {
        let body = draft.source.body;
        let told = body.as_str().and_then(Object::parse).and_then(|body| body.text("finish_reason"));
        finish(draft, told.map(Value::String).as_ref().or(body.get("finish_reason")));
        let to = To::free(draft, Side::Output);
        messages::read_one(draft, Place::Body, to, "assistant");
    } else if let Some(role) = role(name) {
        let to = To::free(draft, Side::Input);
        messages::read_one(draft, Place::Body, to, role);
    }
}

fn finish(draft: &mut Draft<'_>, reason: Option<&Value>) {
    if let Some(reason) = reason.and_then(fill::text) {
        let reasons = &mut draft.facts().finish_reasons;
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, codes, event, in_scope, log, map, read, read_log, span};
    use crate::domain::kind::KindSource;

    const IN: &str = r#"[{"role":"user","parts":[{"type":"text","content":"refund order-7001"}]} , {"role":"tool","parts":[]}]"#;
    const OUT: &str = r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"refund","arguments":{"order":"order-7001"}}],"finish_reason":"tool_call"}]"#;

    #[test]
    fn a_model_call_is_read_whole() {
        let step = read(&span(
            "chat gpt-4o",
            vec![
                ("gen_ai.operation.name", "chat".into()),
                ("gen_ai.provider.name", "openai".into()),
                ("gen_ai.request.model", "gpt-4o".into()),
                ("gen_ai.response.model", "gpt-4o-2024".into()),
                ("gen_ai.request.temperature", 0.2.into()),
                ("gen_ai.conversation.id", "conv-77".into()),
                ("gen_ai.response.finish_reasons", "[\"tool_call\"]".into()),
                ("gen_ai.system_instructions", r#"[{"type":"text","content":"Be kind."}]"#.into()),
                ("gen_ai.input.messages", IN.into()),
                ("gen_ai.output.messages", OUT.into()),
                ("gen_ai.tool.definitions", r#"[{"name":"a"},{"name":"b"}]"#.into()),
            ],
        ));
        let facts = &step.facts;
        assert_eq!((facts.kind, facts.kind_source), (Kind::Think, KindSource::Convention));
        assert_eq!(facts.dialect, "gen_ai");
        assert_eq!(
            (facts.model.as_deref(), facts.model_requested.as_deref()),
            (Some("gpt-4o-2024"), Some("gpt-4o"))
        );
        assert_eq!(facts.finish_reasons, ["tool_call"]);
        assert_eq!(facts.session_id.as_deref(), Some("conv-77"));
        assert_eq!(facts.parameters, [("temperature".to_owned(), Value::Double(0.2))]);
        let roles: Vec<String> = bodies(&step, &step.context).into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, ["system", "", "", "user", "tool"]);
        let proposal = &step.proposed[0];
        assert_eq!((proposal.call_id.as_deref(), proposal.tool.as_str()), (Some("c1"), "refund"));
        assert_eq!(body(&step, proposal.arguments), Some(r#"{"order":"order-7001"}"#));
        assert_eq!(codes(&step), []);
    }

    #[test]
    fn b26_token_counts_in_every_type() {
        let step = read(&span(
            "chat",
            vec![
                ("gen_ai.usage.input_tokens", "120".into()),
                ("gen_ai.usage.output_tokens", 12.0.into()),
                ("gen_ai.usage.cache_read.input_tokens", 90.into()),
                ("gen_ai.usage.foo", 1.into()),
            ],
        ));
        let tokens = step.facts.tokens;
        assert_eq!((tokens.input, tokens.output, tokens.cache_read), (Some(120), Some(12), Some(90)));
        assert_eq!(step.facts.kind, Kind::Think);
        let agent = read(&span("invoke_agent", vec![("gen_ai.usage.input_tokens", 300.into())]));
        assert_eq!((agent.facts.kind, agent.facts.tokens.input), (Kind::Agent, Some(300)));
    }

    #[test]
    fn b27_messages_in_every_shape() {
        let twice = r#""[{\"role\":\"user\",\"content\":\"twice encoded\"}]""#;
        let step = read(&span("chat", vec![("gen_ai.input.messages", twice.into())]));
        let expected = ("user".to_owned(), r#"{"role":"user","content":"twice encoded"}"#.to_owned());
        assert_eq!(bodies(&step, &step.context), [expected]);

        let structured =
            Value::Array(vec![map(vec![("role", "user".into()), ("content", "structured".into())])]);
        let step = read(&span("chat", vec![("gen_ai.input.messages", structured)]));
        let expected = ("user".to_owned(), r#"{"role":"user","content":"structured"}"#.to_owned());
        assert_eq!(bodies(&step, &step.context), [expected]);

        let cut = r#"[{"role":"user","content":"cut off he"#;
        let step = read(&span("chat", vec![("gen_ai.input.messages", cut.into())]));
        assert_eq!(bodies(&step, &step.context), [(String::new(), cut.to_owned())]);
        assert!(!step.bodies[0].is_json);
        assert_eq!(codes(&step), [Code::Unreadable]);
    }

    #[test]
    fn b27_messages_in_events() {
        let events = vec![
            event("gen_ai.user.message", vec![("content", "in event".into())]),
            event("gen_ai.choice", vec![("message", "answer".into()), ("finish_reason", "stop".into())]),
        ];
        let step = read(&WireSpan { events, ..span("chat", vec![]) });
        let user = ("user".to_owned(), r#"{"role":"user","content":"in event"}"#.to_owned());
        assert_eq!(bodies(&step, &step.context), [user]);
        let answer = ("assistant".to_owned(), r#"{"role":"assistant","content":"answer"}"#.to_owned());
        assert_eq!(bodies(&step, &step.output), [answer]);
        assert_eq!(
            (step.facts.finish_reasons.as_slice(), step.facts.kind),
            (&["stop".to_owned()][..], Kind::Think)
        );
    }

    #[test]
    fn messages_in_logs() {
        let record = log(
            "gen_ai.choice",
            map(vec![
                ("index", 0.into()),
                ("finish_reason", "tool_calls".into()),
                (
                    "message",
                    map(vec![
                        ("role", "assistant".into()),
                        (
                            "tool_calls",
                            Value::Array(vec![map(vec![
                                ("id", "c1".into()),
                                (
                                    "function",
                                    map(vec![("name", "refund".into()), ("arguments", "{\"n\": 1}".into())]),
                                ),
                            ])]),
                        ),
                    ]),
                ),
            ]),
            vec![("gen_ai.system", "openai".into())],
        );
        let step = read_log(&record);
        assert_eq!(step.proposed[0].tool, "refund");
        assert_eq!(step.facts.finish_reasons, ["tool_calls"]);
        assert_eq!((step.facts.kind, step.facts.carrier), (Kind::Other, Carrier::Log));
        let record = log("gen_ai.user.message", map(vec![("content", "hi".into())]), vec![]);
        let step = read_log(&record);
        assert_eq!(
            bodies(&step, &step.context),
            [("user".to_owned(), r#"{"role":"user","content":"hi"}"#.to_owned())]
        );
    }

    #[test]
    fn b27_arguments_are_equal_in_every_carrier() {
        let json = r#"{"order":"order-7001","n":2}"#;
        let structured = map(vec![("order", "order-7001".into()), ("n", 2.into())]);
        for list in [
            vec![("gen_ai.tool.call.arguments", json.into())],
            vec![("gen_ai.tool.call.arguments", structured)],
            vec![("input.value", json.into()), ("input.mime_type", "application/json".into())],
        ] {
            let step = read(&span("execute_tool refund", list));
            assert_eq!(body(&step, step.arguments), Some(json));
            assert_eq!((step.facts.kind, step.facts.tool.as_deref()), (Kind::Act, Some("refund")));
        }
    }

    #[test]
    fn b29_empty_arguments_are_not_an_empty_object() {
        for text in ["{}", ""] {
            let step =
                read(&span("execute_tool write_file", vec![("gen_ai.tool.call.arguments", text.into())]));
            assert_eq!(body(&step, step.arguments), Some(text));
        }
    }

    #[test]
    fn b32_one_span_may_cover_several_tries() {
        let retry = |n: i64, kind: &str| {
            event("gen_ai.retry", vec![("attempt", n.into()), ("error.type", kind.into())])
        };
        let step =
            read(&WireSpan { events: vec![retry(1, "429"), retry(2, "timeout")], ..span("chat", vec![]) });
        assert_eq!(step.facts.tries, Some(3));
    }

    #[test]
    fn denied_calls_were_never_sent() {
        let step = read_log(&log(
            "gen_ai.tool.call.decision",
            Value::Empty,
            vec![("gen_ai.tool.call.decision.outcome", "deny".into()), ("gen_ai.tool.call.id", "c1".into())],
        ));
        assert_eq!(
            (step.facts.outcome, step.facts.tool_call_id.as_deref()),
            (Some(Outcome::Failed), Some("c1"))
        );
    }

    #[test]
    fn embeddings_and_memories() {
        for (operation, kind) in [
            ("embeddings", Kind::Read),
            ("search_memory", Kind::Read),
            ("upsert_memory", Kind::Act),
            ("create_memory_store", Kind::Act),
            ("plan", Kind::Other),
            ("chain", Kind::Other),
            ("invoke_workflow", Kind::Agent),
            ("generate_content", Kind::Think),
        ] {
            let step = read(&in_scope("x", span("s", vec![("gen_ai.operation.name", operation.into())])));
            assert_eq!(step.facts.kind, kind, "{operation}");
        }
    }

    use crate::otlp::WireSpan;
}
