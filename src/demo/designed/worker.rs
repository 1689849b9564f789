//! A worker of the designed loop: it owns a run while its epoch is the highest.
use std::collections::BTreeSet;
use std::time::SystemTime;

use opentelemetry::trace::{Link, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};
use serde_json::{Value, json};

use crate::demo::chance::Chance;
use crate::demo::clock::Clock;
use crate::demo::conversation::{Call, Conversation, Said};
use crate::demo::error::DemoError;
use crate::demo::model::{DESIGNED, SYSTEM_DESIGNED};
use crate::demo::service::{Answer, Headers};
use crate::demo::stage::Stage;
use crate::demo::ticket::Ticket;
use crate::demo::tools;
use crate::demo::trail::Trail;

const SERVICE: &str = "support-agent-durable";
const AGENT: &str = "support-agent-durable";
const TURNS_MAX: usize = 24;

/// What stays the same whoever works on a run.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) run: String,
    pub(super) session: String,
    pub(super) ticket: Ticket,
    /// The plan: the tools to use, in order.
    pub(super) goals: &'static [&'static str],
    /// Every step so far.
    pub(super) steps: BTreeSet<String>,
    /// The last number given to a span.
    pub(super) seq: i64,
}

/// A worker on a run.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    pub(super) stage: &'a Stage,
    pub(super) trail: Trail,
    pub(super) root: Context,
    pub(super) epoch: u64,
    name: String,
    conversation: Conversation,
    /// It is killed when it has sent a refund.
    pub(super) doomed: bool,
}

impl<'a> Worker<'a> {
    /// Takes the run over and starts a trace of its own, linked to the one before.
    pub(super) fn take(
        stage: &'a Stage,
        course: &mut Course,
        (name, from): (&str, SystemTime),
        chance: Chance,
        before: Option<SpanContext>,
    ) -> Result<Self, DemoError> {
        let sender = stage.telemetry.of(SERVICE, name)?;
        let trail = Trail { sender, clock: Clock::at(from), chance };
        let epoch = stage.intents.take(&course.run, name)?;
        let kept = stage.intents.load(&course.run)?;
        let conversation =
            kept.unwrap_or_else(|| Conversation::new(SYSTEM_DESIGNED, &course.ticket.complaint));
        let name = name.to_owned();
        let mut worker =
            Self { stage, trail, root: Context::new(), epoch, name, conversation, doomed: false };
        let mut attributes = worker.marks(course);
        attributes.extend([
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.agent.name", AGENT),
            KeyValue::new("gen_ai.agent.version", "2.3.1"),
            KeyValue::new("gen_ai.conversation.id", course.session.clone()),
            KeyValue::new("gen_ai.provider.name", DESIGNED.provider),
            KeyValue::new("gen_ai.request.model", DESIGNED.name),
            KeyValue::new("recount.account.id", course.ticket.account.to_string()),
            KeyValue::new("recount.user.id", course.ticket.email.clone()),
            KeyValue::new("recount.policy.version", "refunds-7"),
        ]);
        let links = before.map(|before| Link::new(before, Vec::new(), 0)).into_iter().collect();
        let span = SpanBuilder::from_name(format!("invoke_agent {AGENT}"))
            .with_kind(SpanKind::Internal)
            .with_attributes(attributes)
            .with_links(links);
        worker.root = worker.trail.start_at(worker.trail.clock.now(), span, &Context::new());
        Ok(worker)
    }

    /// What every span of the run carries.
    pub(super) fn marks(&self, course: &mut Course) -> Vec<KeyValue> {
        course.seq += 1;
        vec![
            KeyValue::new("recount.run.id", course.run.clone()),
            KeyValue::new("recount.run.epoch", i64::try_from(self.epoch).unwrap_or(i64::MAX)),
            KeyValue::new("recount.run.seq", course.seq),
            KeyValue::new("recount.worker.id", self.name.clone()),
        ]
    }

    /// Marks of a step, counted.
    pub(super) fn step_marks(&self, course: &mut Course, step: &str, kind: &'static str) -> Vec<KeyValue> {
        course.steps.insert(step.to_owned());
        let mut marks = self.marks(course);
        marks.push(KeyValue::new("recount.step.id", step.to_owned()));
        marks.push(KeyValue::new("recount.step.kind", kind));
        marks
    }

    /// Thinks and acts until nothing is left to do. False when the worker died on the way.
    pub(super) async fn play_out(&mut self, course: &mut Course) -> Result<bool, DemoError> {
        for _turn in 0..TURNS_MAX {
            let calls = match self.conversation.unanswered() {
                // A worker before this one got as far as the proposal.
                left if !left.is_empty() => left,
                _ => self.think(course)?,
            };
            if calls.is_empty() {
                return Ok(true);
            }
            for call in calls {
                let Some(result) = self.execute(course, &call).await? else { return Ok(false) };
                self.heard(course, &call, result)?;
            }
        }
        Ok(true)
    }

    /// One model call; gives the calls that it proposes.
    pub(super) fn think(&mut self, course: &mut Course) -> Result<Vec<Call>, DemoError> {
        let said = self.conversation.said.iter().filter(|said| matches!(said, Said::Model(_))).count();
        let reply = DESIGNED.answer(&self.conversation, &course.ticket, course.goals, &mut self.trail.chance);
        let mut marks = self.step_marks(course, &format!("think-{}", said + 1), "think");
        marks.push(KeyValue::new("recount.step.attempt", 1));
        self.trail.chat(&self.root, &DESIGNED, (&self.conversation, &reply), marks);
        let calls = reply.calls.clone();
        self.conversation.said.push(Said::Model(reply));
        self.stage.intents.save(&course.run, &self.conversation)?;
        Ok(calls)
    }

    /// Gives the model a result, and keeps the conversation.
    pub(super) fn heard(&mut self, course: &Course, call: &Call, result: String) -> Result<(), DemoError> {
        let (call, tool) = (call.id.clone(), call.tool.clone());
        self.conversation.said.push(Said::Tool { call, tool, result });
        self.stage.intents.save(&course.run, &self.conversation)
    }

    /// Executes a call; `None` when the worker died.
    async fn execute(&mut self, course: &mut Course, call: &Call) -> Result<Option<String>, DemoError> {
        let step = step_of(course, &call.tool);
        if tools::acts(&call.tool) {
            self.act(course, call, &step).await
        } else {
            Ok(Some(self.read(course, call).await))
        }
    }

    /// Reads, and says in a status what came of it.
    pub(super) async fn read(&mut self, course: &mut Course, call: &Call) -> String {
        let step = step_of(course, &call.tool);
        let mut attributes = self.step_marks(course, &step, "read");
        attributes.extend(tool_attributes(call));
        attributes.push(KeyValue::new("recount.step.attempt", 1));
        let span = self.trail.start(
            format!("execute_tool {}", call.tool),
            SpanKind::Internal,
            &self.root,
            attributes,
        );
        let headers = self.headers(course, None);
        let answer = self.trail.http(self.stage, &span, (&tools::request(call), headers)).await;
        let result = match answer {
            Answer::Came { status: 0..=399, body, .. } => {
                let order: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
                json!({ "status": "ok", "order": order }).to_string()
            }
            Answer::Came { status, .. } => status_text("refused", &format!("HTTP {status}")),
            Answer::None => status_text("no_answer", "the order could not be read"),
        };
        span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", result.clone()));
        self.trail.end(&span);
        result
    }

    /// What goes with a request: the time, and the epoch that fences a stale worker.
    pub(super) fn headers(&self, course: &Course, key: Option<&str>) -> Headers {
        Headers {
            key: key.map(str::to_owned),
            fence: Some((course.run.clone(), self.epoch)),
            now_ns: self.trail.clock.now_ns(),
        }
    }

    /// Ends the run: says how many steps it had, and sends the rest.
    pub(super) async fn finish(&self, course: &Course) -> Result<(), DemoError> {
        let steps = i64::try_from(course.steps.len()).unwrap_or(i64::MAX);
        self.root.span().set_attribute(KeyValue::new("recount.run.step_count", steps));
        self.trail.end(&self.root);
        self.trail.sender.flush().await
    }

    /// Ends without having finished: another worker owns the run.
    pub(super) async fn step_down(&self) -> Result<(), DemoError> {
        self.root.span().set_attribute(KeyValue::new("error.type", "LeaseLost"));
        self.root.span().set_status(Status::error("another worker owns this run"));
        self.trail.end(&self.root);
        self.trail.sender.flush().await
    }

    /// Is killed: what has not ended is never sent.
    pub(super) async fn die(self) -> Result<(), DemoError> {
        let sender = self.trail.sender;
        // Dropping a span would end and send it; a killed process does neither.
        std::mem::forget(self.root);
        sender.flush().await
    }

    /// The trace's id.
    pub(super) fn trace(&self) -> String {
        self.root.span().span_context().trace_id().to_string()
    }
}

/// The step of the plan in which a tool is used.
pub(super) fn step_of(course: &Course, tool: &str) -> String {
    let at = course.goals.iter().position(|goal| *goal == tool).unwrap_or_default();
    format!("step-{}", at + 1)
}

/// What a tool's span says by convention.
pub(super) fn tool_attributes(call: &Call) -> Vec<KeyValue> {
    vec![
        KeyValue::new("gen_ai.operation.name", "execute_tool"),
        KeyValue::new("gen_ai.tool.name", call.tool.clone()),
        KeyValue::new("gen_ai.tool.type", "function"),
        KeyValue::new("gen_ai.tool.call.id", call.id.clone()),
        KeyValue::new("gen_ai.tool.call.arguments", call.arguments.to_string()),
    ]
}

/// A status that the model can't misread.
pub(super) fn status_text(status: &str, detail: &str) -> String {
    json!({ "status": status, "detail": detail }).to_string()
}
