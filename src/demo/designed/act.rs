//! One act of the designed loop: gate, intent, call, and the truth about it before anybody goes on.
use std::time::{Duration, SystemTime};

use opentelemetry::logs::{AnyValue, LogRecord, Logger, Severity};
use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};
use serde_json::{Value, json};

use crate::demo::conversation::Call;
use crate::demo::designed::intents::{Decision, Intent, Passage};
use crate::demo::designed::worker::{Course, Worker, status_text, tool_attributes};
use crate::demo::error::DemoError;
use crate::demo::service::Answer;
use crate::demo::tools;

/// How often an act is sent before its budget is spent.
const ROUNDS_MAX: usize = 5;
/// How often an unknown is looked up before a person is asked.
const LOOKS_MAX: i64 = 3;
/// How long the provider keeps keys.
const KEY_KEPT_NS: u64 = 24 * 3600 * 1_000_000_000;

/// An act that has passed the gate and is not sent yet.
#[derive(Debug)]
pub(super) struct Prepared {
    span: Context,
    call: Call,
    key: String,
}

/// What came of a call.
enum Sent {
    Done(String),
    Refused(String),
    NotNow(Duration),
    Silence,
    Died,
}

/// What a look-up found.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    There(String),
    NotThere,
    NoAnswer,
}

impl Worker<'_> {
    /// Does it once, whatever happens on the way; `None` when the worker died.
    pub(super) async fn act(
        &mut self,
        course: &mut Course,
        call: &Call,
        step: &str,
    ) -> Result<Option<String>, DemoError> {
        let key = key_of(course, call, step);
        for _round in 0..ROUNDS_MAX {
            let passage = self.ask_gate(course, call, step)?;
            let result = match &passage.decision {
                Decision::Stale => Some(status_text("refused", "another worker owns this run")),
                Decision::Duplicate(result) => {
                    self.held(course, (call, step), &passage, "duplicate");
                    Some(result.clone())
                }
                Decision::Unknown => {
                    self.held(course, (call, step), &passage, "unknown");
                    self.find_out(course, (call, step), &key).await?
                }
                Decision::New => {
                    let prepared = self.prepare(course, (call, step), &passage, self.trail.clock.now());
                    match self.deliver(course, prepared).await? {
                        Sent::Done(id) => self.confirm(course, (call, step), &key, id).await?,
                        Sent::Refused(why) => Some(status_text("refused", &why)),
                        Sent::NotNow(wait) => {
                            self.trail.clock.pass(wait);
                            None
                        }
                        Sent::Silence => self.find_out(course, (call, step), &key).await?,
                        Sent::Died => return Ok(None),
                    }
                }
            };
            if result.is_some() {
                return Ok(result);
            }
        }
        Ok(Some(status_text("refused", "the budget for this act is spent; it was not executed")))
    }

    fn ask_gate(&self, course: &Course, call: &Call, step: &str) -> Result<Passage, DemoError> {
        self.stage.intents.begin(&Intent {
            key: &key_of(course, call, step),
            run: &course.run,
            step,
            call: &serde_json::to_string(call)?,
            epoch: self.epoch,
            expires_ns: self.trail.clock.now_ns().saturating_add(KEY_KEPT_NS),
        })
    }

    /// Passes the gate with a call that this worker is about to send.
    pub(super) fn pass_gate(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        send_at: SystemTime,
    ) -> Result<Prepared, DemoError> {
        let passage = self.ask_gate(course, call, step)?;
        Ok(self.prepare(course, (call, step), &passage, send_at))
    }

    /// Starts the attempt's span and sends the intent ahead of the call: a log record survives a crash.
    fn prepare(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        passage: &Passage,
        send_at: SystemTime,
    ) -> Prepared {
        let key = key_of(course, call, step);
        let mut attributes = self.act_marks(course, (call, step), passage, "new");
        attributes.extend(tool_attributes(call));
        let span = SpanBuilder::from_name(format!("execute_tool {}", call.tool))
            .with_kind(SpanKind::Internal)
            .with_attributes(attributes);
        let span = self.trail.start_at(send_at, span, &self.root);
        let mut intent = self.act_marks(course, (call, step), passage, "new");
        intent.push(KeyValue::new("recount.action.outcome", "submitted"));
        intent.push(KeyValue::new("gen_ai.tool.name", call.tool.clone()));
        intent.push(KeyValue::new("gen_ai.tool.call.id", call.id.clone()));
        self.write_down(&span, intent);
        Prepared { span, call: call.clone(), key }
    }

    fn write_down(&self, span: &Context, attributes: Vec<KeyValue>) {
        let logger = &self.trail.sender.logger;
        let mut record = logger.create_log_record();
        record.set_event_name("recount.intent");
        record.set_timestamp(self.trail.clock.now());
        record.set_observed_timestamp(self.trail.clock.now());
        record.set_severity_number(Severity::Info);
        record.set_body(AnyValue::from("about to act"));
        let of = span.span().span_context().clone();
        record.set_trace_context(of.trace_id(), of.span_id(), Some(of.trace_flags()));
        for pair in attributes {
            record.add_attribute(pair.key, any(pair.value));
        }
        logger.emit(record);
    }

    /// Sends a prepared act and writes down what came of it.
    pub(super) async fn send(&mut self, course: &Course, prepared: Prepared) -> Result<(), DemoError> {
        self.deliver(course, prepared).await.map(|_| ())
    }

    async fn deliver(&mut self, course: &Course, prepared: Prepared) -> Result<Sent, DemoError> {
        let Prepared { span, call, key } = prepared;
        let request = tools::request(&call);
        let headers = self.headers(course, Some(&key));
        if self.doomed && call.tool == "issue_refund" {
            let http = self.trail.start_http(self.stage, &span, &request);
            self.stage.line.send(&self.stage.service, &request, &headers).await;
            // Killed while it waits: neither span ever ends.
            std::mem::forget((http, span));
            return Ok(Sent::Died);
        }
        let answer = self.trail.http(self.stage, &span, (&request, headers)).await;
        let intents = &self.stage.intents;
        let say = |outcome: &'static str, evidence: &'static str| {
            span.span().set_attribute(KeyValue::new("recount.action.outcome", outcome));
            span.span().set_attribute(KeyValue::new("recount.action.evidence", evidence));
        };
        let sent = match answer {
            Answer::Came { status: 0..=399, body, .. } => {
                let id = id_in(&body);
                let result = done_text(&id, None);
                intents.settle(&key, "confirmed", Some(&result))?;
                say("confirmed", "status");
                span.span().set_attribute(KeyValue::new("recount.action.downstream_id", id.clone()));
                span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", result));
                Sent::Done(id)
            }
            Answer::Came { status, retry_after, body, .. } if status < 500 => {
                intents.settle(&key, "failed", None)?;
                say("failed", "error");
                let told = status_text("refused", &message_in(&body));
                span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", told));
                span.span().set_attribute(KeyValue::new("error.type", status.to_string()));
                span.span().set_status(Status::error(message_in(&body)));
                match retry_after {
                    Some(seconds) if status == 429 => Sent::NotNow(Duration::from_secs(seconds + 1)),
                    _ => Sent::Refused(message_in(&body)),
                }
            }
            Answer::Came { .. } | Answer::None => {
                intents.settle(&key, "unknown", None)?;
                say("unknown", "timeout");
                let told =
                    status_text("outcome_unknown", "a look-up comes first; do not call this tool again");
                span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", told));
                span.span().set_attribute(KeyValue::new("error.type", "timeout"));
                span.span().set_status(Status::error("no answer within 30 s"));
                Sent::Silence
            }
        };
        self.trail.end(&span);
        Ok(sent)
    }

    /// Reads e-mails back: their service has been known to say OK and drop them.
    async fn confirm(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        key: &str,
        id: String,
    ) -> Result<Option<String>, DemoError> {
        if call.tool != "send_email" {
            return Ok(Some(done_text(&id, None)));
        }
        self.trail.clock.pass(Duration::from_secs(2));
        match self.look(course, (call, step), key, ("read", 1)).await {
            Found::There(id) => Ok(Some(done_text(&id, Some("read back from the sent log")))),
            Found::NotThere => {
                self.stage.intents.settle(key, "failed", None)?;
                Ok(None)
            }
            Found::NoAnswer => Ok(Some(status_text("outcome_unknown", "reading back did not answer"))),
        }
    }

    /// Asks the service what became of an act; never guesses. `None` when it did not happen.
    pub(super) async fn find_out(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        key: &str,
    ) -> Result<Option<String>, DemoError> {
        for attempt in 1..=LOOKS_MAX {
            self.trail.clock.pass(Duration::from_secs(5 * attempt.unsigned_abs()));
            match self.look(course, (call, step), key, ("reconcile", attempt)).await {
                Found::There(id) => {
                    let result = done_text(&id, Some("the answer was lost; found by look-up"));
                    self.stage.intents.settle(key, "confirmed", Some(&result))?;
                    return Ok(Some(result));
                }
                Found::NotThere => {
                    self.stage.intents.settle(key, "failed", None)?;
                    return Ok(None);
                }
                Found::NoAnswer => {}
            }
        }
        Ok(Some(status_text("outcome_unknown", "reconciliation pending; do not call this tool again")))
    }

    async fn look(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        key: &str,
        (kind, attempt): (&'static str, i64),
    ) -> Found {
        let own_step = match kind {
            "read" => format!("{step}-read-back-{}", course.seq),
            _ => format!("{step}-look-up-{}", self.epoch),
        };
        let mut attributes = self.step_marks(course, &own_step, kind);
        attributes.extend([
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", tools::look_up_name(&call.tool)),
            KeyValue::new("recount.step.attempt", attempt),
            KeyValue::new("recount.step.verifies", step.to_owned()),
            KeyValue::new("recount.action.target", tools::target(call)),
            KeyValue::new("recount.account.id", course.ticket.account.to_string()),
        ]);
        let name = format!("execute_tool {}", tools::look_up_name(&call.tool));
        let span = self.trail.start(name, SpanKind::Internal, &self.root, attributes);
        let headers = self.headers(course, None);
        let request = tools::look_up(call, key);
        let answer = self.trail.http(self.stage, &span, (&request, headers)).await;
        let found = match &answer {
            Answer::Came { status: 200, body, .. } => found_in(body),
            Answer::Came { .. } | Answer::None => Found::NoAnswer,
        };
        let evidence = if kind == "read" { "read_back" } else { "reconcile" };
        match &found {
            Found::There(id) => {
                span.span().set_attribute(KeyValue::new("recount.action.outcome", "confirmed"));
                span.span().set_attribute(KeyValue::new("recount.action.evidence", evidence));
                span.span().set_attribute(KeyValue::new("recount.action.downstream_id", id.clone()));
            }
            Found::NotThere => {
                span.span().set_attribute(KeyValue::new("recount.action.outcome", "failed"));
                span.span().set_attribute(KeyValue::new("recount.action.evidence", evidence));
            }
            Found::NoAnswer => span.span().set_status(Status::error("the look-up did not say")),
        }
        if let Answer::Came { body, status, .. } = answer {
            span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", body));
            if status >= 400 {
                span.span().set_attribute(KeyValue::new("error.type", status.to_string()));
            }
        }
        self.trail.end(&span);
        self.trail.clock.pass(Duration::from_millis(self.trail.chance.between(2, 9)));
        found
    }

    /// A call that the gate held: nothing is sent.
    pub(super) fn held(
        &mut self,
        course: &mut Course,
        (call, step): (&Call, &str),
        passage: &Passage,
        gate: &'static str,
    ) {
        let mut attributes = self.act_marks(course, (call, step), passage, gate);
        attributes.extend(tool_attributes(call));
        let name = format!("execute_tool {}", call.tool);
        let span = self.trail.start(name, SpanKind::Internal, &self.root, attributes);
        self.trail.clock.pass(Duration::from_millis(self.trail.chance.between(1, 4)));
        self.trail.end(&span);
    }

    fn act_marks(
        &self,
        course: &mut Course,
        (call, step): (&Call, &str),
        passage: &Passage,
        gate: &'static str,
    ) -> Vec<KeyValue> {
        let mut marks = self.step_marks(course, step, "act");
        let expires = i64::try_from(passage.expires_ns).unwrap_or(i64::MAX);
        let account = course.ticket.account.to_string();
        marks.extend([
            KeyValue::new("recount.step.attempt", passage.attempt),
            KeyValue::new("recount.action.target", tools::target(call)),
            KeyValue::new("recount.action.key", key_of(course, call, step)),
            KeyValue::new("recount.action.key_expires_at", expires),
            KeyValue::new("recount.gate.decision", gate),
            KeyValue::new("recount.entities", format!("{}, account:{account}", tools::target(call))),
            KeyValue::new("recount.account.id", account),
        ]);
        if call.tool == "issue_refund" {
            marks.push(KeyValue::new("recount.action.value", course.ticket.money()));
        }
        marks
    }

    /// Lets a reconciliation job look at what is still open, long after.
    pub(super) async fn revisit(&mut self, course: &mut Course) -> Result<(), DemoError> {
        for (step, call) in self.stage.intents.open_intents(&course.run)? {
            let call: Call = serde_json::from_str(&call)?;
            let passage = self.ask_gate(course, &call, &step)?;
            self.held(course, (&call, &step), &passage, "unknown");
            let key = key_of(course, &call, &step);
            let found = self.look(course, (&call, &step), &key, ("reconcile", 1)).await;
            if found == Found::NoAnswer {
                self.ask_a_person(course, &step);
            }
        }
        Ok(())
    }

    /// The key's window has passed: sending it again might do it twice, so a person decides.
    fn ask_a_person(&mut self, course: &mut Course, step: &str) {
        let mut attributes = self.step_marks(course, &format!("{step}-person"), "wait");
        attributes.push(KeyValue::new("recount.step.attempt", 1));
        attributes.push(KeyValue::new(
            "shop.escalation.reason",
            "the provider no longer keeps this key, so a replay may refund twice",
        ));
        let span = self.trail.start("ask a person".to_owned(), SpanKind::Internal, &self.root, attributes);
        self.trail.clock.pass(Duration::from_millis(400));
        self.trail.end(&span);
    }
}

/// Run, step, tool and target: a retry of the same plan item has the same key, whatever words the model used.
pub(super) fn key_of(course: &Course, call: &Call, step: &str) -> String {
    format!("{}:{step}:{}:{}", course.run, call.tool, tools::target(call))
}

fn done_text(id: &str, note: Option<&str>) -> String {
    match note {
        Some(note) => json!({ "status": "confirmed", "id": id, "note": note }).to_string(),
        None => json!({ "status": "confirmed", "id": id }).to_string(),
    }
}

fn found_in(body: &str) -> Found {
    let body: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    match body.get("data").and_then(Value::as_array).map(Vec::as_slice) {
        Some([first, ..]) => Found::There(id_in(&first.to_string())),
        Some([]) => Found::NotThere,
        None => Found::NoAnswer,
    }
}

fn id_in(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    body.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn message_in(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    body.pointer("/error/message").and_then(Value::as_str).unwrap_or("refused").to_owned()
}

fn any(value: opentelemetry::Value) -> AnyValue {
    use opentelemetry::Value as Other;

    match value {
        Other::I64(int) => AnyValue::Int(int),
        Other::F64(double) => AnyValue::Double(double),
        Other::Bool(truth) => AnyValue::Boolean(truth),
        other @ (Other::String(_) | Other::Array(_) | _) => AnyValue::String(other.to_string().into()),
    }
}
