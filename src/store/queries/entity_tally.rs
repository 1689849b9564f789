//! What was done on or for an entity, in numbers.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::about::Tally;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::entity_lines::EntityFilter;
use crate::store::error::StoreError;

const SQL: &str = include_str!("entity_tally.sql");

/// Most runs that are listed for folding; one more when there are more.
pub const TO_FOLD_MAX: usize = 1_000;

/// What was done, in numbers, and what limits them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityTally {
    /// Runs.
    pub runs: u64,
    /// Agents that ran them.
    pub agents: u64,
    /// Conversations.
    pub sessions: u64,
    /// Steps of the runs that lie wholly in the period.
    pub tally: Tally,
    /// Runs whose steps are not in the tally: they reach over an end of the period, or use several names.
    pub to_fold: Vec<String>,
    /// Runs whose record is proven whole.
    pub complete: u64,
    /// Runs of which something is missing.
    pub incomplete: u64,
    /// Of these the first hundred: the run, its time, and what is missing.
    pub holes: Vec<(String, u64, Vec<String>)>,
    /// What redaction did: rules and hits.
    pub redacted: Vec<(String, u64)>,
    /// How far a client's clock ran ahead, milliseconds.
    pub skew_ms_max: u64,
    /// When the first step was tried, nanoseconds since 1970; 0 without one.
    pub first_ns: u64,
    /// When the last was.
    pub last_ns: u64,
    /// Runs whose client dropped something before sending.
    pub dropping: u64,
    /// Runs of which reads were left out by a rule of sampling.
    pub sampled: u64,
    /// Runs with a model call of which nobody knows what it saw.
    pub unseen: u64,
}

#[derive(Row, Deserialize)]
struct Line {
    runs: u64,
    agents: u64,
    sessions: u64,
    confirmed: u64,
    failed: u64,
    unknown: u64,
    submitted: u64,
    held: u64,
    reads: u64,
    lookups: u64,
    waits: u64,
    attempts: u64,
    unsaid: u64,
    to_fold: Vec<String>,
    complete: u64,
    incomplete: u64,
    holes: Vec<(String, u64, Vec<String>)>,
    redacted: (Vec<String>, Vec<u64>),
    skew_ms_max: u64,
    first_ns: u64,
    last_ns: u64,
    dropping: u64,
    sampled: u64,
    unseen: u64,
}

/// Counts as of now (deadlines that have passed count).
///
/// # Errors
/// As for any read.
pub async fn entity_tally(
    store: &Store,
    scope: &Scope,
    filter: &EntityFilter,
    now_ns: u64,
) -> Result<EntityTally, StoreError> {
    let read = filter.bind(store.read(scope, &EntityFilter::sql(SQL))).bind("now_ns", now_ns);
    let line: Line = read.one().await?;
    let (rules, hits) = line.redacted;
    Ok(EntityTally {
        runs: line.runs,
        agents: line.agents,
        sessions: line.sessions,
        tally: Tally {
            confirmed: line.confirmed,
            failed: line.failed,
            unknown: line.unknown,
            submitted: line.submitted,
            held: line.held,
            reads: line.reads,
            lookups: line.lookups,
            waits: line.waits,
            attempts: line.attempts,
            unsaid: line.unsaid,
        },
        to_fold: line.to_fold,
        complete: line.complete,
        incomplete: line.incomplete,
        holes: line.holes,
        redacted: rules.into_iter().zip(hits).collect(),
        skew_ms_max: line.skew_ms_max,
        first_ns: line.first_ns,
        last_ns: line.last_ns,
        dropping: line.dropping,
        sampled: line.sampled,
        unseen: line.unseen,
    })
}
