//! The part of the list's state that lives in its address.
use crate::web::format;
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

/// Parameters that stay when the filter changes: the stretch of time, how many, and how they are shown.
const KEPT: [&str; 7] = ["t", "from", "to", "limit", "cols", "group", "tz"];

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
        let kept = KEPT.into_iter().filter_map(|name| match name {
            // A form of boxes repeats the parameter.
            "cols" => {
                let values = params.pairs().filter(|(of, value)| *of == name && !value.is_empty());
                let words: Vec<&str> = values.map(|(_, value)| value).collect();
                (!words.is_empty()).then(|| (name, words.join(",")))
            }
            _ => Some((name, params.get(name)?.to_owned())),
        });
        Self { runs: links.runs(), kept: kept.collect(), open: params.get("more").map(str::to_owned) }
    }

    /// What asks for this list from its newest run on, without a question mark.
    pub(in crate::web) fn question(&self, query: &Query) -> String {
        self.with(query).split_once('?').map(|(_, question)| question.to_owned()).unwrap_or_default()
    }

    /// The list of a stretch of time within this one.
    pub(in crate::web) fn between(&self, query: &Query, (from_ns, to_ns): (u64, u64)) -> String {
        let stays = |name: &str| !matches!(name, "t" | "from" | "to");
        let kept = self.kept.iter().filter(|(name, _)| stays(name)).cloned();
        let stretch = [("from", format::rfc3339(from_ns)), ("to", format::rfc3339(to_ns))];
        Self { kept: stretch.into_iter().chain(kept).collect(), ..self.clone() }.with(query)
    }

    /// The same with a parameter in the one spelling it has; without it when that is the default.
    #[must_use]
    pub(in crate::web) fn spelt(mut self, name: &'static str, word: Option<&str>) -> Self {
        self.kept.retain(|(of, _)| *of != name);
        self.kept.extend(word.map(|word| (name, word.to_owned())));
        self
    }

    /// The list shown in another way.
    pub(in crate::web) fn shown(&self, query: &Query, name: &'static str, word: Option<&str>) -> String {
        self.clone().spelt(name, word).with(query)
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
        assert_eq!(address.question(&query), format!("q=agent%3A%22a%20b%22&t=24h&{from}"));
        let stretch = address.between(&query, (1_794_499_331_000_000_000, 1_794_499_332_000_000_000));
        assert!(
            stretch.contains("&from=2026-11-12T16%3A02%3A11.000000000Z&to=2026-11-12T16%3A02%3A12"),
            "{stretch}"
        );
        assert!(!stretch.contains("t=24h"));
    }

    #[test]
    fn how_a_list_is_shown_stays_in_its_address() {
        let params = Params::read("cols=effects&cols=cost&group=session&tz=Europe/Berlin");
        let address = Address::new(&Links::new(""), &params);
        let query = Query::default();
        let shown = "cols=effects%2Ccost&group=session&tz=Europe%2FBerlin";
        assert_eq!(address.with(&query), format!("/runs?{shown}"));
        let ungrouped = address.shown(&query, "group", None);
        assert_eq!(ungrouped, "/runs?cols=effects%2Ccost&tz=Europe%2FBerlin");
    }
}
