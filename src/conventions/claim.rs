//! Who may say of what kind a step is, and in which order they are heard.
use crate::domain::kind::{Kind, KindSource};

/// The rules that tell a step's kind; of several that speak, the first in this order is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::conventions) enum KindRule {
    /// `recount.step.kind`.
    Recount,
    /// `openinference.span.kind`.
    OpenInference,
    /// `langfuse.observation.type`.
    Langfuse,
    /// `langsmith.span.kind`; before `GenAi`, because LangSmith sets the operation to `chain`.
    LangSmith,
    /// `mcp.method.name`.
    Mcp,
    /// `gen_ai.operation.name`.
    GenAi,
    /// `ai.operationId`.
    VercelAi,
    /// `traceloop.span.kind` and `llm.request.type`.
    OpenLlmetry,
    /// `mlflow.spanType`.
    Mlflow,
    /// The span types and events of Claude Code.
    ClaudeCode,
    /// The span names of pydantic-ai 1 and other runtimes' own.
    Runtime,
    /// A tool's name or call id is there.
    ToolNamed,
    /// `RunActivity:<type>`.
    Temporal,
    /// An HTTP call to somewhere else.
    Http,
    /// The span's name begins with an operation of the conventions.
    SpanName,
    /// It has an action of its own (a key, a target, an outcome), whatever it counts: an act, no model call.
    ActionNamed,
    /// A model or tokens are named.
    ModelNamed,
    /// It has a step id or an attempt number, so it is no plumbing.
    StepNamed,
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conventions) enum Work {
    /// A kind that needs no further look.
    Kind(Kind),
    /// A tool call: an act or a read, told apart by [`classify`](crate::conventions::classify).
    Tool,
}

impl KindRule {
    /// Who says so, by this rule.
    pub(in crate::conventions) fn source(self) -> KindSource {
        match self {
            Self::Recount => KindSource::Given,
            Self::SpanName | Self::ActionNamed | Self::StepNamed => KindSource::Inferred,
            Self::OpenInference
            | Self::Mcp
            | Self::GenAi
            | Self::Langfuse
            | Self::LangSmith
            | Self::VercelAi
            | Self::OpenLlmetry
            | Self::Mlflow
            | Self::ClaudeCode
            | Self::Runtime
            | Self::Temporal
            | Self::ToolNamed
            | Self::Http
            | Self::ModelNamed => KindSource::Convention,
        }
    }
}
