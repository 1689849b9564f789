//! Bare keys and span names of hand-made instrumentation: heard last, and only where nothing better is said.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Read, Side, Text, code, count, text};
use crate::conventions::frame;
use crate::domain::kind::{Carrier, Kind};

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "",
        title: "Bare keys",
        about: "Short keys without a namespace, as people write them by hand, and operations named \
                by a span's first word (`chat gpt-4o`, `execute_tool refund`, `invoke_agent \
                support`).",
        reads: READS,
    },
    scopes: &["*"],
    events: &[],
    code: read_name,
};

const READS: &[Read] = &[
    text("run_id", Text::Run),
    text("session_id", Text::Session),
    text("conversation_id", Text::Session),
    text("thread_id", Text::Session),
    text("user_id", Text::User),
    count("input_tokens", Count::TokensIn),
    count("output_tokens", Count::TokensOut),
    text("tool_name", Text::Tool),
    text("tool_call_id", Text::ToolCallId),
    text("idempotency_key", Text::Key),
    code("model", "the model, on what is a model call anyhow"),
    code("args", "arguments of a tool call"),
    code("arguments", "arguments of a tool call"),
    code("result", "result of a tool call"),
];

fn read_name(draft: &mut Draft<'_>) -> Option<()> {
    let facts = &draft.step.facts;
    let is_span = draft.source.carrier == Carrier::Span;
    if facts.tool.is_some() || facts.tool_call_id.is_some() {
        draft.claim(KindRule::ToolNamed, Work::Tool);
    }
    let tokens = draft.step.facts.tokens;
    let counted = tokens.input.is_some() || tokens.output.is_some();
    let facts = &draft.step.facts;
    if is_span && (counted || facts.model.is_some() || facts.model_requested.is_some()) {
        draft.claim(KindRule::ModelNamed, Work::Kind(Kind::Think));
    }
    if is_span {
        claim_by_name(draft);
    }
    if draft.is_tool() {
        read_call(draft, is_span);
    }
    if matches!(draft.claim, Some((_, Work::Kind(Kind::Think)))) {
        let bare = draft.text("model").map(str::to_owned);
        let facts = draft.facts();
        facts.model = facts.model.take().or(bare.filter(|_| facts.model_requested.is_none()));
    }
    let agent = draft.source.name.strip_prefix("invoke_agent ").filter(|name| !name.is_empty());
    let facts = draft.facts();
    facts.agent = facts.agent.take().or(agent.map(str::to_owned));
    Some(())
}

fn claim_by_name(draft: &mut Draft<'_>) {
    let name = draft.source.name;
    let work = match name.split(' ').next().unwrap_or_default() {
        "execute_tool" => Work::Tool,
        "chat" | "text_completion" | "generate_content" => Work::Kind(Kind::Think),
        "invoke_agent" | "create_agent" | "invoke_workflow" => Work::Kind(Kind::Agent),
        "embeddings" => Work::Kind(Kind::Read),
        _ => return,
    };
    draft.claim(KindRule::SpanName, work);
}

fn read_call(draft: &mut Draft<'_>, is_span: bool) {
    let name = draft.source.name;
    let rest = name.strip_prefix("execute_tool ").unwrap_or(name);
    // Claude Code names the tool on the span above only.
    let named = !matches!(draft.claim, Some((KindRule::ClaudeCode, _)));
    if is_span && named && draft.step.facts.tool.is_none() && !rest.is_empty() {
        draft.facts().tool = Some(rest.to_owned());
    }
    for (keys, side) in [(&["args", "arguments"][..], Side::Arguments), (&["result"], Side::Result)] {
        for place in keys.iter().filter_map(|key| draft.place(key)).collect::<Vec<_>>() {
            if !draft.has(side) {
                frame::whole(draft, place, side);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{body, codes, event, read, span};
    use crate::domain::finding::Code;
    use crate::domain::ids::{SpanId, TraceId};
    use crate::domain::kind::Status;
    use crate::domain::step::Link;
    use crate::domain::value::Value;
    use crate::otlp::WireSpan;

    #[test]
    fn a_bare_model_names_the_model_of_a_model_call_and_nothing_else() {
        let model = |name: &str, more: Vec<(&str, Value)>| {
            let attributes = [vec![("model", "small-1".into())], more].concat();
            let facts = read(&span(name, attributes)).facts;
            (facts.kind, facts.model)
        };
        let (kind, named) = model("chat", vec![("input_tokens", 3.into())]);
        assert_eq!((kind, named.as_deref()), (Kind::Think, Some("small-1")));
        let (_, named) = model("chat", vec![("gen_ai.request.model", "big-1".into())]);
        assert_eq!(named, None, "what a convention says comes first");
        assert_ne!(model("order the car", Vec::new()).0, Kind::Think);
        assert_eq!(model("order the car", Vec::new()).1, None);
    }

    #[test]
    fn a_handled_exception_of_an_unknown_act_is_why() {
        let raised = event("exception", vec![("exception.type", "httpx.ReadTimeout".into())]);
        let given = |outcome: &str| {
            let sent = span("refund", vec![("recount.action.outcome", outcome.into())]);
            read(&WireSpan { events: vec![raised.clone()], ..sent }).facts
        };
        let unknown = given("unknown");
        assert_eq!(unknown.error.map(|error| error.kind).as_deref(), Some("httpx.ReadTimeout"));
        assert_eq!(given("confirmed").error, None);
    }

    #[test]
    fn an_unknown_dialect_keeps_everything() {
        let sent = WireSpan {
            status: Status::Error,
            status_message: "broke".to_owned(),
            ended_ns: 0,
            ..span("something new", vec![("x.y", 1.into()), ("x.z", Value::Bytes(vec![1]))])
        };
        let step = read(&sent);
        let facts = &step.facts;
        assert_eq!(
            (facts.kind, facts.dialect.as_str(), facts.name.as_str()),
            (Kind::Other, "", "something new")
        );
        assert_eq!((facts.ended_ns, facts.error.as_ref().unwrap().message.as_str()), (None, "broke"));
        assert_eq!(step.attributes, sent.attributes);
        assert_eq!(codes(&step), []);
    }

    #[test]
    fn b05_repeated_keys_and_prefixes() {
        let list = vec![
            ("k", "one".into()),
            ("k", "one".into()),
            ("m", 1.into()),
            ("m", "two".into()),
            ("", "e".into()),
        ];
        assert_eq!(codes(&read(&span("repeat", list))), [Code::RepeatedKey]);
        let list = vec![("tool", "refund".into()), ("tool.name", "refund".into()), ("tool.id", "c1".into())];
        let facts = read(&span("prefix", list)).facts;
        assert_eq!((facts.tool.as_deref(), facts.tool_call_id.as_deref()), (Some("refund"), Some("c1")));
    }

    #[test]
    fn b23_ids_on_the_span_or_on_the_resource() {
        let on = |resource: Vec<(&str, Value)>, list: Vec<(&str, Value)>| {
            let resource = crate::conventions::trial::attributes(resource).into();
            read(&WireSpan { resource, ..span("agent", list) }).facts
        };
        let session = |id: &str| vec![("session.id", Value::from(id))];
        assert_eq!(on(session("chat-10"), vec![]).session_id.as_deref(), Some("chat-10"));
        assert_eq!(on(session("chat-10"), session("app-1")).session_id.as_deref(), Some("app-1"));
        let facts = on(vec![("service.name", "agent-x".into()), ("account.id", "7".into())], vec![]);
        assert_eq!((facts.service.as_deref(), facts.entities.len()), (Some("agent-x"), 1));
        // A resource identifies; it does not tell what a span did.
        assert_eq!(on(vec![("gen_ai.tool.name", "refund".into())], vec![]).kind, Kind::Other);
        let chat = read(&span("chat", vec![("gen_ai.usage.input_tokens", 50.into())])).facts;
        assert_eq!((chat.kind, chat.tokens.input), (Kind::Think, Some(50)));
    }

    #[test]
    fn b24_a_resumed_run_says_what_it_is() {
        let link = Link { trace_id: TraceId([9; 16]), span_id: SpanId([9; 8]), attributes: Vec::new() };
        let list = vec![
            ("recount.run.id", "r1".into()),
            ("recount.worker.id", "wb".into()),
            ("thread_id", "th-1".into()),
        ];
        let facts = read(&WireSpan { links: vec![link.clone()], ..span("agent resume", list) }).facts;
        assert_eq!((facts.run_id.as_deref(), facts.worker.as_deref()), (Some("r1"), Some("wb")));
        assert_eq!((facts.session_id.as_deref(), facts.links), (Some("th-1"), vec![link]));
    }

    #[test]
    fn b26_bare_token_counts() {
        let facts = read(&span("chat", vec![("input_tokens", 7.into()), ("output_tokens", 8.into())])).facts;
        assert_eq!((facts.kind, facts.tokens.input, facts.tokens.output), (Kind::Think, Some(7), Some(8)));
    }

    #[test]
    fn b32_bare_arguments_are_read() {
        let list = vec![("recount.step.id", "st-3".into()), ("args", "{\"amount\":40}".into())];
        assert_eq!(body(&read(&span("refund", list)), Some(0)), Some("{\"amount\":40}"));
    }

    fn exception(list: Vec<(&str, Value)>) -> crate::domain::step::Event {
        event("exception", list)
    }

    #[test]
    fn b38_a_pause_is_no_failure() {
        let raised = exception(vec![("exception.type", "langgraph.errors.GraphInterrupt".into())]);
        let step = read(&WireSpan {
            status: Status::Error,
            status_message: "GraphInterrupt".to_owned(),
            events: vec![raised],
            ..span("approve refund", vec![("recount.step.id", "st-2".into())])
        });
        assert_eq!((step.facts.error, step.facts.status), (None, Status::Error));
        let codes: Vec<Code> = step.facts.findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&Code::Paused));
    }

    #[test]
    fn b38_failures_that_hide_and_marks_that_are_none() {
        let events = vec![
            exception(vec![("exception.type", "ValueError".into()), ("exception.message", "bad é".into())]),
            exception(vec![("exception.type", "RuntimeError".into())]),
            exception(vec![]),
        ];
        let failed =
            read(&WireSpan { status: Status::Error, events: events.clone(), ..span("chat", vec![]) });
        let error = failed.facts.error.unwrap();
        assert_eq!(
            (error.kind.as_str(), error.message.as_str(), failed.events.len()),
            ("ValueError", "bad é", 3)
        );
        let handled = read(&WireSpan { events, ..span("tool", vec![]) });
        assert_eq!((handled.facts.error, handled.events.len()), (None, 3));
    }

    #[test]
    fn ends_before_their_start_and_losses_are_said() {
        let mut sent = span("x", vec![]);
        sent.ended_ns = sent.started_ns - 1;
        sent.dropped.events = 2;
        assert_eq!(codes(&read(&sent)), [Code::EndBeforeStart, Code::DroppedByClient]);
    }

    #[test]
    fn agents_are_named_by_their_span() {
        assert_eq!(read(&span("invoke_agent support", vec![])).facts.agent.as_deref(), Some("support"));
    }
}
