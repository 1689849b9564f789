//! Table `cases`: one line a case, derived from attempts and events.
use crate::domain::case::{Case, CaseState};
use crate::domain::entity::Entity;
use crate::domain::ids::{Project, SpanId, TraceId};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::Move;
use crate::domain::policy::Money;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed, instant};
use crate::store::rows::writer::Writer;

/// A case on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptCase<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) case: &'a Case,
    pub(in crate::store) expires: Day,
    pub(in crate::store) precedence: u64,
    /// The line is wrong now: it is no case any more.
    pub(in crate::store) is_deleted: bool,
}

pub(in crate::store) type CaseColumn = Column<for<'a, 'b> fn(&mut Writer, &'b KeptCase<'a>), Read<Case>>;

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, $name, |out, kept| kept.case.$name.write(out))
    };
}

/// What a list shows.
pub(in crate::store) const SHOWN: &[CaseColumn] = &[
    column!(case_id, String),
    column!(key, Option<String>),
    column!(tool, String),
    column!(target, Option<String>),
    column!(entities, Vec<Entity>),
    column!(run_id, String),
    column!(step_id, String),
    column!(trace_id, TraceId),
    column!(span_id, SpanId),
    column!(run_ids, Vec<String>),
    column!(traces, Vec<TraceId>),
    column!(agent, Option<String>),
    column!(outcome, Outcome),
    column!(evidence, Evidence),
    instant!("unknown_at_ns", unknown_at_ns, |kept| kept.case.unknown_at_ns),
    column!(state, CaseState),
    column!(known_as, Vec<String>),
    instant!("opened_ns", opened_ns, |kept| kept.case.opened_ns),
    instant!("settled_ns", settled_ns, |kept| kept.case.settled_ns),
    column!(started_ns, u64),
    column!(changed_ns, u64),
    column!(owner, Option<String>),
    instant!("owner_since_ns", owner_since_ns, |kept| kept.case.owner_since_ns),
    instant!("key_expires_ns", key_expires_ns, |kept| kept.case.key_expires_ns),
    column!(value, Option<String>),
    column!(attempt_count, u32),
    column!(look_count, u32),
    column!(look_failed_count, u32),
    instant!("last_look_ns", last_look_ns, |kept| kept.case.last_look_ns),
    column!(path, Vec<Move>),
    column!(event_count, u32),
    column!(last_event_id, Option<String>),
    column!(version, u64),
];

/// Where a line is filed, and what lists are sorted and summed by.
pub(in crate::store) const FILED: &[CaseColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("is_deleted", u8, |out, kept| out.u8(u8::from(kept.is_deleted))),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
    filed!("precedence", u64, |out, kept| out.u64(kept.precedence)),
    filed!("amount", f64, |out, kept| out
        .f64(money(kept.case).map(|money| money.amount).unwrap_or_default())),
    filed!("currency", String, |out, kept| {
        out.text(money(kept.case).as_ref().map(|money| money.currency.as_str()).unwrap_or_default());
    }),
];

/// What is at stake, where it is a number.
pub(in crate::store) fn money(case: &Case) -> Option<Money> {
    case.value.as_deref().and_then(Money::parse)
}

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static CaseColumn> {
    FILED.iter().chain(SHOWN)
}

/// Appends one row.
pub(in crate::store) fn write_case(out: &mut Writer, kept: &KeptCase<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}

/// Something to read into.
pub(in crate::store) fn blank() -> Case {
    Case {
        case_id: String::new(),
        key: None,
        tool: String::new(),
        target: None,
        entities: Vec::new(),
        run_id: String::new(),
        step_id: String::new(),
        trace_id: TraceId::default(),
        span_id: SpanId::default(),
        run_ids: Vec::new(),
        traces: Vec::new(),
        agent: None,
        outcome: Outcome::Unknown,
        evidence: Evidence::Given,
        unknown_at_ns: None,
        state: CaseState::Open,
        opened_ns: None,
        settled_ns: None,
        started_ns: 0,
        changed_ns: 0,
        owner: None,
        owner_since_ns: None,
        key_expires_ns: None,
        value: None,
        attempt_count: 0,
        look_count: 0,
        look_failed_count: 0,
        last_look_ns: None,
        path: Vec::new(),
        event_count: 0,
        known_as: Vec::new(),
        last_event_id: None,
        version: 0,
    }
}
