//! The queue in numbers.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::policy::Money;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("case_counts.sql");

/// How many cases are open, and what is at stake.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseCounts {
    /// Open, those that wait for a second person too.
    pub open: u64,
    /// Of these, without an owner.
    pub unowned: u64,
    /// Of these, owned by whoever asks.
    pub mine: u64,
    /// When the oldest of them became unknown, nanoseconds since 1970.
    pub oldest_ns: Option<u64>,
    /// When the next of their keys ends.
    pub next_expiry_ns: Option<u64>,
    /// Settled since the time that was asked for.
    pub settled: u64,
    /// How long these were unknown: the median.
    pub settled_median_ns: u64,
    /// What may or may not have moved, a sum for each currency.
    pub stakes: Vec<Money>,
}

#[derive(Debug, Row, Deserialize)]
struct Found {
    open: u64,
    unowned: u64,
    mine: u64,
    oldest_ns: u64,
    next_expiry_ns: u64,
    settled: u64,
    settled_median_ns: u64,
    currencies: Vec<String>,
    amounts: Vec<f64>,
}

/// The queue in numbers as of now; settled ones from a time on. `mine` is the name of whoever asks.
///
/// # Errors
/// As for any read.
pub async fn case_counts(
    store: &Store,
    scope: &Scope,
    mine: &str,
    settled_from_ns: u64,
    now_ns: u64,
) -> Result<CaseCounts, StoreError> {
    let read = store
        .read(scope, SQL)
        .bind("mine", mine)
        .bind("settled_from_ns", settled_from_ns)
        .bind("now_ns", now_ns);
    let found: Found = read.one().await?;
    let time = |at: u64| Some(at).filter(|at| *at != 0);
    let stakes = found.currencies.into_iter().zip(found.amounts);
    Ok(CaseCounts {
        open: found.open,
        unowned: found.unowned,
        mine: found.mine,
        oldest_ns: time(found.oldest_ns),
        next_expiry_ns: time(found.next_expiry_ns),
        settled: found.settled,
        settled_median_ns: found.settled_median_ns,
        stakes: stakes.map(|(currency, amount)| Money { amount, currency }).collect(),
    })
}
