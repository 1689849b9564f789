//! Microsoft Agent Framework: OpenTelemetry GenAI, and messages again as log records.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "ms_agent_framework",
        title: "Microsoft Agent Framework",
        about: "Finish reasons are a JSON string, the server's address is a URL, and only the \
                agent's span has model parameters. The model is told only \"Error: Function \
                failed.\" of a tool that raised. It has no keys of its own.",
        reads: &[],
    },
    scopes: &["agent_framework*"],
    events: &[],
    code: read_result,
};

fn read_result(draft: &mut Draft<'_>) -> Option<()> {
    let result = draft.step.bodies.get(draft.step.result?)?;
    draft.error.failed |= result.body.starts_with("Error: Function failed.");
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{in_scope, read, span};

    #[test]
    fn finish_reasons_are_json() {
        let list = vec![
            ("gen_ai.operation.name", "chat".into()),
            ("gen_ai.response.finish_reasons", "[\"stop\"]".into()),
        ];
        let step = read(&in_scope("agent_framework", span("chat m", list)));
        assert_eq!(step.facts.finish_reasons, ["stop"]);
        assert_eq!(step.facts.dialect, "gen_ai+ms_agent_framework");
    }
}
