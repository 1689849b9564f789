//! Records as no runtime sends them: loops, twins, times and numbers at their edges.
use recount::domain::ids::SpanId;
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::{Evidence, Gate, Outcome};
use recount::domain::record::Record;
use recount::domain::step::{Http, Link};

use crate::chance::Chance;

const NAMES: &[&str] = &["", "a", "b", "order:1", "step"];
/// Records of a large case.
const LARGE: usize = 3_000;

pub(crate) fn mutate(records: &mut Vec<Record>, chance: &mut Chance) {
    if records.is_empty() {
        records.push(Record::default());
    }
    if chance.once_in(40) {
        blow_up(records, chance);
    }
    let rounds = 1 + chance.below(40);
    for _ in 0..rounds {
        let (at, other) = (chance.below(records.len()), chance.below(records.len()));
        let twin = records[other].clone();
        let record = &mut records[at];
        match chance.below(12) {
            0 => record.facts.parent_span_id = Some(twin.facts.span_id),
            1 => record.facts.span_id = twin.facts.span_id,
            2 => record.facts.trace_id = twin.facts.trace_id,
            3 => times(record, chance),
            4 => identity(record, chance),
            5 => numbers(record, chance),
            6 => act(record, chance),
            7 => record.facts.links.push(Link {
                trace_id: twin.facts.trace_id,
                span_id: twin.facts.span_id,
                attributes: Vec::new(),
            }),
            8 => records.push(twin),
            9 => drop(records.swap_remove(at)),
            10 => record.facts.kind = *chance.of(Kind::ALL),
            _ => (record.arguments, record.arguments_canonical) = (twin.arguments, twin.arguments_canonical),
        }
        if records.is_empty() {
            return;
        }
    }
}

/// Thousands of records in a chain, a fan, or each the parent of all that follow by name only.
fn blow_up(records: &mut Vec<Record>, chance: &mut Chance) {
    let shape = chance.below(3);
    let model = chance.of(records).clone();
    for number in 0..LARGE {
        let mut record = model.clone();
        let id = |number: usize| SpanId(u64::try_from(number + 1).unwrap().to_be_bytes());
        record.facts.span_id = id(number);
        record.record_id.0[..8].copy_from_slice(&id(number).0);
        record.facts.parent_span_id = match shape {
            0 => number.checked_sub(1).map(id),
            1 => Some(id(0)),
            _ => Some(id((number * 7 + 1) % LARGE)),
        };
        record.facts.started_ns = record.facts.started_ns.wrapping_add(number as u64);
        records.push(record);
    }
}

fn name(chance: &mut Chance) -> Option<String> {
    chance.once_in(5).then(String::new).or_else(|| Some((*chance.of(NAMES)).to_owned()))
}

fn times(record: &mut Record, chance: &mut Chance) {
    let edges = [0, 1, u64::MAX, 1 << 63, record.received_ns, record.facts.started_ns];
    record.facts.started_ns = *chance.of(&edges);
    record.facts.ended_ns = Some(*chance.of(&edges)).filter(|_| !chance.once_in(3));
    record.received_ns = *chance.of(&edges);
}

fn identity(record: &mut Record, chance: &mut Chance) {
    let facts = &mut record.facts;
    match chance.below(5) {
        0 => facts.run_id = name(chance),
        1 => facts.step_id = name(chance),
        2 => facts.tool_call_id = name(chance),
        3 => facts.verifies = name(chance),
        _ => facts.compensates = name(chance),
    }
}

fn numbers(record: &mut Record, chance: &mut Chance) {
    let facts = &mut record.facts;
    let edge = *chance.of(&[0, 1, 2, u64::from(u32::MAX), u64::MAX]);
    match chance.below(6) {
        0 => facts.attempt = u32::try_from(edge).ok(),
        1 => facts.epoch = Some(edge),
        2 => facts.seq = Some(edge),
        3 => facts.run_step_count = Some(edge),
        4 => (facts.tokens.input, facts.tokens.cache_read) = (Some(edge), Some(edge)),
        _ => facts.tries = u32::try_from(edge).ok(),
    }
}

fn act(record: &mut Record, chance: &mut Chance) {
    let facts = &mut record.facts;
    facts.kind = Kind::Act;
    facts.tool = Some("issue_refund".to_owned());
    facts.target = name(chance);
    facts.key = name(chance);
    facts.gate = *chance.of(Gate::ALL);
    facts.outcome = Some(*chance.of(Outcome::ALL)).filter(|_| !chance.once_in(3));
    facts.evidence = Some(*chance.of(Evidence::ALL)).filter(|_| chance.once_in(2));
    facts.status = *chance.of(Status::ALL);
    facts.key_expires_ns = Some(chance.next()).filter(|_| chance.once_in(3));
    let code = *chance.of(&[None, Some(0), Some(200), Some(202), Some(429), Some(503), Some(u16::MAX)]);
    let retry_after =
        chance.once_in(3).then(|| chance.of(&["-1", "1e9", "99999999999999999999", ""]).to_string());
    facts.http = Some(Http { status_code: code, retry_after, ..Http::default() });
}
