//! Table `case_events`: what people and jobs appended to cases.
use crate::domain::case::{CaseAct, CaseEvent, Resolution};
use crate::domain::ids::{Project, SpanId, TraceId};
use crate::domain::outcome::Outcome;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed};
use crate::store::rows::reader::ReadError;
use crate::store::rows::writer::Writer;

/// An event on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptCaseEvent<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) event: &'a CaseEvent,
    pub(in crate::store) expires: Day,
}

/// An event being read: what it says is put together from several columns at the end.
#[derive(Debug, Default)]
pub(in crate::store) struct Reading {
    case_id: String,
    tool: String,
    key: Option<String>,
    run_id: String,
    step_id: String,
    trace_id: TraceId,
    span_id: SpanId,
    event_id: String,
    at_ns: u64,
    by: String,
    by_job: bool,
    saw: Option<String>,
    act: String,
    outcome: Option<Outcome>,
    owner: Option<String>,
    evidence: String,
    note: String,
    needs_second: bool,
}

impl Reading {
    /// The event.
    ///
    /// # Errors
    /// For a word that this version does not know.
    pub(in crate::store) fn event(self) -> Result<CaseEvent, ReadError> {
        let Self { note, evidence, needs_second, outcome, .. } = self;
        let act = match self.act.as_str() {
            "claim" => CaseAct::Claim,
            "hand_over" => CaseAct::HandOver { to: self.owner, note },
            "comment" => CaseAct::Comment(note),
            "resolution" => {
                let outcome = outcome.ok_or(ReadError::UNKNOWN)?;
                CaseAct::Resolve(Resolution { outcome, evidence, note, needs_second })
            }
            "agree" => CaseAct::Agree { note },
            "reopen" => CaseAct::Reopen(note),
            _ => return Err(ReadError::UNKNOWN),
        };
        Ok(CaseEvent {
            case_id: self.case_id,
            tool: self.tool,
            key: self.key,
            run_id: self.run_id,
            step_id: self.step_id,
            trace_id: self.trace_id,
            span_id: self.span_id,
            event_id: self.event_id,
            at_ns: self.at_ns,
            by: self.by,
            by_job: self.by_job,
            saw: self.saw,
            act,
        })
    }
}

type EventColumn = Column<for<'a, 'b> fn(&mut Writer, &'b KeptCaseEvent<'a>), Read<Reading>>;

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, $name, |out, kept| kept.event.$name.write(out))
    };
    ($name:ident, $type:ty, |$out:ident, $act:ident| $write:expr) => {
        cell!(stringify!($name), $type, $name, |$out, kept| {
            let $act = &kept.event.act;
            $write
        })
    };
}

/// What is read back.
pub(in crate::store) const SHOWN: &[EventColumn] = &[
    column!(case_id, String),
    column!(tool, String),
    column!(key, Option<String>),
    column!(run_id, String),
    column!(step_id, String),
    column!(trace_id, TraceId),
    column!(span_id, SpanId),
    column!(event_id, String),
    column!(at_ns, u64),
    column!(by, String),
    column!(by_job, bool),
    column!(saw, Option<String>),
    column!(act, String, |out, act| out.text(act.word())),
    column!(outcome, Option<Outcome>, |out, act| resolution(act).map(|it| it.outcome).write(out)),
    column!(owner, Option<String>, |out, act| out.text(owner(act))),
    column!(evidence, String, |out, act| {
        out.text(resolution(act).map(|it| it.evidence.as_str()).unwrap_or_default())
    }),
    column!(note, String, |out, act| out.text(note(act))),
    column!(needs_second, bool, |out, act| resolution(act).is_some_and(|it| it.needs_second).write(out)),
];

/// Where an event is filed.
const FILED: &[EventColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
];

fn resolution(act: &CaseAct) -> Option<&Resolution> {
    if let CaseAct::Resolve(resolution) = act { Some(resolution) } else { None }
}

fn owner(act: &CaseAct) -> &str {
    if let CaseAct::HandOver { to: Some(to), .. } = act { to } else { "" }
}

fn note(act: &CaseAct) -> &str {
    match act {
        CaseAct::Claim => "",
        CaseAct::HandOver { note, .. } | CaseAct::Agree { note } => note,
        CaseAct::Comment(note) | CaseAct::Reopen(note) => note,
        CaseAct::Resolve(resolution) => &resolution.note,
    }
}

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static EventColumn> {
    FILED.iter().chain(SHOWN)
}

/// Appends one row.
pub(in crate::store) fn write_case_event(out: &mut Writer, kept: &KeptCaseEvent<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}
