//! Google's Agent Development Kit: OpenTelemetry GenAI with its own ids, and JSON blobs in version 1.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, Side, Text, code, text};
use crate::conventions::frame;
use crate::conventions::json::Object;
use crate::conventions::messages;
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "google_adk",
        title: "Google ADK",
        about: "Versions 1 and 2. A tool that answers `{\"error\": …}` gets the error type \
                `TOOL_ERROR`; prompts may come only as log records. Its OpenInference \
                instrumentation keeps only the last model call.",
        reads: READS,
    },
    scopes: &["gcp.vertex.agent"],
    events: &[],
    code: read_span,
};

const REQUEST: &str = "gcp.vertex.agent.llm_request";
const RESPONSE: &str = "gcp.vertex.agent.llm_response";
const ARGUMENTS: &str = "gcp.vertex.agent.tool_call_args";
const RESULT: &str = "gcp.vertex.agent.tool_response";

const READS: &[Read] = &[
    text("gcp.vertex.agent.invocation_id", Text::Run),
    text("gcp.vertex.agent.session_id", Text::Session),
    code(REQUEST, "messages and model of a model call (version 1)"),
    code(RESPONSE, "answer of a model call (version 1)"),
    code(ARGUMENTS, "arguments of a tool (version 1)"),
    code(RESULT, "result of a tool (version 1)"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    let name = draft.source.name;
    if name == "call_llm" {
        draft.claim(KindRule::Runtime, Work::Kind(Kind::Think));
    } else if name == "invocation" || name.starts_with("agent_run") {
        draft.claim(KindRule::Runtime, Work::Kind(Kind::Agent));
    }
    // Without capture of content the blobs are empty objects.
    let filled = |key: &str| draft.text(key).filter(|text| text.trim() != "{}").and(draft.place(key));
    let sides = [
        (REQUEST, Side::Input),
        (RESPONSE, Side::Output),
        (ARGUMENTS, Side::Arguments),
        (RESULT, Side::Result),
    ];
    let found = sides.map(|(key, side)| (filled(key), side));
    for (place, side) in found {
        let Some(place) = place else { continue };
        match side {
            Side::Input | Side::Output => messages::read(draft, place, side),
            Side::Arguments | Side::Result | Side::System | Side::ToolDefinitions => {
                frame::whole(draft, place, side).map(drop)
            }
        };
    }
    let model = draft.text(REQUEST).and_then(Object::parse).and_then(|request| request.text("model"));
    let facts = draft.facts();
    facts.model_requested = facts.model_requested.take().or(model);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{bodies, body, in_scope, read, span};

    #[test]
    fn blobs_of_version_1() {
        let request = r#"{"model": "gemini-2", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}"#;
        let response = r#"{"content": {"role": "model", "parts": [{"functionCall": {"name": "refund", "args": {"n": 1}, "id": "c1"}}]}}"#;
        let list = vec![
            ("gcp.vertex.agent.llm_request", request.into()),
            ("gcp.vertex.agent.llm_response", response.into()),
            ("gcp.vertex.agent.invocation_id", "e-1".into()),
        ];
        let step = read(&in_scope("gcp.vertex.agent", span("call_llm", list)));
        assert_eq!((step.facts.kind, step.facts.run_id.as_deref()), (Kind::Think, Some("e-1")));
        assert_eq!(bodies(&step, &step.context)[0].0, "user");
        assert_eq!(body(&step, step.proposed[0].arguments), Some("{\"n\": 1}"));
    }

    #[test]
    fn its_placeholder_is_no_call_id() {
        let list = vec![
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.call.id", "<not specified>".into()),
        ];
        assert_eq!(
            read(&in_scope("gcp.vertex.agent", span("execute_tool x", list))).facts.tool_call_id,
            None
        );
    }
}
