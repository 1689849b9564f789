//! Table `actions`: one line a key, derived from every attempt under it.
use crate::domain::action::{Action, ActionUse};
use crate::domain::entity::Entity;
use crate::domain::ids::{Project, SpanId, TraceId};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::path::Move;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed, instant};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// An action on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptAction<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) action: &'a Action,
    pub(in crate::store) expires: Day,
    /// The run, where nobody gave a key.
    pub(in crate::store) owner: &'a str,
    pub(in crate::store) precedence: u64,
    /// The line is wrong now: nothing acts under this key any more.
    pub(in crate::store) is_deleted: bool,
}

/// A span.
impl Cell for (TraceId, SpanId) {
    fn sql_type() -> String {
        format!("Tuple(trace_id {}, span_id {})", TraceId::sql_type(), SpanId::sql_type())
    }
    fn write(&self, out: &mut Writer) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok((Cell::read(from)?, Cell::read(from)?))
    }
}

pub(in crate::store) type ActionColumn =
    Column<for<'a, 'b> fn(&mut Writer, &'b KeptAction<'a>), Read<Action>>;

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, $name, |out, kept| kept.action.$name.write(out))
    };
}

/// What a list shows.
pub(in crate::store) const SHOWN: &[ActionColumn] = &[
    column!(key, String),
    column!(key_given, bool),
    column!(tool, String),
    column!(target, Option<String>),
    column!(outcome, Outcome),
    column!(evidence, Evidence),
    instant!("unknown_at_ns", unknown_at_ns, |kept| kept.action.unknown_at_ns),
    column!(started_ns, u64),
    column!(changed_ns, u64),
    instant!("key_expires_ns", key_expires_ns, |kept| kept.action.key_expires_ns),
    column!(attempt_count, u32),
    column!(held_count, u32),
    column!(argument_drift, bool),
    column!(gate, Gate),
    column!(value, Option<String>),
    column!(downstream_id, Option<String>),
    column!(run_ids, Vec<String>),
    column!(step_id, String),
    column!(spans, Vec<(TraceId, SpanId)>),
    column!(entities, Vec<Entity>),
    column!(version, u64),
    column!(path, Vec<Move>),
    column!(uses, Vec<ActionUse>),
    column!(compensates, Option<String>),
    column!(agent, Option<String>),
];

/// Where a line is filed.
pub(in crate::store) const FILED: &[ActionColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("is_deleted", u8, |out, kept| out.u8(u8::from(kept.is_deleted))),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
    filed!("owner", String, |out, kept| out.text(kept.owner)),
    filed!("precedence", u64, |out, kept| out.u64(kept.precedence)),
];

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static ActionColumn> {
    FILED.iter().chain(SHOWN)
}

/// Appends one row.
pub(in crate::store) fn write_action(out: &mut Writer, kept: &KeptAction<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}

/// Something to read into.
pub(in crate::store) fn blank() -> Action {
    Action {
        key: String::new(),
        key_given: false,
        tool: String::new(),
        target: None,
        outcome: Outcome::Unknown,
        evidence: Evidence::Given,
        unknown_at_ns: None,
        started_ns: 0,
        changed_ns: 0,
        key_expires_ns: None,
        attempt_count: 0,
        held_count: 0,
        argument_drift: false,
        path: Vec::new(),
        uses: Vec::new(),
        compensates: None,
        gate: Gate::None,
        value: None,
        downstream_id: None,
        run_ids: Vec::new(),
        step_id: String::new(),
        spans: Vec::new(),
        agent: None,
        entities: Vec::new(),
        version: 0,
    }
}
