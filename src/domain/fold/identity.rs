//! Which run a record belongs to, found late: ids may sit on one span of a trace only, and that may come
//! last.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::fold::versions::{SpanKey, rank};
use crate::domain::ids::TraceId;
use crate::domain::kind::Carrier;
use crate::domain::record::Record;
use crate::domain::value::Value;

/// The attribute of a link by which a convention says that both traces are one run.
pub const SAME_RUN: &str = "recount.link.same_run";

/// The records of one run, and what the rest of its traces tells about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The given id, or the trace id.
    pub run_id: String,
    /// Its records.
    pub records: Vec<Record>,
    pub(super) around: Around,
}

/// What is known about a run from records of its traces that belong to other runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Around {
    /// Parents that have arrived and belong to another run.
    pub(super) parents: BTreeSet<SpanKey>,
    /// The only session told elsewhere in its traces.
    pub(super) session_id: Option<String>,
    /// The only user told elsewhere in its traces.
    pub(super) user_id: Option<String>,
}

/// Splits the records of a closed set of traces by run. A trace can hold several runs, a run several
/// traces.
///
/// A record's run is the given id of its nearest ancestor that has one (itself first), else the only one
/// given in its trace, else the trace id. Traces that a convention joins by links count as one trace here.
pub fn runs_of(records: Vec<Record>) -> BTreeMap<String, Part> {
    let ids = run_ids(&records);
    let owners: BTreeMap<SpanKey, &str> =
        records.iter().map(span_key).zip(ids.iter().map(String::as_str)).collect();
    let mut arounds: BTreeMap<&str, Around> = BTreeMap::new();
    let mut traces: BTreeMap<TraceId, Told<'_>> = BTreeMap::new();
    for (record, id) in records.iter().zip(&ids) {
        let facts = &record.facts;
        let told = traces.entry(facts.trace_id).or_default();
        told.runs.insert(id);
        told.sessions.extend(facts.session_id.as_deref());
        told.users.extend(facts.user_id.as_deref());
        let around = arounds.entry(id).or_default();
        let parent = facts.parent_span_id.map(|parent| (facts.trace_id, parent));
        if let Some(parent) = parent.filter(|parent| owners.get(parent).is_some_and(|owner| *owner != id)) {
            around.parents.insert(parent);
        }
    }
    for told in traces.values().filter(|told| told.runs.len() > 1) {
        for id in &told.runs {
            let around = arounds.entry(id).or_default();
            around.session_id = around.session_id.take().or_else(|| only(&told.sessions));
            around.user_id = around.user_id.take().or_else(|| only(&told.users));
        }
    }
    let mut arounds: BTreeMap<String, Around> =
        arounds.into_iter().map(|(id, around)| (id.to_owned(), around)).collect();
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    for (record, id) in records.into_iter().zip(ids) {
        let around = &mut arounds;
        let part = parts.entry(id.clone()).or_insert_with(|| Part {
            around: around.remove(&id).unwrap_or_default(),
            run_id: id,
            records: Vec::new(),
        });
        part.records.push(record);
    }
    parts
}

/// The traces that these records' links join into the same run, as conventions say: read them as well before
/// splitting.
pub fn joined_traces(records: &[Record]) -> BTreeSet<TraceId> {
    records.iter().flat_map(joins).collect()
}

/// The run of each record, in their order.
pub(super) fn run_ids(records: &[Record]) -> Vec<String> {
    let mut joined = Joined::of(records);
    let spans = spans(records);
    let mut given: BTreeMap<TraceId, BTreeSet<&str>> = BTreeMap::new();
    for (key, span) in &spans {
        given.entry(joined.find(key.0)).or_default().extend(span.run_id);
    }
    let above = nearest_given(&spans);
    records
        .iter()
        .map(|record| {
            let key = span_key(record);
            let root = joined.find(key.0);
            let only = given.get(&root).and_then(only);
            let nearest = above.get(&key).copied().flatten().map(str::to_owned);
            nearest.or(only).unwrap_or_else(|| root.to_string())
        })
        .collect()
}

#[derive(Default)]
struct Told<'a> {
    runs: BTreeSet<&'a str>,
    sessions: BTreeSet<&'a str>,
    users: BTreeSet<&'a str>,
}

/// What counts for identity of all the records of one span.
struct Span<'a> {
    run_id: Option<&'a str>,
    parent: Option<SpanKey>,
}

fn spans(records: &[Record]) -> BTreeMap<SpanKey, Span<'_>> {
    let mut groups: BTreeMap<SpanKey, Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry(span_key(record)).or_default().push(record);
    }
    groups.into_iter().map(|(key, group)| (key, span(key, group))).collect()
}

fn span(key: SpanKey, mut group: Vec<&Record>) -> Span<'_> {
    // The span itself before logs on it, the version that counts before the others.
    group.sort_by_key(|record| (record.facts.carrier == Carrier::Span, rank(record)));
    let run_id = group.iter().rev().find_map(|record| record.facts.run_id.as_deref());
    let parent = group.iter().rev().find_map(|record| record.facts.parent_span_id);
    Span { run_id, parent: parent.filter(|parent| !parent.is_zero()).map(|parent| (key.0, parent)) }
}

/// The nearest given id at or above each span. Each span is walked over once; a loop ends the walk.
fn nearest_given<'a>(spans: &BTreeMap<SpanKey, Span<'a>>) -> BTreeMap<SpanKey, Option<&'a str>> {
    let mut known: BTreeMap<SpanKey, Option<&'a str>> = BTreeMap::new();
    for start in spans.keys() {
        let mut path = Vec::new();
        let mut walked = BTreeSet::new();
        let mut here = Some(*start);
        let mut found = None;
        while let Some(key) = here {
            if let Some(answer) = known.get(&key) {
                found = *answer;
                break;
            }
            let Some(span) = spans.get(&key).filter(|_| walked.insert(key)) else { break };
            path.push(key);
            found = span.run_id;
            if found.is_some() {
                break;
            }
            here = span.parent;
        }
        for key in path {
            known.insert(key, found);
        }
    }
    known
}

/// Traces joined by links, each under the smallest id of its circle.
struct Joined(BTreeMap<TraceId, TraceId>);

impl Joined {
    fn of(records: &[Record]) -> Self {
        let mut joined = Self(BTreeMap::new());
        for record in records {
            for other in joins(record) {
                let (a, b) = (joined.find(record.facts.trace_id), joined.find(other));
                joined.0.insert(a.max(b), a.min(b));
            }
        }
        joined
    }

    /// The root, with the way there halved, so that long chains stay cheap.
    fn find(&mut self, trace: TraceId) -> TraceId {
        let mut here = trace;
        while let Some(above) = self.0.get(&here).copied().filter(|above| *above != here) {
            let next = self.0.get(&above).copied().unwrap_or(above);
            self.0.insert(here, next);
            here = next;
        }
        here
    }
}

/// AutoGen makes a trace per message of one run and links them; others say so link by link.
fn joins(record: &Record) -> impl Iterator<Item = TraceId> {
    let autogen = record.facts.dialect.split('+').any(|dialect| dialect == "autogen");
    let same = |attributes: &[(String, Value)]| {
        attributes.iter().any(|(key, value)| key == SAME_RUN && value.as_bool() == Some(true))
    };
    record
        .facts
        .links
        .iter()
        .filter(move |link| (autogen || same(&link.attributes)) && !link.trace_id.is_zero())
        .map(|link| link.trace_id)
}

fn span_key(record: &Record) -> SpanKey {
    (record.facts.trace_id, record.facts.span_id)
}

fn only(ids: &BTreeSet<&str>) -> Option<String> {
    match ids.iter().collect::<Vec<_>>().as_slice() {
        [one] => Some((**one).to_owned()),
        _ => None,
    }
}
