//! The list of findings.
use clickhouse::Row;
use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;

use crate::domain::finding::Code;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::listing::ListedStep;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::finding_filter::FindingFilter;

const SQL: &str = include_str!("findings.sql");

/// The most findings of one page.
pub const FINDINGS_MAX: u16 = 500;

/// A finding with the run it was made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFinding {
    /// The run.
    pub run_id: String,
    /// Its name for people.
    pub run_name: String,
    /// Its agent; empty where none is named.
    pub agent: String,
    /// The run's time in lists, nanoseconds since 1970.
    pub listed_ns: u64,
    /// What was noticed.
    pub code: Code,
    /// One plain sentence.
    pub message: String,
    /// Since when it goes on, where it does.
    pub since_ns: Option<u64>,
    /// How many steps show it.
    pub step_count: u32,
    /// The first of them.
    pub steps: Vec<ListedStep>,
    /// Their tools.
    pub tools: Vec<String>,
    place: u32,
}

/// A place in the list: that of the last finding seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingCursor {
    listed_ns: u64,
    place: u32,
    run_id: String,
}

impl FindingCursor {
    /// Reads what its text said; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (listed_ns, rest) = bytes.split_first_chunk()?;
        let (place, run_id) = rest.split_first_chunk()?;
        let run_id = String::from_utf8(run_id.to_vec()).ok()?;
        Some(Self { listed_ns: u64::from_be_bytes(*listed_ns), place: u32::from_be_bytes(*place), run_id })
    }
}

/// Opaque, fit for a URL.
impl std::fmt::Display for FindingCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (listed_ns, place) = (self.listed_ns.to_be_bytes(), self.place.to_be_bytes());
        let bytes: Vec<u8> = listed_ns.into_iter().chain(place).chain(self.run_id.bytes()).collect();
        f.write_str(&BASE64URL_NOPAD.encode(&bytes))
    }
}

/// One page of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingPage {
    /// Those of the newest run first.
    pub findings: Vec<FoundFinding>,
    /// Where the next page begins; `None` on the last.
    pub next: Option<FindingCursor>,
}

#[derive(Row, Deserialize)]
struct Line {
    run_id: String,
    run_name: String,
    agent_name: String,
    listed_ns: u64,
    place: u32,
    code: String,
    message: String,
    since_ns: u64,
    steps_all: u32,
    places: Vec<(u32, String, String)>,
    step_tools: Vec<String>,
}

/// Findings that hold now, after a place in the list.
///
/// # Errors
/// As for any read; a code that this version does not know is unreadable.
pub async fn findings(
    store: &Store,
    scope: &Scope,
    filter: &FindingFilter,
    (after, rows_max): (Option<&FindingCursor>, u16),
    now_ns: u64,
) -> Result<FindingPage, StoreError> {
    let rows_max = rows_max.clamp(1, FINDINGS_MAX);
    let read = filter
        .bind(store.read(scope, &FindingFilter::sql(SQL)), now_ns)
        .bind("after_ns", after.map(|cursor| cursor.listed_ns).unwrap_or_default())
        .bind("after_id", after.map(|cursor| cursor.run_id.as_str()).unwrap_or_default())
        .bind("after_place", after.map(|cursor| cursor.place).unwrap_or_default())
        .bind("rows_max", u32::from(rows_max) + 1);
    let lines: Vec<Line> = read.all().await?;
    let more = lines.len() > usize::from(rows_max);
    let found = lines.into_iter().take(usize::from(rows_max)).map(FoundFinding::try_from);
    let findings: Vec<FoundFinding> = found.collect::<Result<_, _>>()?;
    let next = findings.last().filter(|_| more).map(|last| FindingCursor {
        listed_ns: last.listed_ns,
        place: last.place,
        run_id: last.run_id.clone(),
    });
    Ok(FindingPage { findings, next })
}

impl TryFrom<Line> for FoundFinding {
    type Error = StoreError;

    fn try_from(line: Line) -> Result<Self, StoreError> {
        let wrong = || StoreError::Unreadable { reason: "a finding with a code nobody knows".to_owned() };
        let step = |(number, trace, span): (u32, String, String)| ListedStep {
            number,
            trace_id: TraceId::parse(&trace).unwrap_or_default(),
            span_id: SpanId::parse(&span).unwrap_or_default(),
        };
        Ok(Self {
            code: Code::from_word(&line.code).ok_or_else(wrong)?,
            run_id: line.run_id,
            run_name: line.run_name,
            agent: line.agent_name,
            listed_ns: line.listed_ns,
            message: line.message,
            since_ns: Some(line.since_ns).filter(|since| *since != 0),
            step_count: line.steps_all,
            steps: line.places.into_iter().map(step).collect(),
            tools: line.step_tools,
            place: line.place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_nothing_else_is_one() {
        let cursor = FindingCursor { listed_ns: u64::MAX, place: 3, run_id: "run ü/1".to_owned() };
        assert_eq!(FindingCursor::parse(&cursor.to_string()), Some(cursor));
        assert_eq!(FindingCursor::parse("AAAA"), None);
        assert_eq!(FindingCursor::parse("not a cursor!"), None);
    }
}
