//! What runs show about each tool: the evidence behind readiness.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::SpanId;
use crate::domain::readiness::{Example, Mark, Tally, ToolSheet};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("tool_marks.sql");
/// How far ahead of the server a client's clock may be before its start no longer counts.
const AHEAD_NS: u64 = 3_600_000_000_000;
/// Marks in one answer: some hundred tools.
const MARKS_MAX: u32 = 20_000;

/// Of which runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkFilter {
    /// Started at this time or later, nanoseconds since 1970.
    pub from_ns: u64,
    /// Started before this time.
    pub to_ns: Option<u64>,
    /// Of this agent.
    pub agent: Option<String>,
    /// This tool only.
    pub tool: Option<String>,
}

#[derive(Row, Deserialize)]
struct Marked {
    agent_name: String,
    version: String,
    tool_name: String,
    word: String,
    total: u64,
    run_count: u64,
    example: (String, u32, String),
}

/// One sheet for each tool of each agent, in the order of their names. What is configured is not on them yet.
///
/// # Errors
/// As for any read.
pub async fn tool_marks(
    store: &Store,
    scope: &Scope,
    filter: &MarkFilter,
) -> Result<Vec<ToolSheet>, StoreError> {
    let read = store
        .read(scope, SQL)
        .bind("from_ns", filter.from_ns)
        .bind("received_from_ns", filter.from_ns.saturating_sub(AHEAD_NS))
        .bind("to_ns", filter.to_ns.unwrap_or_default())
        .bind("agent", filter.agent.as_deref().unwrap_or_default())
        .bind("tool", filter.tool.as_deref().unwrap_or_default())
        .bind("rows_max", MARKS_MAX);
    let mut sheets: BTreeMap<(String, String), ToolSheet> = BTreeMap::new();
    for marked in read.all::<Marked>().await? {
        // A mark of another version says nothing here.
        let Some(mark) = Mark::from_word(&marked.word) else { continue };
        let place = (marked.agent_name.clone(), marked.tool_name.clone());
        let sheet = sheets.entry(place).or_insert_with(|| ToolSheet {
            agent: marked.agent_name,
            tool: marked.tool_name,
            ..ToolSheet::default()
        });
        if mark == Mark::Run {
            sheet.agent_version = marked.version;
        }
        let (run_id, number, span) = marked.example;
        let example = Example { run_id, number, span_id: SpanId::parse(&span).unwrap_or_default() };
        let tally = Tally { count: marked.total, runs: marked.run_count, example: Some(example) };
        sheet.tallies.insert(mark, tally);
    }
    Ok(sheets.into_values().collect())
}
