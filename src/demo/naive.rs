//! The naive loop: a tool that raised an error has failed, and the model is asked what to do about it.
//!
//! Its telemetry is what instrumentations send today: GenAI and HTTP spans, no attempt, no key, no outcome.
use std::time::Duration;

use opentelemetry::trace::{SpanKind, Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};

use crate::demo::clock::Clock;
use crate::demo::conversation::{Call, Conversation, Said};
use crate::demo::error::DemoError;
use crate::demo::model::{NAIVE, SYSTEM};
use crate::demo::service::{Answer, Headers};
use crate::demo::stage::{Part, Stage};
use crate::demo::tools;
use crate::demo::trail::Trail;

const SERVICE: &str = "support-agent";
const AGENT: &str = "support-agent";
const TURNS_MAX: usize = 24;
/// How long it waits after a refusal, whatever the refusal asks for.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// Plays a run. Gives the id of its trace.
pub(super) async fn run(stage: &Stage, part: Part) -> Result<String, DemoError> {
    let Part { scenario, ticket, started, mut chance } = part;
    let sender = stage.telemetry.of(SERVICE, "support-7c9f")?;
    let conversation_id = chance.id("conv_", 12);
    let mut trail = Trail { sender, clock: Clock::at(started), chance };
    let root = trail.start(
        format!("invoke_agent {AGENT}"),
        SpanKind::Internal,
        &Context::new(),
        vec![
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.agent.name", AGENT),
            KeyValue::new("gen_ai.agent.id", "asst_5Qk1"),
            KeyValue::new("gen_ai.conversation.id", conversation_id.clone()),
            KeyValue::new("gen_ai.provider.name", NAIVE.provider),
            KeyValue::new("gen_ai.request.model", NAIVE.name),
        ],
    );
    let mut conversation = Conversation::new(SYSTEM, &ticket.complaint);
    for _turn in 0..TURNS_MAX {
        let reply = NAIVE.answer(&conversation, &ticket, scenario.goals(), &mut trail.chance);
        let of = vec![KeyValue::new("gen_ai.conversation.id", conversation_id.clone())];
        trail.chat(&root, &NAIVE, (&conversation, &reply), of);
        let calls = reply.calls.clone();
        conversation.said.push(Said::Model(reply));
        if calls.is_empty() {
            break;
        }
        for call in calls {
            let result = execute(stage, &mut trail, &root, &call).await;
            conversation.said.push(Said::Tool { call: call.id, tool: call.tool, result });
        }
    }
    trail.end(&root);
    trail.sender.flush().await?;
    Ok(root.span().span_context().trace_id().to_string())
}

/// Calls a tool and gives the model whatever came of it.
async fn execute(stage: &Stage, trail: &mut Trail, root: &Context, call: &Call) -> String {
    let span = trail.start(
        format!("execute_tool {}", call.tool),
        SpanKind::Internal,
        root,
        vec![
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", call.tool.clone()),
            KeyValue::new("gen_ai.tool.type", "function"),
            KeyValue::new("gen_ai.tool.call.id", call.id.clone()),
            KeyValue::new("gen_ai.tool.call.arguments", call.arguments.to_string()),
        ],
    );
    let headers = Headers { now_ns: trail.clock.now_ns(), ..Headers::default() };
    let request = tools::request(call);
    let answer = trail.http(stage, &span, (&request, headers)).await;
    let (result, error) = match answer {
        Answer::Came { status: 0..=399, body, .. } => (body, None),
        Answer::Came { status, .. } => {
            (format!("Error: HTTP {status} from {}", request.path), Some(status.to_string()))
        }
        Answer::None => (
            format!("Error: ReadTimeout: {} timed out after 30 s", request.path),
            Some("ReadTimeout".to_owned()),
        ),
    };
    span.span().set_attribute(KeyValue::new("gen_ai.tool.call.result", result.clone()));
    let throttled = error.as_deref() == Some("429");
    if let Some(error) = error {
        span.span().set_attribute(KeyValue::new("error.type", error));
        span.span().set_status(Status::error(result.clone()));
    }
    trail.end(&span);
    if throttled {
        trail.clock.pass(RETRY_EVERY);
    }
    result
}
