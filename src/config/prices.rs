//! `[[prices]]` of recount.toml: what the tokens of a model cost from a day on, as written.
use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::domain::price::{Price, Prices};

/// One price, in US dollars for a million tokens.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceTable {
    model: String,
    from: Option<toml::value::Datetime>,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

/// Checks all prices.
pub(super) fn prices(tables: Vec<PriceTable>) -> Result<Prices, ConfigError> {
    let list = tables.into_iter().map(PriceTable::price).collect::<Result<Vec<_>, _>>()?;
    let mut seen = BTreeSet::new();
    for price in &list {
        if !seen.insert((price.model.clone(), price.from_day)) {
            let reason = "two prices of one model begin on the same day; leave one of them out";
            return Err(refused("prices.from", &price.model, price.model.clone(), reason));
        }
    }
    Ok(Prices::new(list))
}

impl PriceTable {
    fn price(self) -> Result<Price, ConfigError> {
        let model = self.model;
        if model.is_empty() {
            return Err(refused(
                "prices.model",
                &model,
                String::new(),
                "name the model, such as gpt-4o-mini*",
            ));
        }
        let from_day = match self.from {
            None => 0,
            Some(from) => day(&from).ok_or_else(|| {
                let reason = "write a day, such as 2026-07-01, from 1970 on";
                refused("prices.from", &model, from.to_string(), reason)
            })?,
        };
        let sums = [
            ("prices.input", Some(self.input)),
            ("prices.output", Some(self.output)),
            ("prices.cache_read", self.cache_read),
            ("prices.cache_write", self.cache_write),
        ];
        for (setting, sum) in sums {
            if let Some(sum) = sum.filter(|sum| !sum.is_finite() || *sum < 0.0) {
                let reason = "write US dollars for a million tokens, 0 or more";
                return Err(refused(setting, &model, sum.to_string(), reason));
            }
        }
        Ok(Price {
            model,
            from_day,
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
        })
    }
}

fn refused(setting: &'static str, model: &str, value: String, reason: &str) -> ConfigError {
    ConfigError::Value { setting, value, reason: format!("{reason} (in [[prices]] of model {model:?})") }
}

/// Days since 1970 of a date without a time.
fn day(from: &toml::value::Datetime) -> Option<u32> {
    let date = from.date.filter(|_| from.time.is_none() && from.offset.is_none())?;
    let date = Date::new(
        i16::try_from(date.year).ok()?,
        i8::try_from(date.month).ok()?,
        i8::try_from(date.day).ok()?,
    );
    let since = Date::constant(1970, 1, 1).until(date.ok()?).ok()?;
    u32::try_from(since.get_days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Written {
        prices: Vec<PriceTable>,
    }

    fn read(text: &str) -> Result<Prices, String> {
        let written: Written = toml::from_str(text).map_err(|error| error.to_string())?;
        prices(written.prices).map_err(|error| error.to_string())
    }

    #[test]
    fn days_and_sums_are_read() {
        let prices = read(
            "[[prices]]\nmodel = \"gpt-4o*\"\nfrom = 2024-10-01\ninput = 2.5\noutput = 10\ncache_read = 1.25\n\
             [[prices]]\nmodel = \"gpt-4o*\"\ninput = 5\noutput = 15.0",
        )
        .unwrap();
        let windows = prices.windows();
        assert_eq!(windows.len(), 2);
        assert_eq!((windows[0].from_day, windows[1].until_day), (19_997, 19_997));
        assert_eq!(windows[0].price.unwrap().cache_read, Some(1.25));
        assert_eq!(windows[0].price.unwrap().cache_write, None);
    }

    #[test]
    fn what_cannot_be_is_named_with_its_model() {
        let one = |line: &str| format!("[[prices]]\nmodel = \"m1\"\ninput = 1\noutput = 1\n{line}");
        for (text, named) in [
            (one("from = 2024-10-01T10:00:00Z"), "prices.from"),
            (one("from = 1969-12-31"), "prices.from"),
            (one("from = \"2024-10-01\""), "from"),
            (one("cache_read = -1"), "prices.cache_read"),
            (one("cache_write = inf"), "prices.cache_write"),
            (one("cached = 1"), "cached"),
            (format!("{}\n{}", one(""), one("")), "same day"),
            ("[[prices]]\nmodel = \"\"\ninput = 1\noutput = 1".to_owned(), "prices.model"),
            ("[[prices]]\nmodel = \"m1\"\ninput = 1".to_owned(), "output"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
