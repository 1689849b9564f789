//! Realistic agent runs for benches: 20 spans a run (1 agent, 10 model calls, 9 tool calls), as OTLP requests.
//!
//! *Flat*: each model call carries about 2 KB of its own text. *Growing*: each model call sends the whole history again,
//! as real loops do. Deterministic: one seed gives the same bytes, and no id repeats within a seed.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a generator of test data: every index and number is small"
)]
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use serde_json::json;

/// Which kind of loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each model call has its own text.
    Flat,
    /// Each model call sends all earlier messages again.
    Growing,
}

/// A source of runs.
pub(crate) struct Workload {
    state: u64,
    words: Vec<String>,
    clock_ns: u64,
}

const TOOLS: [&str; 6] =
    ["lookup_order", "issue_refund", "search_kb", "send_email", "get_account", "update_ticket"];
const MODELS: [&str; 3] = ["claude-sonnet-4-5", "gpt-5-mini", "gemini-3-pro"];

impl Workload {
    /// A workload from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut this = Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            words: Vec::new(),
            clock_ns: 1_795_970_000_000_000_000 + seed * 1_000_000_000_000,
        };
        let syllables = [
            "ta", "re", "mi", "con", "ver", "al", "or", "en", "st", "pro", "de", "in", "ac", "count", "fund",
            "er",
        ];
        for _ in 0..8_000 {
            let length = 1 + this.below(4);
            let word = (0..length).map(|_| syllables[this.below(syllables.len())]).collect();
            this.words.push(word);
        }
        this
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }

    /// Prose of about this many bytes; common words are common.
    fn prose(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
            let index = (self.words.len() as f64).powf(unit) as usize;
            text.push_str(&self.words[index.min(self.words.len() - 1)]);
            text.push(' ');
        }
        text
    }

    /// The spans of one run with this many model calls (and one tool call fewer, and the agent's own span).
    pub(crate) fn run(&mut self, shape: Shape, calls: usize) -> Vec<Span> {
        let trace_id = [self.next().to_be_bytes(), self.next().to_be_bytes()].concat();
        let root = self.next().to_be_bytes().to_vec();
        let (account, order) =
            (format!("acct_{:07}", self.below(10_000_000)), format!("ord_{:010x}", self.next() >> 24));
        let model = MODELS[self.below(MODELS.len())];
        let started = self.clock_ns;
        let system = json!({"role": "system", "parts": [{"type": "text", "content": "You are a careful support agent. Never refund twice; read the record back."}]});
        let opening = format!("Customer {account}, order {order}: {}", self.prose(900));
        let mut history =
            vec![system, json!({"role": "user", "parts": [{"type": "text", "content": opening}]})];
        let mut spans = Vec::new();
        for call in 0..calls {
            let tool = TOOLS[self.below(TOOLS.len())];
            let id = format!("call_{:016x}", self.next());
            let arguments = json!({"account_id": account, "order_id": order, "amount": self.below(90_000), "reason": self.prose(120)});
            let last = call + 1 == calls;
            let output = if last {
                json!({"role": "assistant", "parts": [{"type": "text", "content": self.prose(400)}], "finish_reason": "stop"})
            } else {
                json!({"role": "assistant", "parts": [{"type": "text", "content": self.prose(300)}, {"type": "tool_call", "id": id, "name": tool, "arguments": arguments}]})
            };
            if shape == Shape::Flat {
                let fresh = self.prose(1_100);
                history.truncate(1);
                history.push(json!({"role": "user", "parts": [{"type": "text", "content": format!("{account} {order} {fresh}")}]}));
            }
            let think = vec![
                text("gen_ai.operation.name", "chat"),
                text("gen_ai.provider.name", "openai"),
                text("gen_ai.request.model", model),
                text("gen_ai.response.model", model),
                double("gen_ai.request.temperature", 0.2),
                int("gen_ai.usage.input_tokens", 900 + 200 * call as i64),
                int("gen_ai.usage.output_tokens", 120),
                text("gen_ai.input.messages", &serde_json::Value::from(history.clone()).to_string()),
                text("gen_ai.output.messages", &json!([output]).to_string()),
            ];
            spans.push(self.span(&trace_id, &root, &format!("chat {model}"), think));
            history.push(output);
            if last {
                break;
            }
            let result = json!({"status": 200, "order": order, "items": [{"id": self.next(), "note": self.prose(300)}, {"id": self.next(), "note": self.prose(300)}]});
            let act = vec![
                text("gen_ai.operation.name", "execute_tool"),
                text("gen_ai.tool.name", tool),
                text("gen_ai.tool.call.id", &id),
                text("gen_ai.tool.call.arguments", &arguments.to_string()),
                text("gen_ai.tool.call.result", &result.to_string()),
                text("recount.action.key", &format!("{order}:{call}:{tool}")),
                text("recount.gate.decision", "new"),
            ];
            spans.push(self.span(&trace_id, &root, &format!("execute_tool {tool}"), act));
            history.push(json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": result}]}));
        }
        let agent = vec![
            text("gen_ai.operation.name", "invoke_agent"),
            text("gen_ai.agent.name", "support-agent"),
            text("gen_ai.conversation.id", &format!("conv-{}", self.below(1_000_000))),
            text("recount.account.id", &account),
        ];
        let ended = self.clock_ns;
        let mut own = self.span(&trace_id, &[], "invoke_agent support-agent", agent);
        own.span_id = root;
        own.start_time_unix_nano = started;
        own.end_time_unix_nano = ended;
        spans.push(own);
        spans
    }

    fn span(&mut self, trace_id: &[u8], parent: &[u8], name: &str, attributes: Vec<KeyValue>) -> Span {
        let started = self.clock_ns;
        self.clock_ns += 40_000_000 + self.below(900_000_000) as u64;
        Span {
            trace_id: trace_id.to_vec(),
            span_id: self.next().to_be_bytes().to_vec(),
            parent_span_id: parent.to_vec(),
            name: name.to_owned(),
            kind: 3,
            start_time_unix_nano: started,
            end_time_unix_nano: self.clock_ns,
            attributes,
            ..Span::default()
        }
    }

    /// Requests of about `batch` spans each, `spans` in all, in whole runs of 20 spans (10 model calls).
    pub(crate) fn requests(
        &mut self,
        shape: Shape,
        spans: usize,
        batch: usize,
    ) -> Vec<ExportTraceServiceRequest> {
        let mut requests = Vec::new();
        let mut gathered = Vec::new();
        let mut made = 0;
        while made < spans {
            let run = self.run(shape, 10);
            made += run.len();
            gathered.extend(run);
            if gathered.len() >= batch || made >= spans {
                requests.push(request(std::mem::take(&mut gathered)));
            }
        }
        requests
    }
}

/// One request with these spans.
pub(crate) fn request(spans: Vec<Span>) -> ExportTraceServiceRequest {
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(Resource {
                attributes: vec![text("service.name", "bench"), text("deployment.environment.name", "bench")],
                ..Resource::default()
            }),
            scope_spans: vec![ScopeSpans {
                scope: Some(InstrumentationScope {
                    name: "recount-bench".to_owned(),
                    ..InstrumentationScope::default()
                }),
                spans,
                ..ScopeSpans::default()
            }],
            ..ResourceSpans::default()
        }],
    }
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}

fn text(key: &str, value: &str) -> KeyValue {
    attribute(key, Value::StringValue(value.to_owned()))
}

fn int(key: &str, value: i64) -> KeyValue {
    attribute(key, Value::IntValue(value))
}

fn double(key: &str, value: f64) -> KeyValue {
    attribute(key, Value::DoubleValue(value))
}
