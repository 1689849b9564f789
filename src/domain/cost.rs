//! What a model call used and cost, and who says so.
use crate::domain::kind::Kind;
use crate::domain::record::Record;

const DAY_NS: u64 = 86_400_000_000_000;
/// A clock that shows a time before 2015, or an hour ahead of receipt, is wrong.
const CLOCK_NS_MIN: u64 = 1_420_070_400_000_000_000;
const AHEAD_NS: u64 = 3_600_000_000_000;

/// What one model call used, in tokens that are priced alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model that answered, else the one that was asked.
    pub model: String,
    /// The day, since 1970.
    pub day: u32,
    /// Input tokens, the cached ones not counted.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
}

/// What something cost, and who says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// US dollars.
    pub usd: f64,
    /// Who says so.
    pub source: CostSource,
    /// Some model calls in it cost an unknown sum: it is at least this.
    pub partial: bool,
}

/// Who says what something cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostSource {
    /// The runtime.
    Given,
    /// The operator's prices.
    Computed,
    /// The runtime for some calls, the prices for others.
    Mixed,
}

impl CostSource {
    /// The word of the API and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Computed => "computed",
            Self::Mixed => "mixed",
        }
    }
}

impl Cost {
    /// As its runtime says.
    pub fn given(record: &Record) -> Option<Self> {
        record.facts.cost_usd.map(|usd| Self { usd, source: CostSource::Given, partial: false })
    }
}

impl Usage {
    /// What a model call used; `None` for anything else, and when its runtime does not tell all of it.
    pub fn of(record: &Record) -> Option<Self> {
        let facts = &record.facts;
        let model = facts.model.as_ref().or(facts.model_requested.as_ref())?;
        let told = facts.tokens.input.filter(|_| facts.kind == Kind::Think)?;
        let output = facts.tokens.output?;
        let cache_read = facts.tokens.cache_read.unwrap_or_default();
        let cache_write = facts.tokens.cache_write.unwrap_or_default();
        // A number that cannot contain the cached ones does not, whatever its convention says.
        let apart = facts.tokens.cache_apart || cache_read.saturating_add(cache_write) > told;
        let input = if apart { told } else { told.saturating_sub(cache_read).saturating_sub(cache_write) };
        Some(Self { model: model.clone(), day: day(record), input, output, cache_read, cache_write })
    }

    /// Adds what another call of the same model and day used.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// The day of a record's start, or of its receipt where the client's clock lies.
fn day(record: &Record) -> u32 {
    let started = record.facts.started_ns;
    let wrong = started < CLOCK_NS_MIN || started > record.received_ns.saturating_add(AHEAD_NS);
    let at = if wrong { record.received_ns } else { started };
    u32::try_from(at / DAY_NS).unwrap_or(u32::MAX)
}
/// A sum of dollars without the noise of adding up doubles: what is below a billionth is rounded.
pub fn rounded(usd: f64) -> f64 {
    (usd * 1e9).round() / 1e9
}
