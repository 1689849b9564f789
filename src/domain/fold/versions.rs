//! Records of one span become one node: re-sent ones collapse, versions are ranked, logs are merged in.
use std::borrow::Cow;

use crate::domain::fold::arena::Arena;
use crate::domain::fold::homes::Homes;
use crate::domain::fold::merge;
use crate::domain::fold::node::{Node, SpanKey, sane_end, sane_start};
use crate::domain::ids::RecordId;
use crate::domain::kind::{Carrier, Kind};
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;

/// One node a span, in the order of their ids: the order of arrival leaves no trace.
pub(super) fn nodes(records: &[Record]) -> Arena<Node<'_>> {
    let records = distinct(records);
    let homes = Homes::of(&records);
    let mut sorted: Vec<(SpanKey, &Record)> =
        records.into_iter().map(|record| (homes.home(record), record)).collect();
    sorted.sort_by_key(|(home, record)| (*home, record.record_id));
    let groups = sorted.chunk_by(|(a, _), (b, _)| a == b);
    let nodes =
        groups.filter_map(|group| node(group.first()?.0, group.iter().map(|(_, record)| *record).collect()));
    nodes.collect::<Vec<_>>().into()
}

/// Of copies of one record the first that was received: a copy without a time of its own would else have
/// another one, and with it another place.
fn distinct(records: &[Record]) -> Vec<&Record> {
    let mut sorted: Vec<&Record> = records.iter().collect();
    sorted.sort_by(|a, b| {
        (a.record_id, a.received_ns, &a.rules_version).cmp(&(b.record_id, b.received_ns, &b.rules_version))
    });
    sorted.dedup_by_key(|record| record.record_id);
    sorted
}

/// Which version of a span counts: ended before unended, then the latest end, then the record id.
pub(super) fn rank(record: &Record) -> (bool, Option<u64>, RecordId) {
    (record.facts.ended_ns.is_some(), record.facts.ended_ns, record.record_id)
}

/// What has arrived of one span, each record once and in the order of their ids.
fn node((trace, span): SpanKey, group: Vec<&Record>) -> Option<Node<'_>> {
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
        trace,
        span,
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
