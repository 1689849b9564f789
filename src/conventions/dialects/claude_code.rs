//! Claude Code and the Claude Agent SDK: beta traces, event logs, or both.
use crate::conventions::assemble::Node;
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::{Count, Field, Read, Side, Text, code, content, count, read, text};
use crate::conventions::json::Object;
use crate::conventions::messages::{self, To};
use crate::domain::kind::{Carrier, Kind};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::value::Value;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "claude_code",
        title: "Claude Code and Claude Agent SDK",
        about: "Traces only with CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1; else event logs are all \
                there is, and a run is built from them, one per prompt. Its input tokens leave out \
                the cached ones; its `user.id` is an id of the installation.",
        reads: READS,
    },
    scopes: &["com.anthropic.claude_code*"],
    events: &["claude_code.*"],
    code: read_record,
};

const TYPE: &str = "span.type";
const TOOL_PARAMETERS: &str = "tool_parameters";
const DECISION: &str = "decision";
const SOURCE: &str = "source";
const SUCCESS: &str = "success";
const DURATION: &str = "duration_ms";
const PROMPT: &str = "prompt";
const RESPONSE: &str = "response";
const MCP_TOOL: &str = "mcp_tool_name";

const READS: &[Read] = &[
    code(TYPE, "kind of span: interaction, llm_request, tool, tool.execution, tool.blocked_on_user, hook")
        .no_sign(),
    text("prompt.id", Text::Run).no_sign(),
    count("event.sequence", Count::Seq).no_sign(),
    text("model", Text::Model).no_sign(),
    count("attempt", Count::Tries).no_sign(),
    count("input_tokens", Count::TokensIn).no_sign(),
    count("output_tokens", Count::TokensOut).no_sign(),
    count("cache_read_tokens", Count::TokensCacheRead).no_sign(),
    count("cache_creation_tokens", Count::TokensCacheWrite).no_sign(),
    read("stop_reason", Field::FinishReasons).no_sign(),
    read("cost_usd", Field::Cost).no_sign(),
    text("tool_use_id", Text::ToolCallId).no_sign(),
    code(TOOL_PARAMETERS, "the MCP tool's real name in its JSON").no_sign(),
    content("tool_input", Side::Arguments).no_sign(),
    code(PROMPT, "what the user asked").no_sign(),
    code("user_prompt", "what the user asked").no_sign(),
    code(RESPONSE, "what the model answered").no_sign(),
    code("body", "request or answer of the model, where it is told to send them").no_sign(),
    code(DECISION, "whether a call was let through").no_sign(),
    code(SOURCE, "who decided").no_sign(),
    code(SUCCESS, "whether it failed").no_sign(),
    code("error_type", "type of the error").no_sign(),
    read("error", Field::ErrorMessage).no_sign(),
    read("status_code", Field::Http(crate::conventions::field::Exchange::Status)).no_sign(),
    code(DURATION, "how long it took, on logs").no_sign(),
];

fn read_record(draft: &mut Draft<'_>) -> Option<()> {
    // The cached tokens stand beside the others.
    let tokens = &mut draft.facts().tokens;
    tokens.cache_apart = tokens.input.is_some();
    draft.error.failed |= draft.get(SUCCESS).and_then(Value::as_bool) == Some(false);
    let kind = draft.text("error_type").map(str::to_owned);
    draft.error.kind = draft.error.kind.take().or(kind);
    name_tool(draft);
    match draft.source.carrier {
        Carrier::Span | Carrier::Event => read_span(draft),
        Carrier::Log => read_log(draft),
    }
}

/// `mcp__payments__lookup_order`, or `mcp_tool` with the real name in the parameters, is `lookup_order`.
fn name_tool(draft: &mut Draft<'_>) {
    let parameters = draft.text(TOOL_PARAMETERS).and_then(Object::parse);
    let real = parameters.and_then(|parameters| parameters.text(MCP_TOOL));
    let given = draft.text("tool_name").map(|name| match name.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").map_or(rest, |(_, tool)| tool).to_owned(),
        None => name.to_owned(),
    });
    let facts = draft.facts();
    facts.tool = facts.tool.take().or(real).or(given);
}

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    let by_name = draft.source.name.strip_prefix("claude_code.");
    let work = match draft.text(TYPE).or(by_name)? {
        "llm_request" => Work::Kind(Kind::Think),
        "tool" | "tool.execution" => Work::Tool,
        // A person was asked: that is a wait. Otherwise a setting decided at once.
        "tool.blocked_on_user" if draft.text(SOURCE).is_some_and(|by| by.starts_with("user")) => {
            Work::Kind(Kind::Wait)
        }
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::ClaudeCode, work);
    decide(draft);
    Some(())
}

fn read_log(draft: &mut Draft<'_>) -> Option<()> {
    let on_trace = draft.on_trace();
    let event = draft.source.name.strip_prefix("claude_code.").unwrap_or(draft.source.name);
    let work = match event {
        "tool_decision" | "tool_result" => Work::Tool,
        // With traces the call has a span of its own; counted here it would count twice.
        "api_request" | "api_error" if !on_trace => Work::Kind(Kind::Think),
        "user_prompt" if !on_trace => Work::Kind(Kind::Agent),
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::ClaudeCode, work);
    // Calls and requests are things of their own; prompt and answer are about the interaction they are on.
    let of_prompt = matches!(event, "user_prompt" | "assistant_response");
    draft.apart = event.starts_with("api_") || event.starts_with("tool_") || (of_prompt && !on_trace);
    draft.error.failed |= event == "api_error";
    decide(draft);
    match event {
        "user_prompt" => speak(draft, PROMPT, Side::Input, "user"),
        "assistant_response" => speak(draft, RESPONSE, Side::Output, "assistant"),
        "api_request_body" => draft.place("body").and_then(|place| messages::read(draft, place, Side::Input)),
        "api_response_body" => {
            draft.place("body").and_then(|place| messages::read(draft, place, Side::Output))
        }
        _ => None,
    };
    // A log is written when the thing ended.
    if let Some(ms) = draft.get(DURATION).and_then(Value::as_int).and_then(|ms| u64::try_from(ms).ok()) {
        let facts = draft.facts();
        facts.started_ns = facts.started_ns.saturating_sub(ms.saturating_mul(1_000_000));
    }
    Some(())
}

/// A call that was not let through was never sent.
fn decide(draft: &mut Draft<'_>) -> Option<()> {
    let decision = draft.text(DECISION)?;
    let by = draft.text(SOURCE).filter(|by| *by != "unknown").map(str::to_owned);
    let facts = draft.facts();
    facts.approver = facts.approver.take().or(by);
    if decision == "reject" {
        facts.outcome.get_or_insert(Outcome::Failed);
        facts.evidence.get_or_insert(Evidence::Given);
    }
    Some(())
}

/// A text that is one message.
fn speak(draft: &mut Draft<'_>, key: &str, side: Side, role: &'static str) -> Option<()> {
    let place: Place = draft.place(key)?;
    let value = draft.value(place)?;
    let to = To::free(draft, side);
    let mut node = Node::default();
    node.set("role", Node::Said(role));
    node.set("content", Node::Leaf(value, place));
    messages::add_assembled(draft, to, &node);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, in_scope, log, read, read_log, span};
    use crate::domain::ids::{SpanId, TraceId};
    use crate::domain::step::ScopeInfo;
    use crate::otlp::WireLog;

    fn event(name: &str, on_trace: bool, list: Vec<(&str, Value)>) -> WireLog {
        let scope = ScopeInfo { name: "com.anthropic.claude_code.events".to_owned(), ..ScopeInfo::default() };
        let record = log("", format!("claude_code.{name}").as_str().into(), list);
        let mut record = WireLog { scope: scope.into(), ..record };
        record.attributes.push(("event.name".to_owned(), name.into()));
        if !on_trace {
            (record.trace_id, record.span_id) = (TraceId::default(), SpanId::default());
        }
        record
    }

    #[test]
    fn spans() {
        let list = vec![
            ("span.type", "llm_request".into()),
            ("input_tokens", 51.into()),
            ("cache_read_tokens", 64.into()),
            ("attempt", 2.into()),
        ];
        let scope = "com.anthropic.claude_code.tracing";
        let step = read(&in_scope(scope, span("claude_code.llm_request", list)));
        let facts = &step.facts;
        assert_eq!((facts.kind, facts.tries, facts.attempt), (Kind::Think, Some(2), None));
        assert_eq!((facts.tokens.input, facts.tokens.cache_apart), (Some(51), true));
        let list = vec![("tool_name", "mcp__payments__lookup_order".into()), ("tool_use_id", "t1".into())];
        let step = read(&in_scope(scope, span("claude_code.tool", list)));
        assert_eq!((step.facts.kind, step.facts.tool.as_deref()), (Kind::Read, Some("lookup_order")));
        let list =
            vec![("success", false.into()), ("error", "timed out".into()), ("tool_use_id", "t1".into())];
        let step = read(&in_scope(scope, span("claude_code.tool.execution", list)));
        assert_eq!(step.facts.error.as_ref().unwrap().message, "timed out");
        assert_eq!(step.facts.findings, []);
    }

    #[test]
    fn logs_alone_make_a_run() {
        let ids = || vec![("session.id", "s1".into()), ("prompt.id", "p1".into())];
        let with = |mut more: Vec<(&'static str, Value)>| {
            more.extend(ids());
            more
        };
        let prompt = read_log(&event("user_prompt", false, with(vec![("prompt", "Refund".into())])));
        let decision = read_log(&event(
            "tool_decision",
            false,
            with(vec![
                ("tool_use_id", "t1".into()),
                ("decision", "reject".into()),
                ("source", "config".into()),
            ]),
        ));
        let result = read_log(&event(
            "tool_result",
            false,
            with(vec![
                ("tool_name", "mcp_tool".into()),
                ("tool_parameters", r#"{"mcp_server_name":"p","mcp_tool_name":"issue_refund"}"#.into()),
                ("tool_use_id", "t1".into()),
                ("success", "false".into()),
                ("error_type", "McpToolCallError".into()),
                ("duration_ms", "107".into()),
                ("tool_input", "{\"n\":1}".into()),
            ]),
        ));
        let facts = &result.facts;
        assert_eq!(
            (facts.kind, facts.tool.as_deref(), facts.run_id.as_deref()),
            (Kind::Act, Some("issue_refund"), Some("p1"))
        );
        assert_eq!(facts.error.as_ref().unwrap().kind, "McpToolCallError");
        assert_eq!(facts.ended_ns.unwrap() - facts.started_ns, 107_000_000);
        assert_eq!(body(&result, result.arguments), Some("{\"n\":1}"));
        assert_eq!((facts.trace_id, facts.span_id), (decision.facts.trace_id, decision.facts.span_id));
        assert_eq!(
            (facts.trace_id, facts.parent_span_id),
            (prompt.facts.trace_id, Some(prompt.facts.span_id))
        );
        assert_eq!(
            (decision.facts.outcome, decision.facts.approver.as_deref()),
            (Some(Outcome::Failed), Some("config"))
        );
        assert_eq!((prompt.facts.kind, prompt.facts.parent_span_id), (Kind::Agent, None));
        assert_eq!(bodies(&prompt, &prompt.context)[0].1, r#"{"role":"user","content":"Refund"}"#);
        let request = read_log(&event(
            "api_request",
            false,
            with(vec![("model", "m".into()), ("cost_usd", 0.5.into())]),
        ));
        assert_eq!((request.facts.kind, request.facts.cost_usd), (Kind::Think, Some(0.5)));
    }

    #[test]
    fn logs_beside_traces_add_to_them() {
        let list =
            || vec![("tool_use_id", "t1".into()), ("tool_name", "Bash".into()), ("prompt.id", "p1".into())];
        let step = read_log(&event("tool_result", true, list()));
        assert_eq!(
            (step.facts.trace_id, step.facts.parent_span_id),
            (TraceId([1; 16]), Some(SpanId([2; 8])))
        );
        assert_ne!(step.facts.span_id, SpanId([2; 8]));
        assert_eq!(
            read_log(&event("api_request", true, vec![("model", "m".into())])).facts.kind,
            Kind::Other
        );
    }
}
