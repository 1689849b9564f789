//! Bodies with parts flipped, cut, spliced, repeated, nested and given huge lengths.
use crate::chance::Chance;

/// Numbers that readers stumble over: the edges of integers, of floats, and words in their place.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "-0.0",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "1E-400",
    "0.1e+1",
    "9007199254740993",
    "\"9223372036854775807\"",
    "true",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\"NaN\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\u{feff}",
    "01",
    "-",
    ".5",
    "1_000",
    "\"5B8EFFF798038103D269B633813FC60C\"",
];

/// A body of protobuf with some accidents.
pub(crate) fn mutated(body: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut body = body.to_vec();
    for _ in 0..=chance.below(4) {
        if body.is_empty() {
            body.push(0);
        }
        match chance.below(9) {
            0 => any_byte(&mut body, chance),
            1 => cut(&mut body, chance),
            2 => splice(&mut body, other, chance),
            3 => repeat(&mut body, chance),
            4 => remove(&mut body, chance),
            5 => length(&mut body, chance),
            6 => nest(&mut body, chance),
            7 => many(&mut body, chance),
            _ => flip(&mut body, chance),
        }
    }
    body
}

/// A body of JSON with some accidents, at the places where JSON has joints as often as anywhere.
pub(crate) fn mutated_json(body: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut body = body.to_vec();
    for _ in 0..=chance.below(4) {
        if body.is_empty() {
            body.push(b'{');
        }
        match chance.below(9) {
            0 => value(&mut body, chance),
            1 => deep(&mut body, chance),
            2 => keys(&mut body, chance),
            3 => cut(&mut body, chance),
            4 => splice(&mut body, other, chance),
            5 => repeat(&mut body, chance),
            6 => remove(&mut body, chance),
            7 => long(&mut body, chance),
            _ => any_byte(&mut body, chance),
        }
    }
    body
}

fn flip(body: &mut [u8], chance: &mut Chance) {
    let at = chance.below(body.len());
    body[at] ^= 1 << chance.below(8);
}

fn any_byte(body: &mut [u8], chance: &mut Chance) {
    let at = chance.below(body.len());
    body[at] = *chance.of(b"\0\x01\x7f\x80\xff\"\\{}[],:0-e\n");
}

fn cut(body: &mut Vec<u8>, chance: &mut Chance) {
    body.truncate(chance.below(body.len()));
}

fn splice(body: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    if other.is_empty() {
        return;
    }
    let (at, from) = (chance.range(body.len()), chance.range(other.len()));
    body.splice(at, other[from].iter().copied());
}

fn repeat(body: &mut Vec<u8>, chance: &mut Chance) {
    let range = chance.range(body.len());
    let part = body[range.clone()].repeat(1 + chance.below(8));
    body.splice(range.end..range.end, part);
}

fn remove(body: &mut Vec<u8>, chance: &mut Chance) {
    let range = chance.range(body.len());
    body.drain(range);
}

/// A length or a number of protobuf that says much more, or never ends.
fn length(body: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(body.len());
    let said: &[u8] = chance.of::<&[u8]>(&[
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        &[0xff; 11],
        &[0x80, 0x80, 0x80, 0x00],
        &[0x00],
    ]);
    body.splice(at..=at, said.iter().copied());
}

/// A value within a value within a value: field 5 (`array_value`) of AnyValue, field 1 of its list.
fn nest(body: &mut Vec<u8>, chance: &mut Chance) {
    let mut value: Vec<u8> = vec![0x0a, 0x01, b'x'];
    for _ in 0..1 << chance.below(14) {
        let mut list = vec![0x0a];
        varint(value.len(), &mut list);
        list.append(&mut value);
        value.push(0x2a);
        varint(list.len(), &mut value);
        value.append(&mut list);
        if value.len() > 200_000 {
            break;
        }
    }
    let attribute = field(9, &[field(1, b"deep"), field(2, &value)].concat());
    let ids = [field(1, &[7; 16]), field(2, &[7; 8])].concat();
    let span = field(2, &[ids, attribute].concat());
    body.extend(field(1, &field(2, &span)));
}

/// Many attributes, some with one key, on one span.
fn many(body: &mut Vec<u8>, chance: &mut Chance) {
    let count = 1 << chance.below(13);
    let mut span = [field(1, &[8; 16]), field(2, &[9; 8])].concat();
    let key = *chance.of(&["gen_ai.prompt.", "llm.input_messages.", "a", "gen_ai.usage.input_tokens"]);
    let tail = *chance.of(&["", ".message.content", ".content", ".message.tool_calls.0.tool_call.id"]);
    for number in 0..count {
        let key = format!("{key}{number}{tail}");
        span.extend(field(9, &[field(1, key.as_bytes()), field(2, &field(1, b"1"))].concat()));
    }
    body.extend(field(1, &field(2, &field(2, &span))));
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    varint(bytes.len(), &mut out);
    out.extend(bytes);
    out
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap());
}

/// Another value behind some colon.
fn value(body: &mut Vec<u8>, chance: &mut Chance) {
    let Some(colon) = joint(body, b':', chance) else { return };
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']');
    let end = body[colon + 1..].iter().position(ends).map_or(body.len(), |length| colon + 1 + length);
    body.splice(colon + 1..end, chance.of(NUMBERS).bytes());
}

/// Brackets within brackets, closed or not.
fn deep(body: &mut Vec<u8>, chance: &mut Chance) {
    let at = joint(body, b':', chance).map_or(body.len(), |colon| colon + 1);
    let levels = 1 << chance.below(17);
    let (open, close) = *chance.of(&[("[", "]"), ("{\"a\":", "}"), ("[{\"parts\":", "}]"), ("[[],", "]")]);
    let mut text = open.repeat(levels);
    if !chance.once_in(3) {
        text.push('1');
        text.push_str(&close.repeat(levels));
    }
    body.splice(at..at, text.bytes());
}

/// Many keys, some alike, in one object.
fn keys(body: &mut Vec<u8>, chance: &mut Chance) {
    let Some(open) = joint(body, b'{', chance) else { return };
    let alike = chance.once_in(2);
    let text: String = (0..1 << chance.below(13))
        .map(|number| format!("\"key{}\":{},", if alike { 0 } else { number }, chance.of(NUMBERS)))
        .collect();
    body.splice(open + 1..=open, text.bytes());
}

/// A long text behind some colon.
fn long(body: &mut Vec<u8>, chance: &mut Chance) {
    let at = joint(body, b':', chance).map_or(body.len(), |colon| colon + 1);
    let piece =
        *chance.of(&["a", "é", "\\\\", "\\\"", "\\u0041", "[", "{\\\"a\\\":", "https://a.b/?c=d&", "4111 "]);
    let text = format!("\"{}\"", piece.repeat(1 << chance.below(17)));
    body.splice(at..at, text.bytes());
}

/// Some place of a byte, if it has one.
fn joint(body: &[u8], byte: u8, chance: &mut Chance) -> Option<usize> {
    let from = chance.below(body.len());
    let find = |part: &[u8]| part.iter().position(|found| *found == byte);
    find(&body[from..]).map(|at| from + at).or_else(|| find(body))
}
