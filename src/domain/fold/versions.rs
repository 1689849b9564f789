//! Records of one span become one node: re-sent ones collapse, versions are ranked, logs are merged in.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::merge;
use crate::domain::fold::node::{Node, sane_end, sane_start};
use crate::domain::ids::{RecordId, SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind};
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;

/// Names a span over all traces.
pub(super) type SpanKey = (TraceId, SpanId);

/// One node a span, in the order of their ids: the order of arrival leaves no trace.
pub(super) fn nodes(records: &[Record]) -> Arena<Node<'_>> {
    let calls = Calls::of(records);
    let mut sorted: Vec<(SpanKey, &Record)> =
        records.iter().map(|record| (calls.home(record), record)).collect();
    sorted.sort_by_key(|(home, _)| *home);
    let groups = sorted.chunk_by(|(a, _), (b, _)| a == b);
    let nodes = groups.filter_map(|group| node(group.iter().map(|(_, record)| *record).collect()));
    nodes.collect::<Vec<_>>().into()
}

/// The span that a record is (on).
pub(super) fn span_key(record: &Record) -> SpanKey {
    (record.facts.trace_id, record.facts.span_id)
}

/// Which version of a span counts: ended before unended, then the latest end, then the record id.
pub(super) fn rank(record: &Record) -> (bool, Option<u64>, RecordId) {
    (record.facts.ended_ns.is_some(), record.facts.ended_ns, record.record_id)
}

fn node(mut group: Vec<&Record>) -> Option<Node<'_>> {
    group.sort_by(|a, b| {
        (a.record_id, a.received_ns, &a.rules_version).cmp(&(b.record_id, b.received_ns, &b.rules_version))
    });
    group.dedup_by_key(|record| record.record_id);
    let (mut spans, mut logs): (Vec<&Record>, Vec<&Record>) =
        group.iter().copied().partition(|record| record.facts.carrier == Carrier::Span);
    spans.sort_by_key(|record| rank(record));
    logs.sort_by_key(|log| (log.facts.started_ns, log.facts.seq.unwrap_or(u64::MAX), log.record_id));
    let has_span = !spans.is_empty();
    let main = spans.pop().or_else(|| (!logs.is_empty()).then(|| logs.remove(0)))?;

    let whole = main.facts.ended_ns.is_some();
    let conflict = spans.iter().any(|other| other.facts.ended_ns.is_some() == whole);
    let intends = |record: &&Record| record.facts.outcome == Some(Outcome::Submitted);
    let intended = logs.iter().any(intends)
        || spans.iter().filter(|other| other.facts.ended_ns.is_none()).any(intends)
        || (!has_span && intends(&main));

    let mut record = Cow::Borrowed(main);
    if !logs.is_empty() {
        gather(record.to_mut(), main, &logs, has_span);
    }
    // The last answer counts, so later logs go first: what is filled once stays.
    for log in logs.iter().rev() {
        merge::log_into(record.to_mut(), log);
    }
    spans.sort_by_key(|other| (other.received_ns, other.record_id));
    if !has_span && intended && record.facts.kind == Kind::Act && record.facts.outcome.is_none() {
        record.to_mut().facts.outcome = Some(Outcome::Submitted);
    }
    let open = if has_span {
        record.facts.ended_ns.is_none()
    } else {
        record.facts.kind == Kind::Act && record.facts.outcome == Some(Outcome::Submitted)
    };
    // A span that never arrived ended with the last thing that its logs tell.
    let told = || logs.iter().map(|log| sane_start(log)).max().filter(|_| !has_span && !open);
    let start = sane_start(&record);
    let end = sane_end(&record).filter(|_| !open).or_else(told).map(|end| end.max(start));
    Some(Node {
        trace: record.facts.trace_id,
        span: record.facts.span_id,
        kind: record.facts.kind,
        start,
        end,
        open,
        received: group.iter().map(|record| record.received_ns).min().unwrap_or_default(),
        conflict,
        intended,
        missing: false,
        versions: spans,
        logs,
        record,
    })
}

/// Fills a record with the bodies that its logs carry together.
fn gather(record: &mut Record, main: &Record, logs: &[&Record], has_span: bool) {
    let told_by: Vec<&Record> =
        if has_span { logs.to_vec() } else { std::iter::once(main).chain(logs.iter().copied()).collect() };
    if record.context.is_empty() || !has_span {
        record.context = merge::gathered(&told_by, |log| &log.context);
    }
    if record.output.is_empty() || !has_span {
        record.output = merge::gathered(&told_by, |log| &log.output);
        record.proposed = merge::gathered(&told_by, |log| &log.proposed);
    }
}

/// The spans that carry tool calls, by the call's id: a log that names a call is about its span, wherever it
/// was written.
struct Calls<'a>(BTreeMap<(TraceId, &'a str), Vec<&'a Record>>);

impl<'a> Calls<'a> {
    fn of(records: &'a [Record]) -> Self {
        let mut calls: BTreeMap<(TraceId, &str), Vec<&Record>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.facts.carrier == Carrier::Span) {
            if let Some(call) = record.facts.tool_call_id.as_deref() {
                calls.entry((record.facts.trace_id, call)).or_default().push(record);
            }
        }
        for spans in calls.values_mut() {
            // Of a call that was instrumented twice the outer span is the one.
            let inner: BTreeSet<SpanId> = spans.iter().map(|span| span.facts.span_id).collect();
            spans.retain(|span| !span.facts.parent_span_id.is_some_and(|parent| inner.contains(&parent)));
            spans.sort_by_key(|span| (sane_start(span), span.facts.span_id, span.record_id));
        }
        Self(calls)
    }

    /// The span that a record is about: of several attempts under one call id the last that had started.
    fn home(&self, record: &Record) -> SpanKey {
        let own = (record.facts.trace_id, record.facts.span_id);
        let Some(call) = record.facts.tool_call_id.as_deref() else { return own };
        let Some(spans) = self.0.get(&(own.0, call)).filter(|_| record.facts.carrier == Carrier::Log) else {
            return own;
        };
        let written = record.facts.ended_ns.unwrap_or_default().max(sane_start(record));
        let started = spans.iter().rev().find(|span| sane_start(span) <= written);
        started.or(spans.first()).map_or(own, |span| (own.0, span.facts.span_id))
    }
}
