//! pydantic-ai and Logfire, instrumentation versions 1 to 6.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Field, Read, Side, Text, code, content, count, read, text};
use crate::conventions::frame;
use crate::conventions::identity;
use crate::conventions::json::{self, Object};
use crate::conventions::messages::{self, To};
use crate::domain::finding::Code;
use crate::domain::ids::SpanId;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "pydantic_ai",
        title: "pydantic-ai and Logfire",
        about: "Instrumentation versions 1 to 6. A failed tool is always a `ToolRetryError`: the \
                cause is in the text or in the HTTP span below. Logfire replaces values under keys \
                like `session` before sending.",
        reads: READS,
    },
    scopes: &["pydantic-ai", "logfire*"],
    events: &[],
    code: read_span,
};

const EVENTS: &str = "events";
const METADATA: &str = "metadata";
const REQUEST: &str = "model_request_parameters";
const STAGE: &str = "pydantic_ai.tool.failure_stage";
const SPAN_TYPE: &str = "logfire.span_type";
const PENDING_PARENT: &str = "logfire.pending_parent_id";
const DEFERRAL: &str = "pydantic_ai.tool.deferral.name";

const READS: &[Read] = &[
    text("gen_ai.agent.call.id", Text::Run),
    text("agent_name", Text::Agent).no_sign(),
    text("model_name", Text::ModelRequested).no_sign(),
    code(METADATA, "user_id, account_id and session_id in its JSON").no_sign(),
    read("account_id", Field::Account).no_sign(),
    read("operation.cost", Field::Cost),
    count("gen_ai.usage.details.cache_read_tokens", Count::TokensCacheRead),
    count("gen_ai.usage.details.cache_write_tokens", Count::TokensCacheWrite),
    count("gen_ai.usage.details.reasoning_tokens", Count::TokensReasoning),
    code(EVENTS, "messages and answer in one JSON list (version 1)").no_sign(),
    code(REQUEST, "definitions of the tools on offer, where they are not sent apart"),
    content("tool_arguments", Side::Arguments).no_sign(),
    content("tool_response", Side::Result).no_sign(),
    code(STAGE, "whether a call was refused before it ran (`validation`) or failed later"),
    code(SPAN_TYPE, "whether it is the first word of a span that has not ended (`pending_span`)"),
    code(PENDING_PARENT, "the parent of that span"),
    code(DEFERRAL, "a call that waits for approval or for something outside"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    if draft.text(SPAN_TYPE) == Some("pending_span") {
        stand_in(draft);
    }
    let work = match draft.source.name {
        "agent run" => Some(Work::Kind(Kind::Agent)),
        "running tool" => Some(Work::Tool),
        "running tools" => Some(Work::Kind(Kind::Other)),
        _ => None,
    };
    if let Some(work) = work {
        draft.claim(KindRule::Runtime, work);
    }
    if let Some(metadata) = draft.text(METADATA) {
        identity::object(draft, metadata);
    }
    if let Some(place) = draft.place(REQUEST).filter(|_| !draft.has(Side::ToolDefinitions)) {
        messages::read_list(draft, place, "function_tools", Side::ToolDefinitions);
    }
    read_events(draft);
    if let Some(stage) = draft.text(STAGE) {
        draft.error.failed = true;
        // Only arguments that were refused before the tool ran say that nothing was sent: a call that failed
        // while it ran, or while its answer was read, may have taken effect.
        if stage != "validation" {
            return defer(draft);
        }
        let facts = draft.facts();
        facts.outcome.get_or_insert(Outcome::Failed);
        facts.evidence.get_or_insert(Evidence::Error);
    }
    defer(draft)
}

/// Logfire sends a span when it starts, below the span that it will be: it is that span, not ended yet.
fn stand_in(draft: &mut Draft<'_>) {
    let parent = draft.text(PENDING_PARENT).and_then(SpanId::parse).filter(|parent| !parent.is_zero());
    let facts = draft.facts();
    let Some(span) = facts.parent_span_id.filter(|span| !span.is_zero()) else { return };
    (facts.span_id, facts.parent_span_id, facts.ended_ns) = (span, parent, None);
    if let Some(name) = facts.name.strip_suffix(" (pending)") {
        facts.name = name.to_owned();
    }
}

fn defer(draft: &mut Draft<'_>) -> Option<()> {
    draft.get(DEFERRAL)?;
    draft.finding(Code::Paused, "the call waits for approval or for its answer from outside");
    Some(())
}

/// Version 1 sends all messages of a call in one list; the answer is the choice among them.
fn read_events(draft: &mut Draft<'_>) -> Option<()> {
    let place = draft.place(EVENTS)?;
    let text = draft.value(place)?.as_str()?;
    let (input, output) = (To::free(draft, Side::Input), To::free(draft, Side::Output));
    let mut parts = Vec::new();
    for element in json::array(text)? {
        let event = Object::parse(element).and_then(|event| event.text("event.name"));
        let to = if event.as_deref() == Some("gen_ai.choice") { output } else { input };
        parts.push((json::range_in(text, element), messages::add(draft, to, element)));
    }
    draft.move_out(place, frame::around(text, &parts));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, in_scope, read, span};
    use crate::otlp::WireSpan;

    #[test]
    fn version_1_sends_events_in_one_attribute() {
        let events = r#"[{"role": "system", "content": "Be kind.", "event.name": "gen_ai.system.message"}, {"index": 0, "message": {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "refund", "arguments": "{}"}}]}, "event.name": "gen_ai.choice"}]"#;
        let list = vec![
            ("gen_ai.operation.name", "chat".into()),
            ("events", events.into()),
            (
                "model_request_parameters",
                r#"{"function_tools": [{"name": "refund"}], "output_mode": "text"}"#.into(),
            ),
        ];
        let step = read(&in_scope("pydantic-ai", span("chat gpt-4o-mini", list)));
        let roles: Vec<String> = bodies(&step, &step.context).into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, ["", "system"]);
        assert_eq!((step.output.len(), step.proposed[0].tool.as_str()), (1, "refund"));
        assert_eq!(step.facts.dialect, "gen_ai+pydantic_ai");
    }

    #[test]
    fn tools_without_an_operation() {
        let list = vec![
            ("gen_ai.tool.name", "lookup_order".into()),
            ("tool_arguments", "{\"order_id\": \"4812\"}".into()),
            ("tool_response", "ok".into()),
        ];
        let step = read(&in_scope("pydantic-ai", span("running tool", list)));
        assert_eq!((step.facts.kind, body(&step, step.result)), (Kind::Read, Some("ok")));
        let list = vec![
            ("gen_ai.tool.name", "refund".into()),
            ("pydantic_ai.tool.failure_stage", "validation".into()),
        ];
        let step = read(&in_scope("pydantic-ai", span("running tool", list)));
        assert_eq!(step.facts.outcome, Some(Outcome::Failed));
    }

    #[test]
    fn b19_a_pending_span_is_the_span_that_it_will_be() {
        let pending = |above: &'static str| {
            let list = vec![("logfire.span_type", "pending_span".into()), (PENDING_PARENT, above.into())];
            let parent_span_id = Some(SpanId([9; 8]));
            read(&WireSpan { parent_span_id, ..span("tool (pending)", list) }).facts
        };
        let top = pending("0000000000000000");
        assert_eq!((top.span_id, top.parent_span_id, top.ended_ns), (SpanId([9; 8]), None, None));
        assert_eq!(
            (top.name.as_str(), pending("0101010101010101").parent_span_id),
            ("tool", Some(SpanId([1; 8])))
        );
    }

    #[test]
    fn only_refused_arguments_say_that_nothing_was_sent() {
        for stage in ["execution", "output_validation", "timeout", "Validation "] {
            let list =
                vec![("gen_ai.tool.name", "refund".into()), ("pydantic_ai.tool.failure_stage", stage.into())];
            let step = read(&in_scope("pydantic-ai", span("running tool", list)));
            assert_eq!((step.facts.outcome, step.facts.evidence), (None, None), "{stage}");
            assert!(step.facts.error.is_some(), "{stage}");
        }
    }
}
