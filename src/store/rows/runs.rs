//! Table `runs`: one line a run, derived from its records.
use std::fmt;

use data_encoding::BASE64URL_NOPAD;

use crate::domain::cost::Usage;
use crate::domain::finding::Code;
use crate::domain::fold::SILENCE_NS;
use crate::domain::ids::{Project, TraceId};
use crate::domain::listing::ListedFinding;
use crate::domain::outcome::Outcome;
use crate::domain::readiness::ToolMark;
use crate::domain::run::{RunState, Whole};
use crate::domain::summary::RunSummary;
use crate::domain::work::Work;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed, instant};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// A run's line on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptRun<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) summary: &'a RunSummary,
    pub(in crate::store) expires: Day,
    pub(in crate::store) heard_ns: u64,
    pub(in crate::store) precedence: u64,
    /// The line is wrong now: its run has another id, or another time of first receipt.
    pub(in crate::store) is_deleted: bool,
    /// What was noticed about it.
    pub(in crate::store) findings: &'a [ListedFinding],
    /// What it shows about its tools.
    pub(in crate::store) marks: &'a [ToolMark],
    /// What it did, added up by tool and model.
    pub(in crate::store) work: &'a [Work],
}

/// A run's line, read back.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The line.
    pub summary: RunSummary,
    /// When the last of its records was received, nanoseconds since 1970.
    pub heard_ns: u64,
    /// Its time in lists, nanoseconds since 1970: its start, or its receipt where the client's clock lies.
    pub listed_ns: u64,
}

/// A place in the list of runs: that of the last run seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunCursor {
    pub(in crate::store) listed_ns: u64,
    pub(in crate::store) run_id: String,
}

impl RunCursor {
    /// Reads what [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (listed_ns, run_id) = bytes.split_first_chunk()?;
        Some(Self {
            listed_ns: u64::from_be_bytes(*listed_ns),
            run_id: String::from_utf8(run_id.to_vec()).ok()?,
        })
    }
}

/// Opaque, fit for a URL.
impl fmt::Display for RunCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = self.listed_ns.to_be_bytes().into_iter().chain(self.run_id.bytes()).collect();
        f.write_str(&BASE64URL_NOPAD.encode(&bytes))
    }
}

impl RunRow {
    /// Its place in the list.
    pub fn cursor(&self) -> RunCursor {
        RunCursor { listed_ns: self.listed_ns, run_id: self.summary.run_id.clone() }
    }

    /// Shows it as of now: deadlines pass and silence falls although nobody folds it again.
    pub(in crate::store) fn pass(&mut self, now_ns: u64) {
        let summary = &mut self.summary;
        if summary.unknown_at_ns.is_some_and(|at| at <= now_ns) && summary.acts_submitted > 0 {
            // At least one; which others are due is for the fold to say.
            summary.acts_submitted -= 1;
            summary.acts_unknown += 1;
            summary.outcome = Outcome::Unknown.word();
        }
        if summary.state == RunState::Running && self.heard_ns.saturating_add(SILENCE_NS) <= now_ns {
            summary.state = RunState::Lost;
        }
    }

    pub(in crate::store) fn blank() -> Self {
        let summary = RunSummary {
            run_id: String::new(),
            session_id: None,
            name: String::new(),
            agent: None,
            agent_version: None,
            service: None,
            environment: None,
            user_id: None,
            started_ns: 0,
            ended_ns: None,
            received_ns: 0,
            state: RunState::Ended,
            outcome: "none",
            acts_confirmed: 0,
            acts_failed: 0,
            acts_unknown: 0,
            acts_submitted: 0,
            unknown_at_ns: None,
            step_count: 0,
            attempt_count: 0,
            retry_count: 0,
            act_count: 0,
            reconcile_count: 0,
            error_count: 0,
            finding_codes: Vec::new(),
            models: Vec::new(),
            tools: Vec::new(),
            entities: Vec::new(),
            tokens_in: None,
            tokens_out: None,
            cost_usd: None,
            usage: Vec::new(),
            acts_resolved: 0,
            calls_untold: 0,
            complete: Whole::NotProvable,
            verdict: String::new(),
            traces: Vec::new(),
            version: 0,
        };
        Self { summary, heard_ns: 0, listed_ns: 0 }
    }
}

/// Words are text here, since derived tables can be made again and never hold an old word.
macro_rules! text_cell {
    ($type:ty, $read:expr) => {
        impl Cell for $type {
            fn sql_type() -> String {
                String::sql_type()
            }
            fn write(&self, out: &mut Writer) {
                out.text(self.word());
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                let word = from.text()?;
                let read: fn(&str) -> Option<Self> = $read;
                read(&word).ok_or(ReadError::UNKNOWN)
            }
        }
    };
}
text_cell!(Code, Code::from_word);
text_cell!(RunState, |word| {
    [RunState::Running, RunState::Ended, RunState::Lost].into_iter().find(|state| state.word() == word)
});
text_cell!(Whole, |word| [Whole::Yes, Whole::No, Whole::NotProvable]
    .into_iter()
    .find(|whole| whole.word() == word));

pub(in crate::store) type RunColumn = Column<for<'a, 'b> fn(&mut Writer, &'b KeptRun<'a>), Read<RunRow>>;

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, summary.$name, |out, kept| kept.summary.$name.write(out))
    };
}

/// What a list shows; `listed_ns`, which the table works out, follows it in answers.
pub(in crate::store) const SHOWN: &[RunColumn] = &[
    column!(run_id, String),
    column!(session_id, Option<String>),
    column!(name, String),
    column!(agent, Option<String>),
    column!(agent_version, Option<String>),
    column!(service, Option<String>),
    column!(environment, Option<String>),
    column!(user_id, Option<String>),
    column!(started_ns, u64),
    instant!("ended_ns", summary.ended_ns, |kept| kept.summary.ended_ns),
    column!(received_ns, u64),
    column!(state, RunState),
    Column {
        name: "outcome",
        sql_type: String::sql_type,
        write: |out, kept| out.text(kept.summary.outcome),
        read: |from, row| {
            row.summary.outcome = Outcome::from_word(&from.text()?).map_or("none", Outcome::word);
            Ok(())
        },
    },
    column!(acts_confirmed, u32),
    column!(acts_failed, u32),
    column!(acts_unknown, u32),
    column!(acts_submitted, u32),
    column!(acts_resolved, u32),
    instant!("unknown_at_ns", summary.unknown_at_ns, |kept| kept.summary.unknown_at_ns),
    column!(step_count, u32),
    column!(attempt_count, u32),
    column!(retry_count, u32),
    column!(act_count, u32),
    column!(reconcile_count, u32),
    column!(error_count, u32),
    column!(finding_codes, Vec<Code>),
    column!(models, Vec<String>),
    column!(tools, Vec<String>),
    column!(entities, Vec<String>),
    column!(tokens_in, Option<u64>),
    column!(tokens_out, Option<u64>),
    column!(cost_usd, Option<f64>),
    column!(usage, Vec<Usage>),
    column!(calls_untold, u32),
    column!(complete, Whole),
    column!(verdict, String),
    column!(traces, Vec<TraceId>),
    column!(version, u64),
    cell!("heard_ns", u64, heard_ns, |out, kept| out.u64(kept.heard_ns)),
];

/// Where a line is filed.
pub(in crate::store) const FILED: &[RunColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("is_deleted", u8, |out, kept| out.u8(u8::from(kept.is_deleted))),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
    filed!("precedence", u64, |out, kept| out.u64(kept.precedence)),
];

/// What only lists of findings, readiness and the overview read.
const NOTICED: &[RunColumn] = &[
    filed!("findings", Vec<ListedFinding>, |out, kept| write_list(out, kept.findings)),
    filed!("marks", Vec<ToolMark>, |out, kept| write_list(out, kept.marks)),
    filed!("work", Vec<Work>, |out, kept| write_list(out, kept.work)),
];

fn write_list<T: Cell>(out: &mut Writer, list: &[T]) {
    out.length(list.len());
    list.iter().for_each(|item| item.write(out));
}

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static RunColumn> {
    FILED.iter().chain(SHOWN).chain(NOTICED)
}

/// Appends one row.
pub(in crate::store) fn write_run(out: &mut Writer, kept: &KeptRun<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}

/// Reads an answer of [`SHOWN`] and `listed_ns`.
pub(in crate::store) fn read_runs(bytes: &[u8]) -> Result<Vec<RunRow>, ReadError> {
    let mut from = Reader::new(bytes);
    let mut rows = Vec::new();
    while from.left() > 0 {
        let mut row = RunRow::blank();
        crate::store::rows::column::read_row(SHOWN, &mut from, &mut row)?;
        row.listed_ns = from.u64().map_err(|error| error.in_column("listed_ns"))?;
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_nothing_else_is_one() {
        let cursor = RunCursor { listed_ns: u64::MAX - 1, run_id: "run ü/1".to_owned() };
        assert_eq!(RunCursor::parse(&cursor.to_string()), Some(cursor));
        assert_eq!(RunCursor::parse("AAAA"), None);
        assert_eq!(RunCursor::parse("not a cursor!"), None);
    }

    #[test]
    fn time_passes_without_a_write() {
        let mut row = RunRow::blank();
        (row.summary.acts_submitted, row.summary.outcome) = (2, "submitted");
        (row.summary.unknown_at_ns, row.summary.state) = (Some(10), RunState::Running);
        row.pass(9);
        assert_eq!((row.summary.outcome, row.summary.state), ("submitted", RunState::Running));
        row.pass(10);
        assert_eq!((row.summary.outcome, row.summary.state), ("unknown", RunState::Running));
        assert_eq!((row.summary.acts_submitted, row.summary.acts_unknown), (1, 1));
        row.pass(SILENCE_NS);
        assert_eq!(row.summary.state, RunState::Lost);
    }
}
