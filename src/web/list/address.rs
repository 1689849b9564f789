//! The part of the list's state that lives in its address.
use crate::web::link::{Links, encoded};
use crate::web::params::Params;
use crate::web::query::Query;

const HOUR: u64 = 3_600_000_000_000;

/// How far back the list goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::web) enum Range {
    /// All there is.
    #[default]
    All,
    /// The last hour.
    Hour,
    /// The last 24 hours.
    Day,
    /// The last 7 days.
    Week,
    /// The last 30 days.
    Month,
}

impl Range {
    /// Every choice, in the order offered.
    pub(in crate::web) const ALL: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::All];

    /// The word in the address; empty for all.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Month => "30d",
        }
    }

    /// The words of the choice.
    pub(in crate::web) fn name(self) -> &'static str {
        match self {
            Self::All => "All time",
            Self::Hour => "Last hour",
            Self::Day => "Last 24 hours",
            Self::Week => "Last 7 days",
            Self::Month => "Last 30 days",
        }
    }

    /// From when on, nanoseconds since 1970.
    pub(in crate::web) fn starts_ns(self, now_ns: u64) -> Option<u64> {
        let back = match self {
            Self::All => return None,
            Self::Hour => HOUR,
            Self::Day => 24 * HOUR,
            Self::Week => 7 * 24 * HOUR,
            Self::Month => 30 * 24 * HOUR,
        };
        Some(now_ns.saturating_sub(back))
    }
}

/// Parameters that stay when the filter changes.
const KEPT: [&str; 4] = ["t", "from", "to", "limit"];

/// Writes addresses of the list that keep its stretch of time and its length.
#[derive(Debug, Clone)]
pub(in crate::web) struct Address {
    /// The address of the list.
    pub(in crate::web) runs: String,
    /// Parameters that stay, with their values.
    pub(in crate::web) kept: Vec<(&'static str, String)>,
    /// The facet of which all values are shown.
    pub(in crate::web) open: Option<String>,
}

impl Address {
    /// Addresses of the list as these parameters ask for it.
    pub(in crate::web) fn new(links: &Links, params: &Params) -> Self {
        let kept = KEPT.into_iter().filter_map(|name| Some((name, params.get(name)?.to_owned())));
        Self { runs: links.runs(), kept: kept.collect(), open: params.get("more").map(str::to_owned) }
    }

    /// The list under another filter, from its newest run on.
    pub(in crate::web) fn with(&self, query: &Query) -> String {
        self.with_text(&query.to_string())
    }

    /// The same for a filter as text.
    pub(in crate::web) fn with_text(&self, q: &str) -> String {
        self.written(q, &[])
    }

    /// The list from a place on.
    pub(in crate::web) fn after(&self, query: &Query, cursor: &str) -> String {
        self.written(&query.to_string(), &[("cursor", cursor)])
    }

    /// The list with all values of a facet.
    pub(in crate::web) fn opened(&self, query: &Query, field: &str) -> String {
        self.written(&query.to_string(), &[("more", field)])
    }

    /// The list without the stretch of time that was named.
    pub(in crate::web) fn any_time(&self, query: &Query) -> String {
        let kept = self.kept.iter().filter(|(name, _)| !matches!(*name, "from" | "to")).cloned().collect();
        Self { kept, ..self.clone() }.with(query)
    }

    fn written(&self, q: &str, more: &[(&str, &str)]) -> String {
        let pairs: Vec<String> = std::iter::once(("q", q))
            .chain(self.kept.iter().map(|(name, value)| (*name, value.as_str())))
            .chain(more.iter().copied())
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        if pairs.is_empty() { self.runs.clone() } else { format!("{}?{}", self.runs, pairs.join("&")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_the_stretch_of_time_and_encode_the_filter() {
        let address =
            Address::new(&Links::new("/x"), &Params::read("t=24h&cursor=AA&from=2026-11-12T16:02:11Z"));
        let query = Query::read("agent:\"a b\"").unwrap();
        let from = "from=2026-11-12T16%3A02%3A11Z";
        assert_eq!(address.with(&query), format!("/x/runs?q=agent%3A%22a%20b%22&t=24h&{from}"));
        assert_eq!(address.after(&query, "BB"), format!("{}&cursor=BB", address.with(&query)));
        assert_eq!(address.any_time(&query), "/x/runs?q=agent%3A%22a%20b%22&t=24h");
        assert_eq!(Address::new(&Links::new(""), &Params::default()).with_text(""), "/runs");
    }
}
