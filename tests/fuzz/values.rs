//! Spans and log records whose attributes hold what their conventions do not expect.
use recount::domain::step::Event;
use recount::domain::value::Value;
use recount::otlp::{WireLog, WireSpan};

use crate::chance::Chance;
use crate::corpus::Corpus;

/// Texts that are almost what conventions look for.
const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    "[]",
    "{}",
    "\"\"",
    "0",
    "-1",
    "1e400",
    "[{}]",
    "[null]",
    "[[]]",
    "{\"role\":1}",
    "[{\"role\":\"user\"",
    "[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":null,\"response\":{\"a\":[1,{\"b\":\"\\ud800\"}]}}]}]",
    "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"issue_refund\",\"arguments\":\"{\\\"a\\\":1\"}]}]",
    "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"\",\"arguments\":null}}]}]",
    "{\"messages\":[{\"lc\":1,\"kwargs\":{\"content\":[],\"type\":\"ai\",\"tool_calls\":[{\"args\":{}}]}}]}",
    "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{}}]}}]}",
    "\u{0}",
    "\u{202e}abc",
    "é\u{301}",
    "issue_refund",
    "act",
    "99999999999999999999",
    "2026-11-29T00:00:00Z",
    "order:{$.a}",
    "Bearer abcdefgh",
    "9007199254740993",
];
/// Pieces that are repeated into long or deep texts.
const PIECES: &[(&str, &str, &str)] = &[
    ("[", "1", "]"),
    ("{\"a\":", "1", "}"),
    ("[{\"parts\":", "[]", "}]"),
    ("\"", "", ""),
    ("\\", "", ""),
    ("a", "", ""),
    ("{\"content\":[", "\"x\"", "]}"),
    ("\\\"", "", ""),
    ("[[],", "1", "]"),
    ("[\"a\",", "1", "]"),
    ("1,", "", ""),
    ("eyJhbGciOi.", "", ""),
    ("https://u:p@h/", "", ""),
    ("a@b.c ", "", ""),
    ("4111111111111111 ", "", ""),
    ("-", "", ""),
];

pub(crate) fn mutate_spans(spans: &mut Vec<WireSpan>, corpus: &Corpus, chance: &mut Chance) {
    for _ in 0..=chance.below(6) {
        let at = chance.below(spans.len());
        let Some(span) = spans.get_mut(at) else { return };
        match chance.below(8) {
            0 => {
                take_attributes(&mut span.attributes, &some(corpus.spans(chance), chance).attributes, chance)
            }
            1 => ids(span, chance),
            2 => times(span, chance),
            3 => span.name = text(chance),
            4 => {
                let attributes = span.attributes.iter().take(chance.below(4)).cloned().collect();
                let name = *chance.of(&["exception", "gen_ai.choice", "gen_ai.user.message", "x"]);
                span.events.push(Event { name: name.to_owned(), at_ns: chance.next(), attributes });
            }
            5 => {
                let copy = span.clone();
                spans.push(copy);
            }
            _ => mutate(&mut span.attributes, chance),
        }
    }
}

pub(crate) fn mutate_logs(logs: &mut [WireLog], corpus: &Corpus, chance: &mut Chance) {
    for _ in 0..=chance.below(6) {
        let at = chance.below(logs.len());
        let Some(log) = logs.get_mut(at) else { return };
        match chance.below(5) {
            0 => take_attributes(&mut log.attributes, &some(corpus.logs(chance), chance).attributes, chance),
            1 => log.body = value(chance, 3),
            2 => log.event_name = text(chance),
            3 => (log.at_ns, log.observed_ns) = (chance.next(), chance.next()),
            _ => mutate(&mut log.attributes, chance),
        }
    }
}

fn some<'a, T: Clone + Default>(items: &'a [T], chance: &mut Chance) -> std::borrow::Cow<'a, T> {
    match items.is_empty() {
        true => std::borrow::Cow::Owned(T::default()),
        false => std::borrow::Cow::Borrowed(chance.of(items)),
    }
}

/// Attributes of another record, or of another dialect, among the own.
fn take_attributes(own: &mut Vec<(String, Value)>, other: &[(String, Value)], chance: &mut Chance) {
    for attribute in other {
        if chance.once_in(2) {
            let at = chance.below(own.len() + 1);
            own.insert(at, attribute.clone());
        }
    }
}

fn mutate(attributes: &mut Vec<(String, Value)>, chance: &mut Chance) {
    if attributes.is_empty() {
        return;
    }
    let at = chance.below(attributes.len());
    match chance.below(6) {
        0 => {
            let other = chance.below(attributes.len());
            let value = attributes[other].1.clone();
            attributes[at].1 = value;
        }
        1 => {
            let copy = attributes[at].clone();
            attributes.push(copy);
        }
        2 => confuse(&mut attributes[at].1),
        3 => scratch(&mut attributes[at].1, chance),
        4 => {
            let number = chance.of(&["0", "1", "7", "999999", "-1", "18446744073709551616", "x", ""]);
            attributes[at].0 = attributes[at].0.replace(".0.", &format!(".{number}."));
        }
        _ => attributes[at].1 = value(chance, 3),
    }
}

/// The same in another type: text for a number, a list of one, the JSON of a text.
fn confuse(value: &mut Value) {
    *value = match std::mem::take(value) {
        Value::String(text) => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Array(vec![Value::String(text)]),
        },
        Value::Int(number) => Value::String(format!(" {number} ")),
        Value::Double(number) => Value::String(number.to_string()),
        Value::Array(items) => Value::String(format!("{items:?}")),
        Value::Map(items) => Value::Array(items.into_iter().map(|(_, value)| value).collect()),
        Value::Bytes(bytes) => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
        Value::Empty | Value::Bool(_) | Value::Framed(_) => Value::Double(f64::NAN),
    };
}

/// A text with a piece cut out, doubled or put in.
fn scratch(value: &mut Value, chance: &mut Chance) {
    let Value::String(text) = value else { return };
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let (a, b) = (*chance.of(&places), *chance.of(&places));
    let (from, to) = (a.min(b), a.max(b));
    match chance.below(4) {
        0 => text.truncate(from),
        1 => text.replace_range(from..to, ""),
        2 => {
            let part = text[from..to].to_owned();
            text.insert_str(to, &part);
        }
        _ => text.insert_str(from, &self::text(chance)),
    }
}

fn text(chance: &mut Chance) -> String {
    if chance.once_in(3) {
        let (open, middle, close) = *chance.of(PIECES);
        // Sometimes so long that work which grows faster than its input does not end.
        let times = if chance.once_in(100) { 1 << 19 } else { 1 << chance.below(15) };
        let close = if chance.once_in(4) { String::new() } else { close.repeat(times) };
        return format!("{}{middle}{close}", open.repeat(times));
    }
    (*chance.of(TEXTS)).to_owned()
}

fn value(chance: &mut Chance, levels: usize) -> Value {
    match chance.below(if levels == 0 { 6 } else { 8 }) {
        0 => Value::Empty,
        1 => Value::Int(*chance.of(&[0, -1, i64::MAX, i64::MIN, 200, 1_795_980_000_000_000_000])),
        2 => Value::Double(*chance.of(&[f64::NAN, f64::INFINITY, -0.0, 1e300, 0.5, f64::MIN_POSITIVE])),
        3 => Value::Bytes(text(chance).into_bytes()),
        4 | 5 => Value::String(text(chance)),
        6 => Value::Array((0..chance.below(5)).map(|_| value(chance, levels - 1)).collect()),
        _ => Value::Map((0..chance.below(5)).map(|_| (text(chance), value(chance, levels - 1))).collect()),
    }
}

fn ids(span: &mut WireSpan, chance: &mut Chance) {
    let id = u8::try_from(chance.below(3)).unwrap() + 1;
    match chance.below(4) {
        0 => span.parent_span_id = Some(span.span_id),
        1 => span.parent_span_id = None,
        2 => span.span_id.0 = [id; 8],
        _ => span.trace_id.0 = [id; 16],
    }
}

fn times(span: &mut WireSpan, chance: &mut Chance) {
    let edges =
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, 1_795_980_000_000_000_000, span.started_ns, span.ended_ns];
    (span.started_ns, span.ended_ns) = (*chance.of(&edges), *chance.of(&edges));
}
