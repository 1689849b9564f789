//! AutoGen: spans of its message runtime, and OpenTelemetry GenAI for tools and agents.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, code};
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "autogen",
        title: "AutoGen",
        about: "Version 0.7 splits one run over several traces, joined by span links; they are \
                read as one run. Tools come without arguments and results, and model calls only \
                from the model's own client.",
        reads: READS,
    },
    scopes: &["autogen*"],
    events: &[],
    code: read_span,
};

const READS: &[Read] = &[code("messaging.operation", "a message on its way: plumbing").no_sign()];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    if draft.get("messaging.operation").is_some() || draft.source.name.starts_with("autogen ") {
        draft.claim(KindRule::Runtime, Work::Kind(Kind::Other));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{in_scope, read, span};

    #[test]
    fn messages_are_plumbing_and_tools_are_calls() {
        let sent = span("autogen process Agent", vec![("messaging.operation", "process".into())]);
        let step = read(&in_scope("autogen SingleThreadedAgentRuntime", sent));
        assert_eq!((step.facts.kind, step.facts.dialect.as_str()), (Kind::Other, "autogen"));
        let list =
            vec![("gen_ai.operation.name", "execute_tool".into()), ("gen_ai.tool.name", "refund".into())];
        let step = read(&in_scope("autogen-core", span("execute_tool refund", list)));
        assert_eq!((step.facts.kind, step.facts.dialect.as_str()), (Kind::Act, "gen_ai+autogen"));
    }
}
