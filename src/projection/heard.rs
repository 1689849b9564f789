//! Which of two lines for one run knows more.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::case::CaseEvent;
use crate::domain::fold::joined_traces;
use crate::domain::ids::TraceId;
use crate::domain::record::Record;

/// A part of a precedence is the number of records, up to this.
const RECORDS_MAX: u64 = (1 << 12) - 1;

/// What was received of the traces that hang together: it only grows, while the part of them that is one
/// run may shrink when a late span says that it is two.
#[derive(Debug, Default)]
pub(super) struct Heard {
    group_of: BTreeMap<TraceId, TraceId>,
    groups: BTreeMap<TraceId, Group>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    first_ns: u64,
    last_ns: u64,
    records: u64,
}

impl Heard {
    pub(super) fn of(records: &[Record], events: &[CaseEvent]) -> Self {
        let mut heard = Self::default();
        for record in records {
            let trace_id = record.facts.trace_id;
            heard.group_of.entry(trace_id).or_insert(trace_id);
        }
        for record in records {
            for other in joined_traces(std::slice::from_ref(record)) {
                heard.join(record.facts.trace_id, other);
            }
        }
        for record in records {
            let group = heard.find(record.facts.trace_id);
            let fresh = Group { first_ns: u64::MAX, ..Group::default() };
            let group = heard.groups.entry(group).or_insert(fresh);
            group.first_ns = group.first_ns.min(record.received_ns);
            group.last_ns = group.last_ns.max(record.received_ns);
            group.records += 1;
        }
        heard.hear(records, events);
        heard
    }

    /// Events count for every trace that used their key, or for that of their attempt.
    fn hear(&mut self, records: &[Record], events: &[CaseEvent]) {
        if events.is_empty() {
            return;
        }
        let mut using: BTreeMap<&str, BTreeSet<TraceId>> = BTreeMap::new();
        for record in records {
            if let Some(key) = &record.facts.key {
                using.entry(key).or_default().insert(self.find(record.facts.trace_id));
            }
        }
        for event in events {
            let of_key = event.key.as_deref().and_then(|key| using.get(key));
            let own = BTreeSet::from([self.find(event.trace_id)]);
            for group in of_key.unwrap_or(&own) {
                if let Some(group) = self.groups.get_mut(group) {
                    group.last_ns = group.last_ns.max(event.at_ns);
                    group.records += 1;
                }
            }
        }
    }

    /// Whether these traces were received in more than one request: then a line of them may stand under
    /// another name, or elsewhere.
    pub(super) fn came_in_pieces<'a>(&self, traces: impl IntoIterator<Item = &'a TraceId>) -> bool {
        let groups = traces.into_iter().filter_map(|trace_id| self.groups.get(&self.find(*trace_id)));
        let (first, last) = groups
            .fold((u64::MAX, 0), |(first, last), group| (first.min(group.first_ns), last.max(group.last_ns)));
        first != last
    }

    /// The precedence of lines made of these traces: later receipts win, and of those heard alike, more
    /// records.
    pub(super) fn precedence<'a>(&self, traces: impl IntoIterator<Item = &'a TraceId>) -> u64 {
        let mut groups: Vec<TraceId> = traces.into_iter().map(|trace_id| self.find(*trace_id)).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups: Vec<Group> = groups.iter().filter_map(|group| self.groups.get(group)).copied().collect();
        let last_us = groups.iter().map(|group| group.last_ns).max().unwrap_or_default() / 1000;
        let records = groups.iter().map(|group| group.records).sum::<u64>().min(RECORDS_MAX);
        last_us << RECORDS_MAX.count_ones() | records
    }

    fn join(&mut self, one: TraceId, other: TraceId) {
        let (one, other) = (self.find(one), self.find(other));
        // The lower id stands for both, so that the order of records does not matter.
        self.group_of.insert(one.max(other), one.min(other));
    }

    fn find(&self, trace_id: TraceId) -> TraceId {
        let mut group = trace_id;
        while let Some(above) = self.group_of.get(&group).filter(|above| **above != group) {
            group = *above;
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fold::SAME_RUN;
    use crate::domain::step::Link;
    use crate::domain::value::Value;

    fn record(trace: u8, received_ns: u64, joined: Option<u8>) -> Record {
        let mut record = Record { received_ns, ..Record::default() };
        record.facts.trace_id = TraceId([trace; 16]);
        record.facts.links = joined
            .map(|trace| Link {
                trace_id: TraceId([trace; 16]),
                attributes: vec![(SAME_RUN.to_owned(), Value::Bool(true))],
                ..Link::default()
            })
            .into_iter()
            .collect();
        record
    }

    #[test]
    fn precedence_rises_with_every_record_and_counts_joined_traces() {
        let all = [
            record(3, 1_000, None),
            record(2, 5_000, Some(3)),
            record(1, 2_000, Some(2)),
            record(9, 9_000, None),
        ];
        let of = |count: usize, trace: u8| {
            Heard::of(all.get(..count).unwrap(), &[]).precedence([&TraceId([trace; 16])])
        };
        assert!(of(1, 3) < of(2, 3));
        assert!(of(2, 3) < of(3, 3));
        assert_eq!(of(3, 3), of(4, 3));
        assert_eq!(of(3, 3), of(3, 1));
        assert!(of(4, 9) > of(4, 1));
        let heard = Heard::of(&all, &[]);
        assert!(heard.came_in_pieces([&TraceId([3; 16])]) && !heard.came_in_pieces([&TraceId([9; 16])]));
    }
}
