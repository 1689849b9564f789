//! On which span a log record belongs: on that of the call or step it names, wherever it was written.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::fold::node::{SpanKey, sane_start, span_key};
use crate::domain::ids::TraceId;
use crate::domain::kind::{Carrier, Kind};
use crate::domain::record::Record;
use crate::domain::step::Facts;

/// The spans of a run, by what a log record may name.
pub(super) struct Homes<'a> {
    spans: BTreeMap<SpanKey, &'a Record>,
    calls: BTreeMap<(TraceId, &'a str), Vec<&'a Record>>,
    steps: BTreeMap<&'a str, Vec<&'a Record>>,
    /// Spans on which logs of several things were written.
    shared: BTreeSet<SpanKey>,
}

/// What a log record is about, where it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named<'a> {
    Call(&'a str),
    Step(&'a str),
    Key(&'a str),
}

impl<'a> Named<'a> {
    fn of(facts: &'a Facts) -> Option<Self> {
        let call = facts.tool_call_id.as_deref().map(Self::Call);
        let step = || facts.step_id.as_deref().map(Self::Step);
        call.or_else(step).or_else(|| facts.key.as_deref().map(Self::Key))
    }
}

impl<'a> Homes<'a> {
    /// Finds them.
    pub(super) fn of(records: &[&'a Record]) -> Self {
        let mut homes = Self {
            spans: BTreeMap::new(),
            calls: BTreeMap::new(),
            steps: BTreeMap::new(),
            shared: BTreeSet::new(),
        };
        let mut written: BTreeMap<SpanKey, Named<'a>> = BTreeMap::new();
        for record in records.iter().copied() {
            let facts = &record.facts;
            if facts.carrier == Carrier::Span {
                homes.add(record);
            } else if let (Some(on), Some(named)) = (written_on(record), Named::of(facts))
                && written.insert(on, named).is_some_and(|other| other != named)
            {
                homes.shared.insert(on);
            }
        }
        for spans in homes.calls.values_mut().chain(homes.steps.values_mut()) {
            // Of a call that was instrumented twice the outer span is the one.
            let inner: BTreeSet<SpanKey> = spans.iter().map(|span| span_key(span)).collect();
            let below = |span: &Record| {
                let parent = span.facts.parent_span_id.map(|parent| (span.facts.trace_id, parent));
                parent.is_some_and(|parent| inner.contains(&parent))
            };
            spans.retain(|span| !below(span));
            spans.sort_by_key(|span| (sane_start(span), span_key(span), span.record_id));
        }
        homes
    }

    fn add(&mut self, span: &'a Record) {
        let facts = &span.facts;
        self.spans.insert(span_key(span), span);
        if let Some(call) = facts.tool_call_id.as_deref() {
            self.calls.entry((facts.trace_id, call)).or_default().push(span);
        }
        // Senders put the id of a step on the agent above it as well: that one is no attempt of it.
        if let Some(step) = facts.step_id.as_deref().filter(|_| facts.kind != Kind::Agent) {
            self.steps.entry(step).or_default().push(span);
        }
    }

    /// The span that a record is about.
    pub(super) fn home(&self, record: &Record) -> SpanKey {
        let own = span_key(record);
        let facts = &record.facts;
        if facts.carrier != Carrier::Log || Named::of(facts).is_none() {
            return own;
        }
        let on = written_on(record);
        if let Some(found) = self.attempt(record, on) {
            return found;
        }
        // Nothing that has arrived says that it is the call: the span it was written on may be.
        let fits = |on: &SpanKey| self.spans.get(on).is_some_and(|span| could_be(&span.facts, facts));
        on.filter(|on| !self.shared.contains(on) && fits(on)).unwrap_or(own)
    }

    /// The attempt that a record names: the one it was written on, else the one with its number, else the
    /// last that had started.
    fn attempt(&self, record: &Record, on: Option<SpanKey>) -> Option<SpanKey> {
        let facts = &record.facts;
        let by_call = || self.calls.get(&(facts.trace_id, facts.tool_call_id.as_deref()?));
        let by_step = || self.steps.get(facts.step_id.as_deref()?);
        let spans = by_call().or_else(by_step)?;
        let here: Vec<&Record> =
            spans.iter().copied().filter(|span| span.facts.trace_id == facts.trace_id).collect();
        let mut spans = if here.is_empty() { spans.clone() } else { here };
        if let Some(span) = spans.iter().find(|span| Some(span_key(span)) == on) {
            return Some(span_key(span));
        }
        if let Some(number) = facts.attempt {
            spans.retain(|span| span.facts.attempt.is_none_or(|attempt| attempt == number));
        }
        let written = facts.ended_ns.unwrap_or_default().max(sane_start(record));
        let started = spans.iter().rev().find(|span| sane_start(span) <= written);
        started.or(spans.first()).map(|span| span_key(span))
    }
}

/// The span that a log record was written on, where it names something of its own.
fn written_on(log: &Record) -> Option<SpanKey> {
    log.facts.parent_span_id.map(|on| (log.facts.trace_id, on))
}

/// Whether a span may be the call that a log tells of: it is a tool call, and contradicts nothing.
fn could_be(span: &Facts, log: &Facts) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
    let numbers = span.attempt.is_none() || log.attempt.is_none() || span.attempt == log.attempt;
    matches!(span.kind, Kind::Act | Kind::Read | Kind::Reconcile)
        && numbers
        && agree(&span.step_id, &log.step_id)
        && agree(&span.tool_call_id, &log.tool_call_id)
        && agree(&span.key, &log.key)
        && agree(&span.tool, &log.tool)
}
