//! MLflow: every value is a JSON-encoded string.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, Side, code};
use crate::conventions::frame;
use crate::conventions::json::{self, Object};
use crate::conventions::messages;
use crate::conventions::results;
use crate::domain::kind::Kind;
use crate::domain::value::Value;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "mlflow",
        title: "MLflow",
        about: "Version 3. Values are JSON-encoded strings; its exporter to OTLP leaves out the \
                session and the user of a trace.",
        reads: READS,
    },
    scopes: &["mlflow*"],
    events: &[],
    code: read_span,
};

const KIND: &str = "mlflow.spanType";
const INPUTS: &str = "mlflow.spanInputs";
const OUTPUTS: &str = "mlflow.spanOutputs";
const FUNCTION: &str = "mlflow.spanFunctionName";
const TRACE: &str = "mlflow.traceRequestId";
const USAGE: &str = "mlflow.chat.tokenUsage";
const MODEL: &str = "mlflow.llm.model";
const PROVIDER: &str = "mlflow.llm.provider";
const SESSION: &str = "mlflow.trace.session";
const USER: &str = "mlflow.trace.user";

const READS: &[Read] = &[
    code(KIND, "kind of span: LLM, CHAT_MODEL, TOOL, RETRIEVER, EMBEDDING, AGENT, CHAIN"),
    code(TRACE, "the run"),
    code(SESSION, "session"),
    code(USER, "user"),
    code(FUNCTION, "the tool's name"),
    code(MODEL, "model"),
    code(PROVIDER, "provider"),
    code(USAGE, "token counts in its JSON"),
    code(INPUTS, "messages of a model call; arguments of a tool"),
    code(OUTPUTS, "answer of a model call; result of a tool"),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    let quoted = |key: &str| {
        let text = draft.get(key).and_then(Value::as_str)?;
        if text.starts_with('"') {
            json::scalar(text)
        } else {
            Some(text.to_owned()).filter(|text| !text.is_empty())
        }
    };
    let (kind, run, function) = (quoted(KIND), quoted(TRACE), quoted(FUNCTION));
    let (model, provider) = (quoted(MODEL), quoted(PROVIDER));
    let (session, user) = (quoted(SESSION), quoted(USER));
    let facts = draft.facts();
    facts.run_id = facts.run_id.take().or(run);
    facts.session_id = facts.session_id.take().or(session);
    facts.user_id = facts.user_id.take().or(user);
    facts.model = facts.model.take().or(model);
    facts.provider = facts.provider.take().or(provider);
    read_usage(draft);
    let work = match kind?.as_str() {
        "LLM" | "CHAT_MODEL" => Work::Kind(Kind::Think),
        "TOOL" => Work::Tool,
        "RETRIEVER" | "EMBEDDING" | "RERANKER" => Work::Kind(Kind::Read),
        "AGENT" => Work::Kind(Kind::Agent),
        _ => Work::Kind(Kind::Other),
    };
    draft.claim(KindRule::Mlflow, work);
    let (inputs, outputs) = (draft.place(INPUTS), draft.place(OUTPUTS));
    match work {
        Work::Tool => {
            let name = function.unwrap_or_else(|| draft.source.name.to_owned());
            draft.facts().tool.get_or_insert(name);
            inputs.and_then(|place| frame::whole(draft, place, Side::Arguments));
            outputs.and_then(|place| results::read(draft, place))
        }
        Work::Kind(Kind::Think) => {
            inputs.and_then(|place| messages::read(draft, place, Side::Input));
            outputs.and_then(|place| messages::read(draft, place, Side::Output))
        }
        Work::Kind(_) => None,
    }
}

fn read_usage(draft: &mut Draft<'_>) -> Option<()> {
    let value = draft.get(USAGE)?;
    let text = value.as_str().map_or_else(|| json::of_value(value), str::to_owned);
    let usage = Object::parse(&text)?;
    let count = |key: &str| usage.text(key)?.parse::<u64>().ok();
    let tokens = &mut draft.step.facts.tokens;
    tokens.input = tokens.input.or(count("input_tokens"));
    tokens.output = tokens.output.or(count("output_tokens"));
    tokens.cache_read = tokens.cache_read.or(count("cache_read_input_tokens"));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{body, read, span};

    #[test]
    fn values_are_json_texts() {
        let step = read(&span(
            "lookup",
            vec![
                ("mlflow.spanType", "\"TOOL\"".into()),
                ("mlflow.spanFunctionName", "\"lookup_order\"".into()),
                ("mlflow.traceRequestId", "\"tr-1\"".into()),
                ("mlflow.spanInputs", "{\"order_id\": \"4812\"}".into()),
                ("mlflow.spanOutputs", "{\"ok\": 1}".into()),
            ],
        ));
        let facts = &step.facts;
        assert_eq!(
            (facts.kind, facts.tool.as_deref(), facts.run_id.as_deref()),
            (Kind::Read, Some("lookup_order"), Some("tr-1"))
        );
        assert_eq!(body(&step, step.arguments), Some("{\"order_id\": \"4812\"}"));
        let outputs = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "refund", "arguments": "{}"}}]}}]}"#;
        let step = read(&span(
            "chat",
            vec![
                ("mlflow.spanType", "\"CHAT_MODEL\"".into()),
                ("mlflow.spanInputs", r#"{"messages": [{"role": "user", "content": "hi"}]}"#.into()),
                ("mlflow.spanOutputs", outputs.into()),
                ("mlflow.chat.tokenUsage", r#"{"input_tokens": 5, "output_tokens": 6}"#.into()),
            ],
        ));
        assert_eq!((step.facts.kind, step.facts.tokens.input), (Kind::Think, Some(5)));
        assert_eq!(step.proposed[0].tool, "refund");
    }
}
