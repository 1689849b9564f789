//! Counts of findings.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::finding::Code;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::finding_filter::FindingFilter;

const SQL: &str = include_str!("finding_counts.sql");

/// The most values that are counted of one field.
pub const COUNTED_MAX: u16 = 200;

/// How many findings, in how many runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Findings.
    pub findings: u64,
    /// Runs with one of them.
    pub runs: u64,
}

/// What the findings of a filter are like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// By code.
    pub codes: BTreeMap<Code, Found>,
    /// By agent, most findings first.
    pub agents: Vec<(String, Found)>,
    /// By tool, most findings first.
    pub tools: Vec<(String, Found)>,
    /// By week: its Monday as `2026-11-30`, the earliest first.
    pub weeks: BTreeMap<String, Found>,
}

#[derive(Row, Deserialize)]
struct Counted {
    field: String,
    value: String,
    findings: u64,
    runs: u64,
}

/// Counts the findings of a filter that hold now.
///
/// # Errors
/// As for any read.
pub async fn finding_counts(
    store: &Store,
    scope: &Scope,
    filter: &FindingFilter,
    now_ns: u64,
) -> Result<FindingCounts, StoreError> {
    let read =
        filter.bind(store.read(scope, &FindingFilter::sql(SQL)), now_ns).bind("values_max", COUNTED_MAX);
    let mut counts = FindingCounts::default();
    for Counted { field, value, findings, runs } in read.all::<Counted>().await? {
        let found = Found { findings, runs };
        match (field.as_str(), Code::from_word(&value)) {
            ("code", Some(code)) => {
                counts.codes.insert(code, found);
            }
            ("agent", _) => counts.agents.push((value, found)),
            ("tool", _) => counts.tools.push((value, found)),
            ("week", _) => {
                counts.weeks.insert(value, found);
            }
            _ => return Err(StoreError::Unreadable { reason: format!("a count of {field}") }),
        }
    }
    Ok(counts)
}
