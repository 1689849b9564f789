//! One span as the fold sees it: the version that counts, with all that arrived under the same id.
use std::borrow::Cow;

use crate::domain::fold::limits::{DAY_NS, DEADLINE_NS};
use crate::domain::ids::{RecordId, SpanId, TraceId};
use crate::domain::kind::{Kind, Status};
use crate::domain::record::Record;
use crate::domain::step::Facts;

/// Names a span over all traces.
pub(super) type SpanKey = (TraceId, SpanId);

/// The span that a record is (on).
pub(super) fn span_key(record: &Record) -> SpanKey {
    (record.facts.trace_id, record.facts.span_id)
}

/// A span (or what logs tell of one) with its versions and logs.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) trace: TraceId,
    pub(super) span: SpanId,
    /// The version that counts; what logs and evidence add is merged in.
    pub(super) record: Cow<'a, Record>,
    /// Other versions, oldest first.
    pub(super) versions: Vec<&'a Record>,
    /// Logs and events on the span, oldest first.
    pub(super) logs: Vec<&'a Record>,
    /// The kind that counts: a wrapper around numbered attempts is plumbing.
    pub(super) kind: Kind,
    /// The start, made sane: never 0, never far beyond the time of receipt.
    pub(super) start: u64,
    /// The end, made sane: never before the start.
    pub(super) end: Option<u64>,
    /// It started and has not ended, as far as we have heard.
    pub(super) open: bool,
    /// First receipt of any of its records.
    pub(super) received: u64,
    /// Two contents, of which neither merely completes the other.
    pub(super) conflict: bool,
    /// A record said `submitted` before the call ended.
    pub(super) intended: bool,
    /// Nothing of it has arrived; it stands where a child says its parent is.
    pub(super) missing: bool,
}

impl Node<'_> {
    /// Stands for a parent that has not arrived.
    pub(super) fn placeholder(trace: TraceId, span: SpanId, start: u64, received: u64) -> Self {
        let facts = Facts { trace_id: trace, span_id: span, started_ns: start, ..Facts::default() };
        let record = Record {
            record_id: RecordId::default(),
            received_ns: received,
            facts,
            context: Vec::new(),
            output: Vec::new(),
            arguments: None,
            arguments_canonical: None,
            result: None,
            proposed: Vec::new(),
            redactions: Vec::new(),
            rules_version: String::new(),
        };
        Self {
            trace,
            span,
            record: Cow::Owned(record),
            versions: Vec::new(),
            logs: Vec::new(),
            kind: Kind::Other,
            start,
            end: None,
            open: false,
            received,
            conflict: false,
            intended: false,
            missing: true,
        }
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.record.facts
    }

    /// The order of things that happened: by start, then by the runtime's own sequence, then by id.
    pub(super) fn order(&self) -> (u64, u64, TraceId, SpanId) {
        (self.start, self.facts().seq.unwrap_or(u64::MAX), self.trace, self.span)
    }

    /// Where it ends for the question whether two calls overlap. One that never ended overlaps with
    /// everything until its deadline has passed: it may still run.
    pub(super) fn busy_until(&self, now_ns: u64) -> u64 {
        match self.end {
            Some(end) => end,
            None if !self.open || self.lapsed(now_ns) => self.start,
            None => u64::MAX,
        }
    }

    /// Whether it should have ended by now.
    pub(super) fn lapsed(&self, now_ns: u64) -> bool {
        self.open && now_ns >= self.lapses_at()
    }

    /// When an answer is overdue.
    pub(super) fn lapses_at(&self) -> u64 {
        self.start.min(self.received).saturating_add(DEADLINE_NS)
    }

    /// Whether it says that something went wrong.
    pub(super) fn erred(&self) -> bool {
        let facts = self.facts();
        let refused = facts.http.as_ref().and_then(|http| http.status_code).is_some_and(|code| code >= 400);
        facts.status == Status::Error || facts.error.is_some() || refused
    }

    /// Whether it is an HTTP call that may change something: reads on the way (a token, a look-up) do not.
    pub(super) fn changes(&self) -> bool {
        let method = self.facts().http.as_ref().and_then(|http| http.method.as_deref());
        self.kind == Kind::Transport && matches!(method, Some("POST" | "PUT" | "PATCH" | "DELETE"))
    }

    /// A tool call of any kind.
    pub(super) fn is_tool(&self) -> bool {
        is_tool(self.kind)
    }

    /// Work rather than a container around work.
    pub(super) fn is_work(&self) -> bool {
        match self.kind {
            Kind::Think | Kind::Read | Kind::Act | Kind::Reconcile | Kind::Wait | Kind::Transport => true,
            Kind::Agent | Kind::Other => false,
        }
    }
}

/// A tool call of any kind.
pub(super) fn is_tool(kind: Kind) -> bool {
    match kind {
        Kind::Read | Kind::Act | Kind::Reconcile => true,
        Kind::Think | Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => false,
    }
}

/// A start we can order by: clients send 0 and 2262, then the time of receipt is the better guess.
pub(super) fn sane_start(record: &Record) -> u64 {
    let started = record.facts.started_ns;
    if started == 0 || started > record.received_ns.saturating_add(DAY_NS) {
        record.received_ns
    } else {
        started
    }
}

/// An end that is not before its start and not far beyond the time of receipt.
pub(super) fn sane_end(record: &Record) -> Option<u64> {
    let start = sane_start(record);
    let ended = record.facts.ended_ns?;
    if ended > record.received_ns.saturating_add(DAY_NS) {
        return Some(record.received_ns.max(start));
    }
    Some(ended.max(start))
}
