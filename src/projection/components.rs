//! Which traces hang together: they hold one run, or links join them. Grows with what arrives and never
//! shrinks, so the number of records in it is a version that only goes up, whatever moves between runs.
use std::collections::{BTreeMap, HashMap};

use crate::domain::fold::joined_traces;
use crate::domain::ids::TraceId;
use crate::domain::record::Record;

/// Traces, by what they hang together with.
#[derive(Debug, Default)]
pub(super) struct Components {
    above: HashMap<TraceId, TraceId>,
    record_counts: HashMap<TraceId, u64>,
    /// Earliest and latest receipt of each component's records.
    received_ns: HashMap<TraceId, (u64, u64)>,
}

impl Components {
    /// The components of these records' traces.
    pub(super) fn of(records: &[Record]) -> Self {
        let mut this = Self::default();
        let mut runs: BTreeMap<&str, TraceId> = BTreeMap::new();
        for record in records {
            let trace = record.facts.trace_id;
            if let Some(run_id) = record.facts.run_id.as_deref() {
                let first = *runs.entry(run_id).or_insert(trace);
                this.join(trace, first);
            }
            for other in joined_traces(std::slice::from_ref(record)) {
                this.join(trace, other);
            }
        }
        for record in records {
            let top = this.top(record.facts.trace_id);
            *this.record_counts.entry(top).or_default() += 1;
            let received = this.received_ns.entry(top).or_insert((u64::MAX, 0));
            *received = (received.0.min(record.received_ns), received.1.max(record.received_ns));
        }
        this
    }

    /// The trace that stands for all that hang together with this one.
    pub(super) fn top(&mut self, trace: TraceId) -> TraceId {
        let mut top = trace;
        while let Some(above) = self.above.get(&top).filter(|above| **above != top) {
            top = *above;
        }
        self.above.insert(trace, top);
        top
    }

    /// How many records hang together with this trace.
    pub(super) fn version(&mut self, trace: TraceId) -> u64 {
        let top = self.top(trace);
        self.record_counts.get(&top).copied().unwrap_or_default()
    }

    /// Whether what hangs together with this trace was received in more than one request.
    pub(super) fn came_in_pieces(&mut self, trace: TraceId) -> bool {
        let top = self.top(trace);
        self.received_ns.get(&top).is_some_and(|(first, last)| first != last)
    }

    fn join(&mut self, one: TraceId, other: TraceId) {
        let (one, other) = (self.top(one), self.top(other));
        if one != other {
            self.above.insert(one.max(other), one.min(other));
        }
    }
}
