//! Properties over arbitrary records, hostile parents and times included.
use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::domain::action::Action;
use crate::domain::fold::runs_of;
use crate::domain::fold::tests::story::{SECOND, START, bytes, digest, record, span};
use crate::domain::ids::{RecordId, TraceId};
use crate::domain::kind::{Carrier, Kind, Status};
use crate::domain::outcome::{Gate, Outcome};
use crate::domain::record::Record;
use crate::domain::run::{Run, RunStep};
use crate::domain::step::{Failure, Http};
use crate::domain::summary::RunSummary;

/// Few names, so that records meet: in spans, steps, keys, targets, calls and parents.
fn name(max: u8) -> impl Strategy<Value = Option<String>> {
    proptest::option::of((0..max).prop_map(|number| format!("n{number}")))
}

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => (0..60_u64).prop_map(|seconds| START + seconds * SECOND),
        1 => Just(0),
        1 => Just(u64::MAX),
        1 => any::<u64>(),
    ]
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    (0..all.len()).prop_map(move |place| all[place])
}

fn a_record() -> impl Strategy<Value = Record> {
    let ids = (0..3_u8, 0..12_u8, proptest::option::of(0..14_u8), one_of(Carrier::ALL), any::<u32>());
    let names = (name(2), name(4), name(3), name(3), name(3), name(3), name(4), name(2));
    let times = (time(), proptest::option::of(time()), 0..90_u64);
    let states = (
        one_of(Kind::ALL),
        one_of(Status::ALL),
        proptest::option::of(one_of(Outcome::ALL)),
        one_of(Gate::ALL),
        proptest::option::of(0..5_u32),
        proptest::option::of(one_of(&[200_u16, 202, 409, 429, 503])),
        proptest::option::of(one_of(&["ReadTimeout", "ConnectError", "422", "X", "GraphInterrupt"])),
        proptest::option::of(0..3_u64),
    );
    (ids, names, times, states).prop_map(|(ids, names, times, states)| {
        let (trace, number, parent, carrier, unique) = ids;
        let (run, step, tool, target, key, call, verifies, worker) = names;
        let (start, end, received) = times;
        let (kind, status, outcome, gate, attempt, code, error, epoch) = states;
        let mut made = record(TraceId(bytes(&format!("t{trace}"))), &format!("s{number}"), start, end);
        made.record_id = RecordId(bytes(&format!("{unique}")));
        made.received_ns = START + received * SECOND;
        made.arguments_canonical = call.as_deref().map(digest);
        let facts = &mut made.facts;
        facts.parent_span_id = parent.map(|number| span(&format!("s{number}")));
        facts.carrier = carrier;
        facts.run_id = run;
        facts.step_id = step;
        facts.link_keys = call.iter().map(|call| format!("langgraph={call}")).collect();
        facts.tool = tool;
        facts.target = target;
        facts.key = key;
        facts.tool_call_id = call;
        facts.verifies = verifies;
        facts.session_id.clone_from(&worker);
        facts.worker = worker;
        facts.kind = kind;
        facts.status = status;
        facts.outcome = outcome;
        facts.gate = gate;
        facts.attempt = attempt;
        facts.epoch = epoch;
        facts.http = code.map(|code| Http { status_code: Some(code), ..Http::default() });
        facts.error = error.map(|kind| Failure { kind: kind.to_owned(), message: String::new() });
        made
    })
}

fn records(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Record>> {
    vec(a_record(), count)
}

fn in_two_orders() -> impl Strategy<Value = (Vec<Record>, Vec<Record>)> {
    records(0..40).prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
}

/// Every record that a run shows, with how often.
fn shown(run: &Run) -> BTreeMap<RecordId, usize> {
    let mut found = BTreeMap::new();
    for attempt in run.steps.iter().flat_map(RunStep::attempts) {
        let all = std::iter::once(&attempt.record)
            .chain(&attempt.versions)
            .chain(&attempt.logs)
            .chain(&attempt.transports);
        for record in all {
            *found.entry(record.record_id).or_default() += 1;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_arrival_gives_the_same_run(
        (records, shuffled) in in_two_orders(),
    ) {
        let now = START + 600 * SECOND;
        prop_assert_eq!(Run::of(&records, &[], now), Run::of(&shuffled, &[], now));
        let parts = runs_of(records);
        let other = runs_of(shuffled);
        prop_assert_eq!(parts.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (id, part) in &parts {
            let run = Run::of_part(part, &[], now);
            prop_assert_eq!(&run.run_id, id);
            prop_assert_eq!(run, Run::of_part(&other[id], &[], now));
        }
    }

    #[test]
    fn a_duplicate_changes_nothing(
        records in records(1..30),
        twice in vec(any::<prop::sample::Index>(), 1..10),
    ) {
        let now = START + 600 * SECOND;
        let mut again = records.clone();
        for index in twice {
            let mut copy = index.get(&records).clone();
            copy.received_ns += SECOND;
            again.push(copy);
        }
        prop_assert_eq!(Run::of(&records, &[], now), Run::of(&again, &[], now));
    }

    #[test]
    fn every_record_stands_in_exactly_one_place(records in records(0..40)) {
        let run = Run::of(&records, &[], START + 600 * SECOND);
        let mut kept: Vec<RecordId> = records.iter().map(|record| record.record_id).collect();
        kept.sort_unstable();
        kept.dedup();
        prop_assert_eq!(shown(&run), kept.into_iter().map(|id| (id, 1)).collect::<BTreeMap<_, _>>());
    }

    #[test]
    fn steps_hang_together(records in records(0..40)) {
        let run = Run::of(&records, &[], START + 600 * SECOND);
        let ids: Vec<&str> = run.steps.iter().map(|step| step.step_id.as_str()).collect();
        let places: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        prop_assert_eq!(places.len(), ids.len(), "step ids are unique");
        for (place, step) in run.steps.iter().enumerate() {
            if let Some(parent) = &step.parent_step_id {
                prop_assert!(places[parent.as_str()] < place, "children follow their parent");
                prop_assert_eq!(run.steps[places[parent.as_str()]].depth + 1, step.depth);
            }
            prop_assert!(step.findings.iter().all(|finding| *finding < run.findings.len()));
            prop_assert!(step.kind == Kind::Act || step.outcome.is_none());
        }
        for finding in &run.findings {
            prop_assert!(finding.step_ids.iter().all(|id| places.contains_key(id.as_str())));
        }
        let summary = RunSummary::of(&run);
        let open = summary.acts_unknown + summary.acts_submitted;
        prop_assert!(summary.acts_confirmed + summary.acts_failed + open <= summary.act_count);
        let actions = Action::fold(std::slice::from_ref(&run), &[]);
        prop_assert!(actions.iter().all(|action| !action.run_ids.is_empty()));
    }
}
