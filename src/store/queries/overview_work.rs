//! What runs did with their tools and models: counts, tokens and lengths, over time and by name.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::run_filter::RunFilter;
use crate::store::stretch::Stretch;

const SQL: &str = include_str!("overview_work.sql");

/// Most names of one class in one bin; those with fewer attempts are left out.
pub const NAMES_MAX: u16 = 200;

/// Which names are told apart; all others are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names<'a> {
    /// Each, up to [`NAMES_MAX`].
    Every,
    /// These, each written `tool:name` or `model:name`.
    These(&'a [String]),
}

/// Sums over a bin, a class and a name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkSum {
    /// The bin, from 0.
    pub bin: usize,
    /// What the name names: `tool`, `model`, or `container` for tokens that only a container tells of.
    pub class: String,
    /// The name; `None` for those that are not told apart.
    pub name: Option<String>,
    /// Runs.
    pub runs: u64,
    /// Steps.
    pub steps: u64,
    /// Steps with more than one attempt.
    pub retried: u64,
    /// Of these, such as went well in the end.
    pub recovered: u64,
    /// Attempts.
    pub attempts: u64,
    /// Attempts that met a 429.
    pub throttled: u64,
    /// Acts that are confirmed as of now.
    pub confirmed: u64,
    /// Acts that failed.
    pub failed: u64,
    /// Acts that are unknown.
    pub unknown: u64,
    /// Acts that are submitted.
    pub submitted: u64,
    /// Input tokens; `None` when none were told.
    pub tokens_in: Option<u64>,
    /// Output tokens.
    pub tokens_out: Option<u64>,
    /// Cost as given.
    pub cost_usd: Option<f64>,
    /// How long attempts took; `None` when no length is known.
    pub took: Option<Took>,
}

/// How long attempts took, in microseconds. A percentile is the value at place `share × count` of all values
/// in ascending order, counted from 0: nothing is interpolated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Took {
    /// How many attempts.
    pub count: u64,
    /// The median.
    pub p50_us: u64,
    /// Nine of ten took at most about this.
    pub p90_us: u64,
    /// 99 of 100 took at most about this.
    pub p99_us: u64,
    /// The longest.
    pub max_us: u64,
}

#[derive(Row, Deserialize)]
struct Found {
    bin: u64,
    class: String,
    is_named: u8,
    series: String,
    #[expect(dead_code, reason = "the statement needs it for two others")]
    lapsed: u64,
    run_count: u64,
    steps: u64,
    retried: u64,
    recovered: u64,
    attempts: u64,
    throttled: u64,
    confirmed: u64,
    failed: u64,
    unknown: u64,
    submitted: u64,
    told_in: Option<u64>,
    told_out: Option<u64>,
    told_usd: Option<f64>,
    timed: u64,
    took_us: Vec<u64>,
}

/// Adds up what the runs of a filter did, as of now (deadlines that have passed count). Where the filter
/// names tools or models, only these are added up, and everything of the other class.
///
/// # Errors
/// As for any read.
pub async fn overview_work(
    store: &Store,
    scope: &Scope,
    filter: &RunFilter,
    (stretch, names): (Stretch, Names<'_>),
    now_ns: u64,
) -> Result<Vec<WorkSum>, StoreError> {
    let (every_name, names) = match names {
        Names::Every => (true, &[] as &[String]),
        Names::These(names) => (false, names),
    };
    let read = stretch
        .bind(filter.bind(store.read(scope, &filter.sql(SQL)), now_ns))
        .bind("every_name", every_name)
        .bind("names", names)
        .bind("names_max", NAMES_MAX);
    Ok(read.all::<Found>().await?.into_iter().map(WorkSum::from).collect())
}

impl From<Found> for WorkSum {
    fn from(found: Found) -> Self {
        let took = |place: usize| found.took_us.get(place).copied().unwrap_or_default();
        let took = (found.timed > 0).then(|| Took {
            count: found.timed,
            p50_us: took(0),
            p90_us: took(1),
            p99_us: took(2),
            max_us: took(3),
        });
        Self {
            bin: usize::try_from(found.bin).unwrap_or(usize::MAX),
            name: (found.is_named == 1).then_some(found.series),
            class: found.class,
            runs: found.run_count,
            steps: found.steps,
            retried: found.retried,
            recovered: found.recovered,
            attempts: found.attempts,
            throttled: found.throttled,
            confirmed: found.confirmed,
            failed: found.failed,
            unknown: found.unknown,
            submitted: found.submitted,
            tokens_in: found.told_in,
            tokens_out: found.told_out,
            cost_usd: found.told_usd,
            took,
        }
    }
}
