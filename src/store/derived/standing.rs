//! Which derived lines stand now, so that those which should not can be taken back.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const RUNS_SQL: &str = include_str!("standing_runs.sql");
const CASES_SQL: &str = include_str!("standing_cases.sql");
const ACTIONS_SQL: &str = include_str!("standing_actions.sql");

/// Under what the line of a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct StandingRun {
    /// The run.
    pub run_id: String,
    /// Its first receipt when it was folded, nanoseconds since 1970.
    pub received_ns: u64,
    /// The line's precedence.
    pub precedence: u64,
}

/// Under what the line of an action stands.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct StandingAction {
    /// The run, where nobody gave a key.
    pub owner: String,
    /// The key.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// The line's precedence.
    pub precedence: u64,
}

/// Under what the line of a case stands.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct StandingCase {
    /// The case.
    pub case_id: String,
    /// The line's precedence.
    pub precedence: u64,
}

/// The lines that stand for these cases.
///
/// # Errors
/// As for any read.
pub async fn standing_cases(
    store: &Store,
    scope: &Scope,
    case_ids: &[&str],
) -> Result<Vec<StandingCase>, StoreError> {
    store.read(scope, CASES_SQL).bind("case_ids", case_ids).all().await
}

/// The lines that stand for these runs, none of which was received before this time.
///
/// # Errors
/// As for any read.
pub async fn standing_runs(
    store: &Store,
    scope: &Scope,
    run_ids: &[&str],
    received_from_ns: u64,
) -> Result<Vec<StandingRun>, StoreError> {
    store
        .read(scope, RUNS_SQL)
        .bind("run_ids", run_ids)
        .bind("received_from_ns", received_from_ns)
        .all()
        .await
}

/// The lines that stand for these given keys, and for the acts without a key of these runs.
///
/// # Errors
/// As for any read.
pub async fn standing_actions(
    store: &Store,
    scope: &Scope,
    keys: &[&str],
    owners: &[&str],
) -> Result<Vec<StandingAction>, StoreError> {
    store.read(scope, ACTIONS_SQL).bind("keys", keys).bind("owners", owners).all().await
}
