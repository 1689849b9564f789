//! The entities of one type: to find one by a part of its id, or to draw a sample of all.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("entities.sql");

/// Which entities. The default is all of the type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PopulationFilter {
    /// The type, such as `account`.
    pub kind: String,
    /// What the id must contain, in any case; empty for any.
    pub part: String,
    /// Or how it may end instead: what a whole id became where a rule hit it.
    pub endings: Vec<String>,
    /// With a step at this time or later, nanoseconds since 1970.
    pub from_ns: Option<u64>,
    /// With a step before this time.
    pub to_ns: Option<u64>,
    /// `acts`, `unknown` or `failed`: only those with such acts; empty for all.
    pub with: String,
    /// Draws a sample: the entities whose SHA-256 of `seed`, a line feed and the name is lowest. Empty
    /// for the latest.
    pub seed: String,
}

/// One entity with what was done.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct EntityLine {
    /// `type:id`.
    pub entity: String,
    /// Runs that had to do with it.
    pub runs: u64,
    /// Acts on or for it.
    pub acts: u64,
    /// Acts that can't be told.
    pub unknown_acts: u64,
    /// Acts that did not happen.
    pub failed_acts: u64,
    /// When the last step was tried, nanoseconds since 1970.
    pub last: u64,
    /// How many entities there are in all.
    pub population: u64,
    /// SHA-256 of all their names, sorted, one a line.
    pub population_hash: String,
}

/// The latest entities, or the sample that the seed draws.
///
/// # Errors
/// As for any read.
pub async fn entities(
    store: &Store,
    scope: &Scope,
    filter: &PopulationFilter,
    rows_max: u16,
    now_ns: u64,
) -> Result<Vec<EntityLine>, StoreError> {
    store
        .read(scope, SQL)
        .bind("beginning", format!("{}:", filter.kind))
        .bind("part", &filter.part)
        .bind("endings", &filter.endings)
        .bind("from_ns", filter.from_ns.unwrap_or_default())
        .bind("to_ns", filter.to_ns.unwrap_or_default())
        .bind("with", &filter.with)
        .bind("seed", &filter.seed)
        .bind("now_ns", now_ns)
        .bind("rows_max", rows_max)
        .all()
        .await
}
