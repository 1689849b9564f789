//! The OpenAI Agents SDK, whose own traces are not OTLP: through OpenInference or OpenTelemetry GenAI.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "openai_agents",
        title: "OpenAI Agents SDK",
        about: "Through OpenInference (which drops group and metadata) or OpenTelemetry GenAI \
                (which has model calls only where the OpenAI client is instrumented too). Neither \
                sends tool call ids, and a tool's error is replaced by a sentence before it is \
                sent, so its outcome stays unknown. It has no keys of its own.",
        reads: &[],
    },
    scopes: &[
        "openinference.instrumentation.openai_agents",
        "opentelemetry.instrumentation.genai.openai_agents",
    ],
    events: &[],
    code: read_result,
};

/// What the SDK tells the model when a tool raised.
const RAISED: &str = "An error occurred while running the tool.";

fn read_result(draft: &mut Draft<'_>) -> Option<()> {
    let result = draft.step.bodies.get(draft.step.result?)?;
    draft.error.failed |= result.body.starts_with(RAISED);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{in_scope, read, span};

    #[test]
    fn the_sentence_for_the_model_is_an_error() {
        let sentence = "An error occurred while running the tool. Please try again.";
        let list = vec![
            ("openinference.span.kind", "TOOL".into()),
            ("tool.name", "refund".into()),
            ("output.value", sentence.into()),
        ];
        let step = read(&in_scope("openinference.instrumentation.openai_agents", span("refund", list)));
        assert!(step.facts.error.is_some());
        assert_eq!(step.facts.dialect, "openinference+openai_agents");
    }
}
