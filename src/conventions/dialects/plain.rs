//! Bare keys and span names of hand-made instrumentation: heard last, and only where nothing better is said.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Read, Side, Text, code, count, text};
use crate::conventions::frame;
use crate::domain::kind::{Carrier, Kind};

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "",
        title: "Bare keys",
        about: "Short keys without a namespace, as people write them by hand, and operations named \
                by a span's first word (`chat gpt-4o`, `execute_tool refund`, `invoke_agent \
                support`).",
        reads: READS,
    },
    scopes: &["*"],
    events: &[],
    code: read_name,
};

const READS: &[Read] = &[
    text("run_id", Text::Run),
    text("session_id", Text::Session),
    text("conversation_id", Text::Session),
    text("thread_id", Text::Session),
    text("user_id", Text::User),
    count("input_tokens", Count::TokensIn),
    count("output_tokens", Count::TokensOut),
    text("tool_name", Text::Tool),
    text("tool_call_id", Text::ToolCallId),
    text("idempotency_key", Text::Key),
    code("args", "arguments of a tool call"),
    code("arguments", "arguments of a tool call"),
    code("result", "result of a tool call"),
];

fn read_name(draft: &mut Draft<'_>) -> Option<()> {
    let facts = &draft.step.facts;
    let is_span = draft.source.carrier == Carrier::Span;
    if facts.tool.is_some() || facts.tool_call_id.is_some() {
        draft.claim(KindRule::ToolNamed, Work::Tool);
    }
    let tokens = draft.step.facts.tokens;
    let counted = tokens.input.is_some() || tokens.output.is_some();
    let facts = &draft.step.facts;
    if is_span && (counted || facts.model.is_some() || facts.model_requested.is_some()) {
        draft.claim(KindRule::ModelNamed, Work::Kind(Kind::Think));
    }
    if is_span {
        claim_by_name(draft);
    }
    if draft.is_tool() {
        read_call(draft, is_span);
    }
    Some(())
}

fn claim_by_name(draft: &mut Draft<'_>) {
    let name = draft.source.name;
    let work = match name.split(' ').next().unwrap_or_default() {
        "execute_tool" => Work::Tool,
        "chat" | "text_completion" | "generate_content" => Work::Kind(Kind::Think),
        "invoke_agent" | "create_agent" | "invoke_workflow" => Work::Kind(Kind::Agent),
        "embeddings" => Work::Kind(Kind::Read),
        _ => return,
    };
    draft.claim(KindRule::SpanName, work);
}

fn read_call(draft: &mut Draft<'_>, is_span: bool) {
    let name = draft.source.name;
    let rest = name.strip_prefix("execute_tool ").unwrap_or(name);
    // Claude Code names the tool on the span above only.
    let named = !matches!(draft.claim, Some((KindRule::ClaudeCode, _)));
    if is_span && named && draft.step.facts.tool.is_none() && !rest.is_empty() {
        draft.facts().tool = Some(rest.to_owned());
    }
    for (keys, side) in [(&["args", "arguments"][..], Side::Arguments), (&["result"], Side::Result)] {
        for place in keys.iter().filter_map(|key| draft.place(key)).collect::<Vec<_>>() {
            if !draft.has(side) {
                frame::whole(draft, place, side);
            }
        }
    }
}
