//! Where a log record belongs: on its span, beside it, or in a trace of its own.
use sha2::{Digest as _, Sha256};

use crate::conventions::draft::Draft;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::step::Facts;

/// Gives a log record its ids.
///
/// A record on a span stays there, unless it tells of a call, step or request of its own: then its span id
/// is derived from what it names, and it hangs below the span it was written on (often that of the agent).
/// The fold puts it on the span of the call once that has arrived. A record on no trace gets a trace of its
/// own, one for each run of a session, and the same ids whenever it comes again.
pub(in crate::conventions) fn settle(draft: &mut Draft<'_>) {
    let body = draft.source.body;
    let apart = draft.apart;
    let facts = draft.facts();
    let alone = facts.trace_id.is_zero();
    let named = named(facts);
    if !alone && named.is_none() && !apart && !facts.span_id.is_zero() {
        return;
    }
    let moment = || format!("{}\0{}\0{body:?}", facts.started_ns, facts.name);
    let own = match (named, facts.seq) {
        (Some(named), _) => named,
        (None, Some(seq)) => format!("seq\0{seq}\0{}", facts.name),
        (None, None) => moment(),
    };
    let written_on = Some(facts.span_id).filter(|span| !span.is_zero());
    if !alone {
        facts.span_id = span_id(&[&facts.trace_id.to_string(), &own]);
        facts.parent_span_id = written_on;
        return;
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (service, session, run) = (text(&facts.service), text(&facts.session_id), text(&facts.run_id));
    // Nothing ties a record without session and run to others.
    let moment = if session.is_empty() && run.is_empty() { moment() } else { String::new() };
    facts.trace_id = trace_id(&[&service, &session, &run, &moment]);
    let root = span_id(&[&facts.trace_id.to_string(), "root"]);
    if facts.kind == Kind::Agent {
        facts.span_id = root;
    } else {
        facts.span_id = span_id(&[&facts.trace_id.to_string(), &own]);
        // Without a run there is nothing above it.
        facts.parent_span_id = Some(root).filter(|_| apart && !run.is_empty());
    }
}

/// What a record is about, where it says so: a call, a step or the key of an act, and which attempt of it.
fn named(facts: &Facts) -> Option<String> {
    let call = facts.tool_call_id.as_ref().map(|call| format!("call\0{call}"));
    let step = || facts.step_id.as_ref().map(|step| format!("step\0{step}"));
    let named = call.or_else(step).or_else(|| facts.key.as_ref().map(|key| format!("key\0{key}")))?;
    Some(match facts.attempt {
        Some(number) => format!("{named}\0{number}"),
        None => named,
    })
}

fn trace_id(parts: &[&str]) -> TraceId {
    let mut id = [0; 16];
    id.iter_mut().zip(digest("trace", parts)).for_each(|(to, from)| *to = from);
    TraceId(id)
}

fn span_id(parts: &[&str]) -> SpanId {
    let mut id = [0; 8];
    id.iter_mut().zip(digest("span", parts)).for_each(|(to, from)| *to = from);
    SpanId(id)
}

fn digest(what: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(b"recount log record 1 ");
    hasher.update(what.as_bytes());
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}
