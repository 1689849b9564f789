//! The spans of one worker in one run: model calls and HTTP calls as the OpenTelemetry conventions have them.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};

use crate::demo::chance::Chance;
use crate::demo::clock::Clock;
use crate::demo::conversation::{Conversation, Reply};
use crate::demo::model::Model;
use crate::demo::service::{Answer, Headers};
use crate::demo::stage::Stage;
use crate::demo::telemetry::Sender;
use crate::demo::tools::{self, Request};

/// How long a caller waits for an answer, as told.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Where the spans of a worker go, and its time.
#[derive(Debug)]
pub(super) struct Trail {
    pub(super) sender: Arc<Sender>,
    pub(super) clock: Clock,
    pub(super) chance: Chance,
}

impl Trail {
    /// Starts a span now.
    pub(super) fn start(
        &self,
        name: String,
        kind: SpanKind,
        parent: &Context,
        attributes: Vec<KeyValue>,
    ) -> Context {
        self.start_at(
            self.clock.now(),
            SpanBuilder::from_name(name).with_kind(kind).with_attributes(attributes),
            parent,
        )
    }

    /// Starts a span at a time of its own.
    pub(super) fn start_at(&self, at: SystemTime, span: SpanBuilder, parent: &Context) -> Context {
        let span = self.sender.tracer.build_with_context(span.with_start_time(at), parent);
        parent.with_span(span)
    }

    /// Ends a span now.
    pub(super) fn end(&self, span: &Context) {
        span.span().end_with_timestamp(self.clock.now());
    }

    /// A model call: what it saw, what it said, what it cost.
    pub(super) fn chat(
        &mut self,
        parent: &Context,
        model: &Model,
        (conversation, reply): (&Conversation, &Reply),
        more: Vec<KeyValue>,
    ) {
        let (input, output) = (conversation.input_json(), reply.output_json());
        let tokens_in = tokens(&input) + tokens(&conversation.system) + tokens(&tools::definitions());
        let tokens_out = tokens(&output);
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.provider.name", model.provider),
            KeyValue::new("gen_ai.request.model", model.name),
            KeyValue::new("gen_ai.response.model", model.answers_as),
            KeyValue::new("gen_ai.response.id", self.chance.id("resp_", 16)),
            KeyValue::new("gen_ai.request.temperature", 0.2),
            KeyValue::new("gen_ai.request.max_tokens", 1024),
            KeyValue::new("gen_ai.response.finish_reasons", list(reply.finish_reason())),
            KeyValue::new("gen_ai.usage.input_tokens", tokens_in),
            KeyValue::new("gen_ai.usage.output_tokens", tokens_out),
            KeyValue::new("gen_ai.usage.cost", cost(model, tokens_in, tokens_out)),
            KeyValue::new("gen_ai.system_instructions", conversation.system_json()),
            KeyValue::new("gen_ai.tool.definitions", tools::definitions()),
            KeyValue::new("gen_ai.input.messages", input),
            KeyValue::new("gen_ai.output.messages", output),
            KeyValue::new("server.address", model.host),
            KeyValue::new("server.port", 443),
        ];
        attributes.extend(more);
        let span = self.start(format!("chat {}", model.name), SpanKind::Client, parent, attributes);
        let thinking = 700 + 9 * u64::try_from(tokens_out).unwrap_or_default();
        self.clock.pass(Duration::from_millis(thinking + self.chance.between(0, 900)));
        self.end(&span);
        self.clock.pass(Duration::from_millis(self.chance.between(2, 15)));
    }

    /// An HTTP call below a tool's span.
    pub(super) async fn http(
        &mut self,
        stage: &Stage,
        parent: &Context,
        (request, headers): (&Request, Headers),
    ) -> Answer {
        let span = self.start_http(stage, parent, request);
        let answer = stage.line.send(&stage.service, request, &headers).await;
        let on_its_way = Duration::from_millis(self.chance.between(40, 380));
        let span_ref = span.span();
        match &answer {
            Answer::Came { status, retry_after, late, .. } => {
                self.clock.pass(on_its_way + *late);
                span_ref.set_attribute(KeyValue::new("http.response.status_code", i64::from(*status)));
                if let Some(seconds) = retry_after {
                    let seconds = list(seconds.to_string());
                    span_ref.set_attribute(KeyValue::new("http.response.header.retry-after", seconds));
                }
                if *status >= 400 {
                    span_ref.set_attribute(KeyValue::new("error.type", status.to_string()));
                    span_ref.set_status(Status::error(""));
                }
            }
            Answer::None => {
                self.clock.pass(PATIENCE);
                span_ref.set_attribute(KeyValue::new("error.type", "ReadTimeout"));
                span_ref.set_status(Status::error("no answer within 30 s"));
            }
        }
        self.end(&span);
        self.clock.pass(Duration::from_millis(self.chance.between(1, 6)));
        answer
    }

    /// The span of an HTTP call that was sent.
    pub(super) fn start_http(&self, stage: &Stage, parent: &Context, request: &Request) -> Context {
        let address = stage.line.address();
        let attributes = vec![
            KeyValue::new("http.request.method", request.method),
            KeyValue::new("url.full", format!("http://{address}{}", request.path)),
            KeyValue::new("server.address", address.ip().to_string()),
            KeyValue::new("server.port", i64::from(address.port())),
            KeyValue::new("network.protocol.version", "1.1"),
        ];
        self.start(request.method.to_owned(), SpanKind::Client, parent, attributes)
    }
}

/// A list of one text.
fn list(text: impl Into<StringValue>) -> Value {
    Value::Array(Array::String(vec![text.into()]))
}

/// About four characters are a token.
fn tokens(text: &str) -> i64 {
    i64::try_from(text.len() / 4).unwrap_or(i64::MAX)
}

fn cost(model: &Model, tokens_in: i64, tokens_out: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
    let (tokens_in, tokens_out) = (tokens_in as f64, tokens_out as f64);
    let dollars = (tokens_in * model.price_in + tokens_out * model.price_out) / 1_000_000.0;
    (dollars * 1_000_000.0).round() / 1_000_000.0
}
