//! LangGraph, which has no OpenTelemetry of its own: its keys come through four other exporters' metadata.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, code};
use crate::domain::value::Value;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "langgraph",
        title: "LangGraph",
        about: "Through OpenInference, LangSmith or Langfuse its checkpoint namespace comes along: \
                a retried node keeps it, so attempts are linked by it. Through OpenTelemetry GenAI \
                a retry keeps its call id. Pauses (`GraphInterrupt`) are no failures.",
        reads: READS,
    },
    scopes: &["*"],
    events: &[],
    code: read_tags,
};

const TAGS: &str = "tag.tags";
const LANGSMITH_TAGS: &str = "langsmith.span.tags";
const RETRY: &str = "retry:attempt:";

const READS: &[Read] = &[
    code("langsmith.metadata.langgraph_step", "a node of a graph"),
    code("langfuse.observation.metadata.langgraph_step", "a node of a graph"),
    code("langsmith.metadata.langgraph_checkpoint_ns", "links attempts of one node"),
    code("langfuse.observation.metadata.langgraph_checkpoint_ns", "links attempts of one node"),
    code("metadata", "langgraph_checkpoint_ns in its JSON links attempts of one node").no_sign(),
    code(TAGS, "retry:attempt:N is the attempt's number").no_sign(),
    code(LANGSMITH_TAGS, "retry:attempt:N is the attempt's number").no_sign(),
];

fn read_tags(draft: &mut Draft<'_>) -> Option<()> {
    let tags = draft.get(TAGS).or(draft.get(LANGSMITH_TAGS))?;
    let tags: Vec<&str> = if let Value::Array(tags) = tags {
        tags.iter().filter_map(Value::as_str).collect()
    } else {
        tags.as_str()?.split(", ").collect()
    };
    let attempt = tags.iter().find_map(|tag| tag.strip_prefix(RETRY)?.parse().ok()).filter(|n| *n > 0)?;
    draft.facts().attempt.get_or_insert(attempt);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{read, span};

    #[test]
    fn retries_are_numbered_by_tags() {
        let tags = Value::Array(vec!["prod".into(), "retry:attempt:2".into()]);
        assert_eq!(read(&span("x", vec![("tag.tags", tags)])).facts.attempt, Some(2));
        let text = "prod, retry:attempt:3";
        assert_eq!(read(&span("x", vec![("langsmith.span.tags", text.into())])).facts.attempt, Some(3));
    }

    #[test]
    fn the_namespace_links_through_every_exporter() {
        for (key, value) in [
            ("metadata", r#"{"langgraph_checkpoint_ns": "tools:1"}"#),
            ("langsmith.metadata.langgraph_checkpoint_ns", "tools:1"),
            ("langfuse.observation.metadata.langgraph_checkpoint_ns", "\"tools:1\""),
        ] {
            let list = vec![("openinference.span.kind", "TOOL".into()), (key, value.into())];
            let facts = read(&span("lookup_order", list)).facts;
            assert_eq!(facts.link_keys, ["langgraph=tools:1"], "{key}");
            assert!(facts.dialect.contains("langgraph"), "{key}");
        }
    }
}
