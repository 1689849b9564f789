//! What one record of a span adds to another: it fills what is absent and never changes what is there.
use crate::domain::kind::{Kind, Status};
use crate::domain::outcome::{Gate, Outcome};
use crate::domain::record::Record;
use crate::domain::step::{Facts, Tokens};

macro_rules! fill {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {
        $(if $into.$field.is_none() { $into.$field.clone_from(&$from.$field); })+
    };
}

macro_rules! fill_empty {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {
        $(if $into.$field.is_empty() { $into.$field.clone_from(&$from.$field); })+
    };
}

macro_rules! join {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {
        $(for item in &$from.$field {
            if !$into.$field.contains(item) { $into.$field.push(item.clone()); }
        })+
    };
}

/// Merges a log or event into the record of its span.
pub(super) fn log_into(span: &mut Record, log: &Record) {
    let said = answered(span.facts.outcome).or(answered(log.facts.outcome)).or(span.facts.outcome);
    let facts = &mut span.facts;
    fill_told(facts, &log.facts);
    fill!(facts, log.facts; step_id, run_id, attempt, tries, error, http, evidence);
    fill_empty!(facts, log.facts; name, status_message);
    join!(facts, log.facts; link_keys, errors_shown, links, findings);
    facts.outcome = said;
    if facts.kind == Kind::Other {
        facts.kind = log.facts.kind;
        facts.kind_source = log.facts.kind_source;
    }
    if facts.status == Status::Unset {
        facts.status = log.facts.status;
    }
    fill_bodies(span, log);
}

/// What the logs of a span carry together, where the span itself carries nothing.
///
/// One log with a whole conversation says it all (the last such one, when it was said twice); else each log
/// is one message, in their order.
pub(super) fn gathered<T: Clone>(logs: &[&Record], part: fn(&Record) -> &Vec<T>) -> Vec<T> {
    let longest = logs.iter().map(|log| part(log).len()).max().unwrap_or_default();
    let whole = logs.iter().rev().map(|log| part(log)).find(|list| longest > 1 && list.len() == longest);
    whole.cloned().unwrap_or_else(|| logs.iter().flat_map(|log| part(log)).cloned().collect())
}

/// Merges the inner record of one call that was instrumented twice into the outer one.
pub(super) fn inner_into(outer: &mut Record, inner: &Record) {
    let said = answered(outer.facts.outcome).or(answered(inner.facts.outcome)).or(outer.facts.outcome);
    fill_told(&mut outer.facts, &inner.facts);
    fill!(outer.facts, inner.facts; step_id, evidence);
    join!(outer.facts, inner.facts; link_keys, errors_shown);
    outer.facts.outcome = said;
    fill_bodies(outer, inner);
}

/// Merges what an HTTP call tells about the act that it carries.
pub(super) fn transport_into(step: &mut Record, transport: &Record) {
    fill!(step.facts, transport.facts; key, key_expires_ns, downstream_id);
}

/// Whether an HTTP call tells anything that its act does not: most do not, and are not copied for it.
pub(super) fn tells_more(step: &Facts, transport: &Facts) -> bool {
    let adds = |own: bool, told: bool| !own && told;
    adds(step.key.is_some(), transport.key.is_some())
        || adds(step.key_expires_ns.is_some(), transport.key_expires_ns.is_some())
        || adds(step.downstream_id.is_some(), transport.downstream_id.is_some())
}

fn fill_told(facts: &mut Facts, from: &Facts) {
    fill!(facts, from; session_id, user_id, agent, agent_version, worker, epoch, seq, run_step_count);
    fill!(facts, from; service, environment, model, model_requested, provider, cost_usd);
    fill!(facts, from; tool, tool_call_id, target, key, key_expires_ns, value, downstream_id);
    fill!(facts, from; verifies, compensates, approver, policy_version, context_ref);
    fill_empty!(facts, from; parameters, finish_reasons);
    join!(facts, from; entities);
    if facts.gate == Gate::None {
        facts.gate = from.gate;
    }
    facts.read_back_required |= from.read_back_required;
    if facts.tokens == Tokens::default() {
        facts.tokens = from.tokens;
    }
}

fn fill_bodies(record: &mut Record, from: &Record) {
    fill_empty!(record, from; context, output, proposed);
    fill!(record, from; result);
    if record.arguments.is_none() {
        record.arguments.clone_from(&from.arguments);
        record.arguments_canonical = from.arguments_canonical;
    }
}

/// An outcome that is more than the intent to act.
pub(super) fn answered(outcome: Option<Outcome>) -> Option<Outcome> {
    outcome.filter(|said| *said != Outcome::Submitted)
}
