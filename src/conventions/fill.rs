//! Puts what a row of a dialect's table found into its field of the step; what was said first stays.
use jiff::Timestamp;

use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::{Count, Exchange, Field, Side, Text};
use crate::conventions::frame;
use crate::conventions::json;
use crate::conventions::messages;
use crate::domain::entity::Entity;
use crate::domain::finding::Code;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::step::{Facts, Http};
use crate::domain::value::Value;

/// Parameters are scalars; longer texts (bytes) are content, not a parameter.
const PARAMETER_BYTES_MAX: usize = 1024;
/// Entities of one record.
const ENTITIES_MAX: usize = 64;
/// Spellings of request parameters inside JSON objects, and their short names.
const PARAMETERS: &[(&str, &str)] = &[
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("topP", "top_p"),
    ("top_k", "top_k"),
    ("topK", "top_k"),
    ("max_tokens", "max_tokens"),
    ("max_completion_tokens", "max_tokens"),
    ("max_output_tokens", "max_tokens"),
    ("maxOutputTokens", "max_tokens"),
    ("maxTokens", "max_tokens"),
    ("seed", "seed"),
    ("stop", "stop_sequences"),
    ("stop_sequences", "stop_sequences"),
    ("frequency_penalty", "frequency_penalty"),
    ("presence_penalty", "presence_penalty"),
    ("n", "choice_count"),
    ("stream", "stream"),
    ("reasoning_effort", "reasoning_effort"),
    ("tool_choice", "tool_choice"),
    ("parallel_tool_calls", "parallel_tool_calls"),
];

/// Reads one found value into a field. Empty values say nothing; unreadable ones become findings.
pub(in crate::conventions) fn fill(draft: &mut Draft<'_>, field: Field, place: Place) {
    let Some(value) = draft.value(place) else { return };
    let facts = &mut draft.step.facts;
    let read = match field {
        Field::Text(name) => {
            let slot = text_slot(facts, name);
            *slot = slot.take().or_else(|| text(value));
            Some(())
        }
        Field::Count(name) => count(facts, name, value),
        Field::Http(part) => exchange(facts.http.get_or_insert_with(Http::default), part, value),
        Field::Content(side @ (Side::Arguments | Side::Result)) => frame::whole(draft, place, side).map(drop),
        Field::Content(side) => messages::read(draft, place, side),
        Field::Parameter(name) => parameter(facts, name, value),
        Field::Parameters => parameters(facts, value),
        Field::FinishReasons => {
            if facts.finish_reasons.is_empty() {
                facts.finish_reasons = texts(value);
            }
            Some(())
        }
        Field::Cost => {
            first(&mut facts.cost_usd, number(value).filter(|cost| cost.is_finite() && *cost >= 0.0))
        }
        Field::Account => text(value).map(|id| add_entity(facts, Entity::account(id))),
        Field::Entities => entities(facts, value),
        Field::KeyExpires => first(&mut facts.key_expires_ns, time_ns(value)),
        Field::Gate => word(value).and_then(|word| Gate::from_word(&word)).map(|gate| {
            facts.gate = if facts.gate == Gate::None { gate } else { facts.gate };
        }),
        Field::Outcome => first(&mut facts.outcome, word(value).and_then(|word| Outcome::from_word(&word))),
        Field::Evidence => {
            first(&mut facts.evidence, word(value).and_then(|word| Evidence::from_word(&word)))
        }
        Field::ErrorType => text(value).map(|kind| {
            draft.error.failed = true;
            draft.error.kind = draft.error.kind.take().or(Some(kind));
        }),
        Field::ErrorMessage => text(value).map(|message| {
            draft.error.message = draft.error.message.take().or(Some(message));
        }),
        Field::Code(_) => Some(()),
    };
    if read.is_none() && !is_blank(value) {
        let called = draft.called(place);
        draft.finding(Code::Unreadable, format!("{called} does not hold the value its convention defines"));
    }
}

/// Keeps what was said first; `None` when nothing could be read now.
fn first<T>(slot: &mut Option<T>, read: Option<T>) -> Option<()> {
    let read = read?;
    slot.get_or_insert(read);
    Some(())
}

fn word(value: &Value) -> Option<String> {
    text(value).map(|word| word.trim().to_ascii_lowercase())
}

fn count(facts: &mut Facts, name: Count, value: &Value) -> Option<()> {
    let count = u64::try_from(value.as_int()?).ok()?;
    let tokens = &mut facts.tokens;
    let slot = match name {
        Count::Epoch => &mut facts.epoch,
        Count::Seq => &mut facts.seq,
        Count::RunStepCount => &mut facts.run_step_count,
        Count::TokensIn => &mut tokens.input,
        Count::TokensOut => &mut tokens.output,
        Count::TokensCacheRead => &mut tokens.cache_read,
        Count::TokensCacheWrite => &mut tokens.cache_write,
        Count::TokensReasoning => &mut tokens.reasoning,
        Count::Attempt => {
            return first(&mut facts.attempt, u32::try_from(count).ok().filter(|attempt| *attempt > 0));
        }
        Count::Tries => return first(&mut facts.tries, u32::try_from(count).ok()),
    };
    first(slot, Some(count))
}

fn exchange(http: &mut Http, part: Exchange, value: &Value) -> Option<()> {
    let int = value.as_int();
    match part {
        Exchange::Method => first(&mut http.method, Some(text(value)?.to_ascii_uppercase())),
        Exchange::Status => first(&mut http.status_code, u16::try_from(int?).ok()),
        Exchange::Resend => first(&mut http.resend_count, u32::try_from(int?).ok()),
        Exchange::RetryAfter => first(&mut http.retry_after, texts(value).into_iter().next()),
    }
}

fn text_slot(facts: &mut Facts, name: Text) -> &mut Option<String> {
    match name {
        Text::Run => &mut facts.run_id,
        Text::Step => &mut facts.step_id,
        Text::Session => &mut facts.session_id,
        Text::User => &mut facts.user_id,
        Text::Agent => &mut facts.agent,
        Text::AgentVersion => &mut facts.agent_version,
        Text::Worker => &mut facts.worker,
        Text::Environment => &mut facts.environment,
        Text::Service => &mut facts.service,
        Text::Model => &mut facts.model,
        Text::ModelRequested => &mut facts.model_requested,
        Text::Provider => &mut facts.provider,
        Text::Tool => &mut facts.tool,
        Text::ToolCallId => &mut facts.tool_call_id,
        Text::Target => &mut facts.target,
        Text::Key => &mut facts.key,
        Text::Value => &mut facts.value,
        Text::DownstreamId => &mut facts.downstream_id,
        Text::Verifies => &mut facts.verifies,
        Text::Compensates => &mut facts.compensates,
        Text::Approver => &mut facts.approver,
        Text::PolicyVersion => &mut facts.policy_version,
        Text::ContextRef => &mut facts.context_ref,
    }
}

/// Adds an entity once.
pub(in crate::conventions) fn add_entity(facts: &mut Facts, entity: Entity) {
    if facts.entities.len() < ENTITIES_MAX && !facts.entities.contains(&entity) {
        facts.entities.push(entity);
    }
}

fn entities(facts: &mut Facts, value: &Value) -> Option<()> {
    let mut all = true;
    for text in texts(value).iter().flat_map(|text| text.split(',')).map(str::trim) {
        match Entity::parse(text) {
            Some(entity) => add_entity(facts, entity),
            None => all = false,
        }
    }
    all.then_some(())
}

/// Notes a request parameter under its short name.
pub(in crate::conventions) fn parameter(facts: &mut Facts, name: &str, value: &Value) -> Option<()> {
    let value = match value {
        Value::Empty => return Some(()),
        Value::String(text) if text.len() > PARAMETER_BYTES_MAX => return None,
        Value::Map(_) | Value::Array(_) => Value::String(json::of_value(value)),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Framed(_) => value.clone(),
    };
    if !facts.parameters.iter().any(|(known, _)| known == name) {
        facts.parameters.push((name.to_owned(), value));
    }
    Some(())
}

/// Reads the known request parameters of a JSON object.
pub(in crate::conventions) fn parameters(facts: &mut Facts, value: &Value) -> Option<()> {
    let object = json::Object::parse(value.as_str()?)?;
    for (key, raw) in object.entries() {
        let Some((_, name)) = PARAMETERS.iter().find(|(spelling, _)| *spelling == key) else { continue };
        let value = match serde_json::from_str::<serde_json::Value>(raw) {
            Ok(serde_json::Value::Bool(truth)) => Value::Bool(truth),
            Ok(serde_json::Value::String(text)) => Value::String(text),
            Ok(serde_json::Value::Number(number)) => match number.as_i64() {
                Some(int) => Value::Int(int),
                None => Value::Double(number.as_f64().unwrap_or_default()),
            },
            Ok(serde_json::Value::Null) | Err(_) => continue,
            Ok(serde_json::Value::Array(_) | serde_json::Value::Object(_)) => Value::String(raw.to_owned()),
        };
        parameter(facts, name, &value);
    }
    Some(())
}

/// A scalar as text; `None` when there is nothing in it.
pub(in crate::conventions) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.trim().is_empty()).then(|| text.clone()),
        Value::Int(int) => Some(int.to_string()),
        Value::Double(double) => Some(double.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Array(values) => values.first().and_then(text),
        Value::Empty | Value::Bytes(_) | Value::Map(_) | Value::Framed(_) => None,
    }
}

/// A list of texts: a list, a JSON list of strings, or one text.
pub(in crate::conventions) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(text).collect(),
        Value::String(list) => match json::array(list) {
            Some(elements) => elements.into_iter().filter_map(json::scalar).collect(),
            None => text(value).into_iter().collect(),
        },
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::Bytes(_)
        | Value::Map(_)
        | Value::Framed(_) => text(value).into_iter().collect(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Double(double) => Some(*double),
        #[expect(clippy::cast_precision_loss, reason = "a cost far below 2^53")]
        Value::Int(int) => Some(*int as f64),
        Value::String(text) => text.trim().parse().ok(),
        Value::Empty
        | Value::Bool(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Map(_)
        | Value::Framed(_) => None,
    }
}

/// A point in time: RFC 3339, or a number since 1970 whose size tells seconds from nanoseconds.
pub(in crate::conventions) fn time_ns(value: &Value) -> Option<u64> {
    if let Some(text) = value.as_str().filter(|text| text.contains('-')) {
        let at: Timestamp = text.trim().parse().ok()?;
        return u64::try_from(at.as_nanosecond()).ok();
    }
    let number = u64::try_from(value.as_int()?).ok()?;
    let factor = match number {
        0..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    number.checked_mul(factor)
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Empty => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Int(_) | Value::Double(_) | Value::Bytes(_) | Value::Framed(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_unit() {
        let ns = 1_795_970_000_000_000_000;
        for value in [
            Value::String("2026-11-29T16:33:20Z".to_owned()),
            Value::Int(1_795_970_000),
            Value::Int(1_795_970_000_000),
            Value::String("1795970000000000".to_owned()),
            Value::Int(1_795_970_000_000_000_000),
        ] {
            assert_eq!(time_ns(&value), Some(ns), "{value:?}");
        }
        assert_eq!(time_ns(&Value::String("soon".to_owned())), None);
    }

    #[test]
    fn parameters_get_their_short_names() {
        let mut facts = Facts::default();
        let json = r#"{"temperature": 0.2, "max_completion_tokens": 256, "stop": null, "model": "m"}"#;
        parameters(&mut facts, &Value::String(json.to_owned()));
        let expected =
            vec![("temperature".to_owned(), Value::Double(0.2)), ("max_tokens".to_owned(), Value::Int(256))];
        assert_eq!(facts.parameters, expected);
    }

    #[test]
    fn lists_come_as_lists_as_json_and_as_text() {
        let list = Value::Array(vec![Value::String("stop".to_owned())]);
        let json = Value::String("[\"stop\"]".to_owned());
        for value in [list, json, Value::String("stop".to_owned())] {
            assert_eq!(texts(&value), ["stop"]);
        }
    }
}
