//! CrewAI through OpenInference: crews, tasks and tools.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, code};
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "crewai",
        title: "CrewAI",
        about: "Through OpenInference. Model calls are there only where the model's client is \
                instrumented too; the crew's span name has a random part; tools send no call id. \
                `tool.current_usage_count` counts uses of a tool, not attempts, so it is not read.",
        reads: READS,
    },
    scopes: &["openinference.instrumentation.crewai", "crewai*"],
    events: &[],
    code: read_span,
};

const READS: &[Read] = &[code("crew_id", "a crew's span"), code("crew_key", "a crew's span")];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    let name = draft.source.name;
    if name.ends_with(".kickoff") {
        draft.claim(KindRule::Runtime, Work::Kind(Kind::Agent));
    }
    // The span of a tool is called after it, `lookup_order.run`.
    let tool = name.strip_suffix(".run").filter(|_| draft.is_tool())?.to_owned();
    draft.facts().tool.get_or_insert(tool);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{in_scope, read, span};

    #[test]
    fn tools_are_named_by_their_span() {
        let sent = span("lookup_order.run", vec![("openinference.span.kind", "TOOL".into())]);
        let step = read(&in_scope("openinference.instrumentation.crewai", sent));
        assert_eq!(step.facts.tool.as_deref(), Some("lookup_order"));
    }
}
