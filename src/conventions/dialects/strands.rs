//! Strands Agents: OpenTelemetry GenAI whose content is in span events, also that of tools.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::Side;
use crate::conventions::frame;
use crate::domain::value::attribute;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "strands",
        title: "Strands Agents",
        about: "Content in span events, by message or as operation details. The provider it names \
                is itself, and it sends no model parameters. It has no keys of its own.",
        reads: &[],
    },
    scopes: &["strands.telemetry.tracer"],
    events: &[],
    code: read_call,
};

/// On a tool's span the event of a tool message carries the arguments, and that of a choice the result.
fn read_call(draft: &mut Draft<'_>) -> Option<()> {
    if !draft.is_tool() {
        return None;
    }
    for (number, event) in draft.source.events.iter().enumerate() {
        let (key, side) = match event.name.as_str() {
            "gen_ai.tool.message" => ("content", Side::Arguments),
            "gen_ai.choice" => ("message", Side::Result),
            _ => continue,
        };
        if attribute(&event.attributes, key).is_some()
            && let Some(at) = event.attributes.iter().position(|(name, _)| name == key)
        {
            frame::whole(draft, Place::Event(number, at), side);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{bodies, body, event, in_scope, read, span};
    use crate::otlp::WireSpan;

    #[test]
    fn content_of_tools_is_in_events() {
        let events = vec![
            event("gen_ai.tool.message", vec![("role", "tool".into()), ("content", "{\"n\": 1}".into())]),
            event("gen_ai.choice", vec![("message", "[{\"text\": \"ok\"}]".into()), ("id", "c1".into())]),
        ];
        let list =
            vec![("gen_ai.operation.name", "execute_tool".into()), ("gen_ai.tool.status", "error".into())];
        let sent = WireSpan { events, ..span("execute_tool refund", list) };
        let step = read(&in_scope("strands.telemetry.tracer", sent));
        assert_eq!(body(&step, step.arguments), Some("{\"n\": 1}"));
        assert_eq!(body(&step, step.result), Some("[{\"text\": \"ok\"}]"));
        assert!(step.facts.error.is_some() && step.context.is_empty());
    }

    #[test]
    fn messages_are_lists_of_parts() {
        let events = vec![
            event("gen_ai.user.message", vec![("content", "[{\"text\": \"hi\"}]".into())]),
            event(
                "gen_ai.choice",
                vec![(
                    "message",
                    "[{\"toolUse\": {\"toolUseId\": \"c1\", \"name\": \"refund\", \"input\": {}}}]".into(),
                )],
            ),
        ];
        let sent = WireSpan { events, ..span("chat", vec![("gen_ai.operation.name", "chat".into())]) };
        let step = read(&in_scope("strands.telemetry.tracer", sent));
        assert_eq!(bodies(&step, &step.context)[0].1, r#"{"role":"user","content":[{"text": "hi"}]}"#);
        assert_eq!(step.proposed[0].call_id.as_deref(), Some("c1"));
    }
}
