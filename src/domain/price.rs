//! What model calls cost: as their runtime says, else by the operator's prices, at the time of reading.
use std::cmp::Reverse;
use std::sync::Arc;

use crate::domain::cost::{Cost, CostSource, Usage};
use crate::domain::record::Record;
use crate::domain::run::{Run, Slot};
use crate::domain::summary::RunSummary;

const MILLION: f64 = 1e6;

/// What the tokens of a model cost from a day on, in US dollars for a million.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// The model's name; `*` stands for anything.
    pub model: String,
    /// The first day, since 1970.
    pub from_day: u32,
    /// Input tokens that were not read from or written to a cache.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens read from a cache; a call that has some costs an unknown sum without it.
    pub cache_read: Option<f64>,
    /// Input tokens written to a cache; likewise.
    pub cache_write: Option<f64>,
}

/// All prices. Of several names that fit a model the most exact one counts, at its latest price of the day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    /// The most exact name first, its latest price first.
    list: Arc<[Price]>,
}

/// A price with the days on which it holds; no price at all before a name's first day.
#[derive(Debug, Clone, PartialEq)]
pub struct Window<'a> {
    /// The model's name; `*` stands for anything.
    pub model: &'a str,
    /// The first day, since 1970.
    pub from_day: u32,
    /// The first day on which it does not hold any more.
    pub until_day: u32,
    /// `None`: nobody knows what a token cost then.
    pub price: Option<&'a Price>,
}

impl Prices {
    /// Puts prices in the order in which they are looked up.
    pub fn new(mut list: Vec<Price>) -> Self {
        list.sort_by(|a, b| rank(a).cmp(&rank(b)));
        Self { list: list.into() }
    }

    /// Every price with its days, in the order of look-up: the first whose name fits and whose days hold the
    /// day is the one that counts.
    pub fn windows(&self) -> Vec<Window<'_>> {
        let mut windows = Vec::with_capacity(self.list.len());
        for price in self.list.iter() {
            let later = windows.last().filter(|last: &&Window<'_>| last.model == price.model);
            let until_day = later.map_or(u32::MAX, |later| later.from_day);
            windows.push(Window {
                model: &price.model,
                from_day: price.from_day,
                until_day,
                price: Some(price),
            });
            if self.oldest(price) && price.from_day > 0 {
                let model = &price.model;
                windows.push(Window { model, from_day: 0, until_day: price.from_day, price: None });
            }
        }
        windows
    }

    fn oldest(&self, price: &Price) -> bool {
        self.list.iter().filter(|other| other.model == price.model).all(|o| o.from_day >= price.from_day)
    }

    /// What these tokens cost; `None` when no price covers them.
    pub fn usd(&self, usage: &Usage) -> Option<f64> {
        let exact = self.list.iter().find(|price| fits(&price.model, &usage.model))?;
        let mut dated = self.list.iter().filter(|price| price.model == exact.model);
        let price = dated.find(|price| price.from_day <= usage.day)?;
        let cached = |tokens: u64, price: Option<f64>| match tokens {
            0 => Some(0.0),
            tokens => price.map(|price| million(tokens) * price),
        };
        Some(
            million(usage.input) * price.input
                + million(usage.output) * price.output
                + cached(usage.cache_read, price.cache_read)?
                + cached(usage.cache_write, price.cache_write)?,
        )
    }

    /// What one attempt cost. What its runtime says counts; only model calls are computed.
    pub fn cost(&self, record: &Record) -> Option<Cost> {
        Cost::given(record).or_else(|| {
            let usd = self.usd(&Usage::of(record)?)?;
            Some(Cost { usd, source: CostSource::Computed, partial: false })
        })
    }

    /// Says of each attempt of a run what it cost.
    pub fn apply(&self, run: &mut Run) {
        for slot in run.steps.iter_mut().flat_map(|step| &mut step.attempts) {
            match slot {
                Slot::Attempt(attempt) => attempt.cost = self.cost(&attempt.record),
                Slot::Missing(_) => {}
            }
        }
    }

    /// What all model calls of a run cost; `None` when that is known of none.
    pub fn total(&self, run: &RunSummary) -> Option<Cost> {
        let computed: Vec<Option<f64>> = run.usage.iter().map(|usage| self.usd(usage)).collect();
        let partial = run.calls_untold > 0 || computed.contains(&None);
        let computed = computed.into_iter().flatten().reduce(|a, b| a + b);
        let (usd, source) = match (run.cost_usd, computed) {
            (Some(given), Some(computed)) => (given + computed, CostSource::Mixed),
            (Some(given), None) => (given, CostSource::Given),
            (None, Some(computed)) => (computed, CostSource::Computed),
            (None, None) => return None,
        };
        Some(Cost { usd, source, partial })
    }
}

/// The most exact name first; of one name the latest price first.
fn rank(price: &Price) -> (usize, Reverse<usize>, &str, Reverse<u32>) {
    let stars = price.model.matches('*').count();
    (stars, Reverse(price.model.len() - stars), &price.model, Reverse(price.from_day))
}

fn million(tokens: u64) -> f64 {
    tokens_f64(tokens) / MILLION
}

fn tokens_f64(tokens: u64) -> f64 {
    // Exact below 2^53, which no run reaches.
    let (high, low) = (u32::try_from(tokens >> 32), u32::try_from(tokens & u64::from(u32::MAX)));
    f64::from(high.unwrap_or(u32::MAX)) * 4_294_967_296.0 + f64::from(low.unwrap_or(u32::MAX))
}

/// Whether a name with `*` fits, in time proportional to both lengths at most.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::kind::Kind;
    use crate::domain::step::{Facts, Tokens};

    const DAY: u32 = 20_000;
    const DAY_NS: u64 = 86_400_000_000_000;

    fn price(model: &str, from_day: u32, input: f64) -> Price {
        Price {
            model: model.to_owned(),
            from_day,
            input,
            output: 4.0 * input,
            cache_read: None,
            cache_write: None,
        }
    }

    fn call(model: &str, tokens: Tokens) -> Record {
        let facts = Facts {
            kind: Kind::Think,
            model: Some(model.to_owned()),
            tokens,
            started_ns: u64::from(DAY) * DAY_NS,
            ..Facts::default()
        };
        Record { facts, received_ns: u64::from(DAY) * DAY_NS + 5, ..Record::default() }
    }

    fn tokens(input: u64, output: u64) -> Tokens {
        Tokens { input: Some(input), output: Some(output), ..Tokens::default() }
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a cost");
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    fn usd(prices: &Prices, record: &Record) -> Option<f64> {
        prices.cost(record).map(|cost| cost.usd)
    }

    #[test]
    fn the_most_exact_name_and_the_latest_day_count() {
        let prices = Prices::new(vec![
            price("gpt-4o*", 0, 2.5),
            price("gpt-4o-mini*", DAY - 10, 0.15),
            price("gpt-4o-mini*", DAY + 1, 0.6),
            price("gpt-4o-mini*", DAY - 100, 0.3),
        ]);
        near(usd(&prices, &call("gpt-4o-mini-2024-07-18", tokens(1_000_000, 1_000_000))), 0.15 + 0.6);
        near(usd(&prices, &call("gpt-4o-2024-08-06", tokens(1_000_000, 0))), 2.5);
        assert_eq!(prices.cost(&call("claude-sonnet-4-5", tokens(1, 1))), None);
        let mut early = call("gpt-4o-mini", tokens(1, 1));
        early.facts.started_ns = u64::from(DAY - 101) * DAY_NS;
        assert_eq!(prices.cost(&early), None, "a wider name does not stand in for a day not covered");
        let windows = prices.windows();
        let days = |w: &Window<'_>| (w.from_day, w.until_day, w.price.map(|price| price.input));
        assert_eq!(
            windows.iter().filter(|w| w.model == "gpt-4o-mini*").map(days).collect::<Vec<_>>(),
            [
                (DAY + 1, u32::MAX, Some(0.6)),
                (DAY - 10, DAY + 1, Some(0.15)),
                (DAY - 100, DAY - 10, Some(0.3)),
                (0, DAY - 100, None),
            ]
        );
        assert!(windows[0].model.len() > windows[4].model.len(), "the exact name comes first");
    }

    #[test]
    fn cached_tokens_are_counted_once() {
        let priced = Price { cache_read: Some(0.3), cache_write: Some(3.75), ..price("claude*", 0, 3.0) };
        let prices = Prices::new(vec![priced]);
        let within = Tokens { cache_read: Some(600_000), cache_write: Some(100_000), ..tokens(1_000_000, 0) };
        near(usd(&prices, &call("claude", within)), 0.3 * 3.0 + 0.6 * 0.3 + 0.1 * 3.75);
        let apart = Tokens { cache_apart: true, ..within };
        near(usd(&prices, &call("claude", apart)), 3.0 + 0.6 * 0.3 + 0.1 * 3.75);
        let cannot_contain = Tokens { cache_read: Some(2_000_000), ..tokens(1_000_000, 0) };
        near(usd(&prices, &call("claude", cannot_contain)), 3.0 + 2.0 * 0.3);
        let without = Prices::new(vec![price("claude*", 0, 3.0)]);
        assert_eq!(without.cost(&call("claude", within)), None, "no price for the cached ones");
        near(usd(&without, &call("claude", tokens(1_000_000, 0))), 3.0);
    }

    #[test]
    fn given_beats_computed_and_only_model_calls_are_computed() {
        let prices = Prices::new(vec![price("*", 0, 1.0)]);
        let mut record = call("m", tokens(1_000_000, 0));
        near(usd(&prices, &record), 1.0);
        record.facts.cost_usd = Some(0.5);
        let cost = prices.cost(&record).unwrap();
        assert_eq!((cost.usd, cost.source), (0.5, CostSource::Given));
        record.facts.cost_usd = None;
        for kind in [Kind::Agent, Kind::Act, Kind::Other] {
            record.facts.kind = kind;
            assert_eq!(prices.cost(&record), None, "{kind:?}");
        }
    }

    #[test]
    fn what_is_not_told_is_unknown_and_not_zero() {
        let prices = Prices::new(vec![price("*", 0, 1.0)]);
        assert_eq!(prices.cost(&call("m", Tokens::default())), None);
        assert_eq!(prices.cost(&call("m", Tokens { output: None, ..tokens(5, 5) })), None);
        let mut nameless = call("m", tokens(5, 5));
        nameless.facts.model = None;
        assert_eq!(prices.cost(&nameless), None);
        nameless.facts.model_requested = Some("m".to_owned());
        assert!(prices.cost(&nameless).is_some());
        near(usd(&prices, &call("m", tokens(0, 0))), 0.0);
    }

    #[test]
    fn a_lying_clock_does_not_choose_the_price() {
        let prices = Prices::new(vec![price("m", DAY, 1.0), price("m", DAY + 100, 9.0)]);
        for lie in [0, 1_000, u64::MAX] {
            let mut record = call("m", tokens(1_000_000, 0));
            record.facts.started_ns = lie;
            near(usd(&prices, &record), 1.0);
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, yes) in [
            ("gpt-4o", "gpt-4o", true),
            ("gpt-4o", "gpt-4o-mini", false),
            ("gpt-4o*", "gpt-4o", true),
            ("*sonnet*", "claude-sonnet-4-5", true),
            ("*/claude-*-4", "anthropic/claude-opus-4", true),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("*é", "café", true),
        ] {
            assert_eq!(fits(pattern, name), yes, "{pattern} {name}");
        }
    }
}
