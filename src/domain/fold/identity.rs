//! Which run a record belongs to, found late: ids may sit on one span of a trace only, and that may come
//! last.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::node::{SpanKey, span_key};
use crate::domain::fold::versions::rank;
use crate::domain::ids::TraceId;
use crate::domain::kind::Carrier;
use crate::domain::path::Telling;
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
    /// What other runs tell about its keys.
    pub(super) tellings: Vec<Telling>,
}

impl Part {
    /// Lets it hear what other runs tell about its keys. What it tells itself is left out.
    pub fn hear(&mut self, tellings: impl IntoIterator<Item = Telling>) {
        let run_id = Some(self.run_id.as_str());
        let others = tellings.into_iter().filter(|telling| telling.told.origin.run_id() != run_id);
        self.around.tellings.extend(others);
    }
}

/// Splits the records of a closed set of traces by run. A trace can hold several runs, a run several
/// traces.
///
/// A record's run is the given id of its nearest ancestor that has one (itself first), else the only one
/// given in its trace, else the trace id. Traces that a convention joins by links count as one trace here.
pub fn runs_of(records: Vec<Record>) -> BTreeMap<String, Part> {
    let ids = RunIds::of(&records);
    let mut arounds = arounds(&records, &ids);
    let names: Arena<String> = ids.names.into();
    let mut parts: BTreeMap<usize, Vec<Record>> = BTreeMap::new();
    for (record, id) in records.into_iter().zip(ids.of) {
        parts.entry(id).or_default().push(record);
    }
    let part = |(id, records): (usize, Vec<Record>)| {
        let run_id = names[id].clone();
        (run_id.clone(), Part { run_id, records, around: arounds.remove(&id).unwrap_or_default() })
    };
    parts.into_iter().map(part).collect()
}

/// What each run can learn from records of its traces that are not its own.
fn arounds(records: &[Record], ids: &RunIds) -> BTreeMap<usize, Around> {
    let mut arounds: BTreeMap<usize, Around> = BTreeMap::new();
    if ids.names.len() < 2 {
        return arounds;
    }
    let owners: HashMap<SpanKey, usize> = records.iter().map(span_key).zip(ids.of.iter().copied()).collect();
    let mut traces: BTreeMap<TraceId, Told<'_>> = BTreeMap::new();
    for (record, id) in records.iter().zip(&ids.of) {
        let facts = &record.facts;
        let told = traces.entry(facts.trace_id).or_default();
        told.runs.insert(*id);
        told.sessions.extend(facts.session_id.as_deref());
        told.users.extend(facts.user_id.as_deref());
        let parent = facts.parent_span_id.map(|parent| (facts.trace_id, parent));
        if let Some(parent) = parent.filter(|parent| owners.get(parent).is_some_and(|owner| owner != id)) {
            arounds.entry(*id).or_default().parents.insert(parent);
        }
    }
    for told in traces.values().filter(|told| told.runs.len() > 1) {
        for id in &told.runs {
            let around = arounds.entry(*id).or_default();
            around.session_id = around.session_id.take().or_else(|| only(&told.sessions));
            around.user_id = around.user_id.take().or_else(|| only(&told.users));
        }
    }
    arounds
}

/// The traces that these records' links join into the same run, as conventions say: read them as well before
/// splitting.
pub fn joined_traces(records: &[Record]) -> BTreeSet<TraceId> {
    records.iter().flat_map(joins).collect()
}

/// The run of each record: its place among the names.
pub(super) struct RunIds {
    pub(super) names: Vec<String>,
    pub(super) of: Vec<usize>,
}

impl RunIds {
    /// Finds them.
    pub(super) fn of(records: &[Record]) -> Self {
        let mut joined = Joined::of(records);
        let spans = Spans::of(records);
        let mut given: HashMap<TraceId, BTreeSet<&str>> = HashMap::new();
        for span in spans.list.iter() {
            given.entry(joined.find(span.key.0)).or_default().extend(span.run_id);
        }
        let above = spans.nearest_given();
        let mut names: Vec<String> = Vec::new();
        let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut roots: HashMap<TraceId, usize> = HashMap::new();
        let mut place = |name: Cow<'_, str>| match places.get(&name) {
            Some(place) => *place,
            None => {
                names.push(name.clone().into_owned());
                places.insert(Cow::Owned(name.into_owned()), names.len() - 1);
                names.len() - 1
            }
        };
        let span_runs: Vec<usize> = spans
            .list
            .iter()
            .zip(above)
            .map(|(span, nearest)| match nearest {
                Some(given) => place(Cow::Borrowed(given)),
                None => {
                    let root = joined.find(span.key.0);
                    let only = given.get(&root).and_then(only).map(Cow::Owned);
                    *roots
                        .entry(root)
                        .or_insert_with(|| place(only.unwrap_or_else(|| root.to_string().into())))
                }
            })
            .collect();
        let span_runs: Arena<usize> = span_runs.into();
        let of = spans.of_record.iter().map(|span| span_runs[*span]).collect();
        Self { names, of }
    }
}

#[derive(Default)]
struct Told<'a> {
    runs: BTreeSet<usize>,
    sessions: BTreeSet<&'a str>,
    users: BTreeSet<&'a str>,
}

/// What counts for identity of all the records of one span.
struct Span<'a> {
    key: SpanKey,
    run_id: Option<&'a str>,
    parent: Option<SpanKey>,
}

/// Spans in the order of their ids, and the span of each record.
struct Spans<'a> {
    list: Arena<Span<'a>>,
    of_record: Vec<usize>,
}

impl<'a> Spans<'a> {
    fn of(records: &'a [Record]) -> Self {
        let mut sorted: Vec<(usize, &Record)> = records.iter().enumerate().collect();
        // The span itself after logs on it, the version that counts last.
        sorted.sort_by_cached_key(|(_, record)| {
            (span_key(record), record.facts.carrier == Carrier::Span, rank(record))
        });
        let mut list = Arena::from(Vec::new());
        let mut of_record = vec![(0, 0); records.len()];
        let mut slots = of_record.iter_mut();
        for group in sorted.chunk_by(|(_, a), (_, b)| span_key(a) == span_key(b)) {
            let Some(key) = group.first().map(|(_, record)| span_key(record)) else { continue };
            let run_id = group.iter().rev().find_map(|(_, record)| record.facts.run_id.as_deref());
            let parent = group.iter().rev().find_map(|(_, record)| record.facts.parent_span_id);
            let parent = parent.filter(|parent| !parent.is_zero()).map(|parent| (key.0, parent));
            let span = list.add(Span { key, run_id, parent });
            for ((record, _), slot) in group.iter().zip(&mut slots) {
                *slot = (*record, span);
            }
        }
        of_record.sort_unstable();
        Self { list, of_record: of_record.into_iter().map(|(_, span)| span).collect() }
    }

    /// The nearest given id at or above each span. Each span is walked over once; a loop ends the walk.
    fn nearest_given(&self) -> Vec<Option<&'a str>> {
        let parents: Vec<Option<usize>> =
            self.list.iter().map(|span| span.parent.and_then(|key| self.find(key))).collect();
        let parents: Arena<Option<usize>> = parents.into();
        let mut known: Arena<Option<Option<&'a str>>> = Arena::beside(&self.list, None);
        let mut walked = Arena::beside(&self.list, false);
        for start in self.list.ids() {
            let mut path = Vec::new();
            let mut here = Some(start);
            let mut found = None;
            while let Some(id) = here {
                if let Some(answer) = known[id] {
                    found = answer;
                    break;
                }
                if std::mem::replace(&mut walked[id], true) {
                    break;
                }
                path.push(id);
                found = self.list[id].run_id;
                if found.is_some() {
                    break;
                }
                here = parents[id];
            }
            for id in path {
                known[id] = Some(found);
            }
        }
        known.into_vec().into_iter().map(Option::flatten).collect()
    }

    fn find(&self, key: SpanKey) -> Option<usize> {
        self.list.as_slice().binary_search_by_key(&key, |span| span.key).ok()
    }
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

fn only(ids: &BTreeSet<&str>) -> Option<String> {
    match ids.iter().collect::<Vec<_>>().as_slice() {
        [one] => Some((**one).to_owned()),
        _ => None,
    }
}
