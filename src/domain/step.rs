//! One attempt of one step: the unit of record, as read from the wire, with its bodies.
use crate::domain::content::Content;
use crate::domain::entity::Entity;
use crate::domain::finding::Finding;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind, KindSource, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::value::Value;

/// An attempt as conventions read it. Redaction turns it into the only form that may be kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// Everything but bodies and original attributes.
    pub facts: Facts,
    /// The bodies; the fields below point into this list. Two fields may share one body.
    pub bodies: Vec<Content>,
    /// What the model saw, in order: system instructions, tool definitions, messages.
    pub context: Vec<usize>,
    /// What the model answered, in order.
    pub output: Vec<usize>,
    /// The arguments of the executed tool call.
    pub arguments: Option<usize>,
    /// What the tool gave back. An empty body is an empty result; `None` means none was received.
    pub result: Option<usize>,
    /// The tool calls that the model proposed.
    pub proposed: Vec<Proposal<usize>>,
    /// Every attribute, in order, repeats included; moved texts are [`Value::Framed`].
    pub attributes: Vec<(String, Value)>,
    /// Span events, in order.
    pub events: Vec<Event>,
    /// Attributes of the resource that sent it.
    pub resource: Vec<(String, Value)>,
    /// Name, version and attributes of the instrumentation scope.
    pub scope: ScopeInfo,
}

/// Everything that is known about an attempt without its bodies. Absent is `None`, never zero or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The trace. For records without one: derived from project, session and prompt.
    pub trace_id: TraceId,
    /// The span; any attempt's span id finds its step.
    pub span_id: SpanId,
    /// The span it hangs below.
    pub parent_span_id: Option<SpanId>,
    /// Span, event or log.
    pub carrier: Carrier,

    /// The run, where this record itself says so.
    pub run_id: Option<String>,
    /// The step, where given.
    pub step_id: Option<String>,
    /// The conversation.
    pub session_id: Option<String>,
    /// The end user for whom the agent worked.
    pub user_id: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The agent's version.
    pub agent_version: Option<String>,
    /// Who ran it.
    pub worker: Option<String>,
    /// The fencing number of the worker's lease.
    pub epoch: Option<u64>,
    /// The runtime's own sequence number.
    pub seq: Option<u64>,
    /// How many steps the run had, said on its last span: makes completeness provable.
    pub run_step_count: Option<u64>,
    /// `service.name` of the resource.
    pub service: Option<String>,
    /// `deployment.environment.name` of the resource.
    pub environment: Option<String>,
    /// The conventions that had something to say, in order of precedence, joined by `+`.
    pub dialect: String,

    /// What kind of work.
    pub kind: Kind,
    /// Who says so.
    pub kind_source: KindSource,
    /// The span's name.
    pub name: String,
    /// Start, nanoseconds since 1970, as sent. Clients send 0 and 2262: never trust it with a decision.
    pub started_ns: u64,
    /// End, nanoseconds since 1970; `None` while it runs (or when it never said).
    pub ended_ns: Option<u64>,
    /// The attempt number, where given (1-based).
    pub attempt: Option<u32>,
    /// How many tries one span covers, where the runtime counts them itself.
    pub tries: Option<u32>,
    /// Keys a convention links attempts by, each `rule=value`, such as `langgraph=<checkpoint ns>`.
    pub link_keys: Vec<String>,
    /// The ids of calls whose error this model call was shown as it came, among the answers that its input
    /// ends with.
    pub errors_shown: Vec<String>,

    /// The model that answered.
    pub model: Option<String>,
    /// The model that was asked.
    pub model_requested: Option<String>,
    /// Who serves the model.
    pub provider: Option<String>,
    /// Sampling and other request parameters: short names (`temperature`, `max_tokens`, …).
    pub parameters: Vec<(String, Value)>,
    /// Why the model stopped, as spelt by the sender.
    pub finish_reasons: Vec<String>,
    /// Token counts as reported.
    pub tokens: Tokens,
    /// Cost in US dollars, only as given.
    pub cost_usd: Option<f64>,

    /// The tool's name.
    pub tool: Option<String>,
    /// The id of the tool call.
    pub tool_call_id: Option<String>,
    /// What the act is on, such as `order:4812`.
    pub target: Option<String>,
    /// The idempotency key.
    pub key: Option<String>,
    /// Until when the provider keeps the key, nanoseconds since 1970.
    pub key_expires_ns: Option<u64>,
    /// What the gate decided.
    pub gate: Gate,
    /// The outcome, where given.
    pub outcome: Option<Outcome>,
    /// The evidence, where given.
    pub evidence: Option<Evidence>,
    /// Whether the tool's rule asks for a read-back before it counts as confirmed.
    pub read_back_required: bool,
    /// The money or amount at stake, as text, such as `40.00 EUR`.
    pub value: Option<String>,
    /// The id the downstream system gave the effect, such as `re_9013`.
    pub downstream_id: Option<String>,
    /// The step that this read-back or reconciliation is about.
    pub verifies: Option<String>,
    /// The action (its key or step id) that this act undoes.
    pub compensates: Option<String>,
    /// Who approved it.
    pub approver: Option<String>,
    /// The version of the policy it ran under.
    pub policy_version: Option<String>,
    /// The runtime's own name for the snapshot of what the model saw.
    pub context_ref: Option<String>,
    /// Accounts, orders and others that it acted upon or for; no repeats, order as found.
    pub entities: Vec<Entity>,

    /// The OTLP status.
    pub status: Status,
    /// The OTLP status message.
    pub status_message: String,
    /// What went wrong, most precise wording first found.
    pub error: Option<Failure>,
    /// The HTTP exchange that this span is, or that its attributes tell of.
    pub http: Option<Http>,
    /// Spans of other traces it is linked to.
    pub links: Vec<Link>,
    /// What was noticed while reading it.
    pub findings: Vec<Finding>,
    /// What the SDK says it dropped before sending.
    pub dropped: Dropped,
}

/// Token counts of one model call, as the runtime reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Input tokens, never reduced.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Input tokens read from the provider's cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to the provider's cache.
    pub cache_write: Option<u64>,
    /// Output tokens spent on reasoning.
    pub reasoning: Option<u64>,
    /// `input` does not contain the cached tokens (Claude).
    pub cache_apart: bool,
}

/// An error as told: its type (class, code) and its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// Such as `ReadTimeout`, `429`, `ToolRetryError`; empty when not told.
    pub kind: String,
    /// The text; empty when not told.
    pub message: String,
}

/// An HTTP exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Http {
    /// Upper-case method.
    pub method: Option<String>,
    /// The answer's status code; `None` when no answer came.
    pub status_code: Option<u16>,
    /// How often the client sent it again (`http.request.resend_count`).
    pub resend_count: Option<u32>,
    /// Seconds or date of the answer's `Retry-After` header.
    pub retry_after: Option<String>,
}

/// A tool call that a model proposed. `B` points to the arguments' body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal<B> {
    /// The call's id.
    pub call_id: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The arguments, exactly as received.
    pub arguments: Option<B>,
    /// False when the arguments were cut off in the stream.
    pub complete: bool,
}

/// A span event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Event {
    /// The event's name.
    pub name: String,
    /// When, nanoseconds since 1970.
    pub at_ns: u64,
    /// Its attributes.
    pub attributes: Vec<(String, Value)>,
}

/// A link to a span of this or another trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Link {
    /// The other trace.
    pub trace_id: TraceId,
    /// The other span.
    pub span_id: SpanId,
    /// Attributes of the link.
    pub attributes: Vec<(String, Value)>,
}

/// The instrumentation scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScopeInfo {
    /// The library's name.
    pub name: String,
    /// The library's version.
    pub version: String,
    /// Its attributes.
    pub attributes: Vec<(String, Value)>,
}

/// How much the SDK dropped before sending, as it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Attributes.
    pub attributes: u32,
    /// Events.
    pub events: u32,
    /// Links.
    pub links: u32,
}

impl Step {
    /// Adds a body and returns its index.
    pub fn add_body(&mut self, content: Content) -> usize {
        self.bodies.push(content);
        self.bodies.len() - 1
    }
}
