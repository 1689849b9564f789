//! Runs by outcome and over time: tallies that set the filter, and a histogram.
use std::collections::BTreeMap;

use crate::domain::outcome::Outcome;
use crate::store::RunField;
use crate::store::queries::Bins;
use crate::web::format;
use crate::web::list::address::Address;
use crate::web::list::facets::Counts;
use crate::web::query::{Field, Query, Test};
use crate::web::zone::Zone;

/// Bars of the histogram.
pub(in crate::web) const BINS: u16 = 60;
/// Its height.
const HEIGHT: u64 = 48;
const DAY: u64 = 86_400_000_000_000;

/// Runs by outcome and over time.
#[derive(Debug)]
pub(in crate::web) struct Pulse {
    pub(in crate::web) tallies: Vec<Tally>,
    pub(in crate::web) bars: Vec<Bar>,
    pub(in crate::web) label: String,
    /// Where the first bar begins and how wide each is, in milliseconds since 1970: for choosing by hand.
    pub(in crate::web) start_ms: String,
    pub(in crate::web) step_ms: String,
    pub(in crate::web) axis: Vec<String>,
}

/// How many runs have an outcome.
#[derive(Debug)]
pub(in crate::web) struct Tally {
    pub(in crate::web) count: String,
    pub(in crate::web) name: &'static str,
    /// The class; also names the glyph. Empty for all runs.
    pub(in crate::web) state: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// A bar of the histogram: whole numbers only.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct Bar {
    pub(in crate::web) x: u64,
    /// The list of its stretch of time.
    pub(in crate::web) href: String,
    /// Such as "12 runs, 1 unknown, 12 Nov 16:00 to 16:10".
    pub(in crate::web) said: String,
    /// Class, top and height of each part.
    pub(in crate::web) parts: Vec<(&'static str, u64, u64)>,
}

/// The stretch of time that the histogram shows.
pub(in crate::web) fn bins(
    counts: &Counts,
    (from_ns, to_ns): (Option<u64>, Option<u64>),
    now_ns: u64,
) -> Bins {
    let (first, last) = (counts.all.first_ns, counts.all.last_ns);
    let start_ns = from_ns.unwrap_or(first);
    let end_ns = match (from_ns, to_ns) {
        (_, Some(to_ns)) => to_ns.saturating_sub(1),
        (Some(_), None) => now_ns.max(last),
        (None, None) => last,
    };
    // The end is excluded; a single run gets a minute around it.
    let end_ns = end_ns.saturating_add(1).max(start_ns.saturating_add(60_000_000_000));
    Bins { start_ns, end_ns, count: BINS }
}

impl Pulse {
    /// The pulse of a list.
    pub(in crate::web) fn of(
        counts: &Counts,
        histogram: &[BTreeMap<String, u64>],
        bins: Bins,
        (query, address, zone): (&Query, &Address, &Zone),
    ) -> Self {
        let runs = format::counted(counts.all.runs, "run", "runs");
        Self {
            tallies: tallies(counts, query, address),
            bars: bars(histogram, bins, (query, address, zone)),
            label: format!(
                "{runs} between {} and {} {}",
                zone.moment(bins.start_ns),
                zone.moment(bins.end_ns),
                zone.name()
            ),
            start_ms: milliseconds(bins.start_ns),
            step_ms: milliseconds(width_ns(bins)),
            axis: axis(bins, zone),
        }
    }
}

fn tallies(counts: &Counts, query: &Query, address: &Address) -> Vec<Tally> {
    let values = counts.of(Field::Outcome, RunField::Outcome);
    let count = |word: &str| values.iter().find(|facet| facet.value == word).map_or(0, |facet| facet.runs);
    let all: u64 = values.iter().map(|facet| facet.runs).sum();
    let any_chosen = query.terms.iter().any(|term| matches!(&term.test, Test::Is(Field::Outcome, _)));
    let mut tallies = vec![Tally {
        count: format::count(all),
        name: "All runs",
        state: "",
        href: address.with(&query.with_only(Field::Outcome, None)),
        on: !any_chosen,
    }];
    for (word, name) in [
        (Outcome::Unknown.word(), "Unknown"),
        (Outcome::Failed.word(), "Failed"),
        (Outcome::Submitted.word(), "In flight"),
        (Outcome::Confirmed.word(), "Confirmed"),
        ("none", "No effects"),
    ] {
        tallies.push(Tally {
            count: format::count(count(word)),
            name,
            state: word,
            href: address.with(&query.with_only(Field::Outcome, Some(word))),
            on: query.has(&Test::Is(Field::Outcome, word.to_owned())),
        });
    }
    tallies
}

/// How wide a bar is.
fn width_ns(bins: Bins) -> u64 {
    (bins.end_ns.saturating_sub(bins.start_ns) / u64::from(bins.count.max(1))).max(1)
}

fn milliseconds(ns: u64) -> String {
    format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000)
}

/// From where to where a bar reaches; the last takes what the division left over.
fn stretch(bins: Bins, at: usize) -> (u64, u64) {
    let width = width_ns(bins);
    let from = bins.start_ns.saturating_add(width.saturating_mul(format::length(at)));
    let is_last = at + 1 >= usize::from(bins.count);
    (from, if is_last { bins.end_ns.max(from.saturating_add(1)) } else { from.saturating_add(width) })
}

fn said(bin: &BTreeMap<String, u64>, (from, to): (u64, u64), zone: &Zone) -> String {
    let mut parts = vec![format::counted(bin.values().sum::<u64>(), "run", "runs")];
    for word in [Outcome::Unknown.word(), Outcome::Failed.word()] {
        parts.extend(
            bin.get(word).filter(|runs| **runs > 0).map(|runs| format!("{} {word}", format::count(*runs))),
        );
    }
    parts.push(format!("{} to {}", zone.moment(from), zone.moment(to)));
    parts.join(", ")
}

fn bars(
    histogram: &[BTreeMap<String, u64>],
    bins: Bins,
    (query, address, zone): (&Query, &Address, &Zone),
) -> Vec<Bar> {
    let total = |bin: &BTreeMap<String, u64>| bin.values().sum::<u64>();
    let most = histogram.iter().map(total).max().unwrap_or_default().max(1);
    let height = |runs: u64| if runs == 0 { 0 } else { (runs * (HEIGHT - 4)).div_ceil(most).max(1) };
    let bar = |(at, bin): (usize, &BTreeMap<String, u64>)| {
        let of = |word: &str| bin.get(word).copied().unwrap_or_default();
        let (unknown, failed) = (of(Outcome::Unknown.word()), of(Outcome::Failed.word()));
        let rest = total(bin) - unknown - failed;
        let mut floor = HEIGHT;
        let mut parts = Vec::new();
        for (class, runs) in [("bin", rest), ("bin-failed", failed), ("bin-unknown", unknown)] {
            let high = height(runs).min(floor);
            if high > 0 {
                floor -= high;
                parts.push((class, floor, high));
            }
        }
        let stretch = stretch(bins, at);
        Bar {
            x: format::length(at) * 10,
            href: address.between(query, stretch),
            said: said(bin, stretch, zone),
            parts,
        }
    };
    histogram.iter().enumerate().map(bar).filter(|bar| !bar.parts.is_empty()).collect()
}

fn axis(bins: Bins, zone: &Zone) -> Vec<String> {
    let length = bins.end_ns - bins.start_ns;
    let at = |part: u64| bins.start_ns + length / 4 * part;
    let label = |ns: u64| {
        if length > 2 * DAY {
            zone.day(ns, 0)
        } else {
            format!("{} {}", zone.day(ns, bins.end_ns), zone.minute(ns))
        }
    };
    (0..5).map(|part| label(at(part)).trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::link::Links;
    use crate::web::params::Params;

    #[test]
    fn every_run_is_seen_in_its_bar() {
        let bin = |pairs: &[(&str, u64)]| pairs.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect();
        let histogram =
            [bin(&[("confirmed", 1_000), ("unknown", 1), ("failed", 1)]), bin(&[]), bin(&[("none", 1)])];
        let bins = Bins { start_ns: 0, end_ns: 3_000_000_001, count: 3 };
        let address = Address::new(&Links::new(""), &Params::read("t=24h"));
        let bars = bars(&histogram, bins, (&Query::default(), &address, &Zone::default()));
        assert_eq!(bars.len(), 2);
        assert_eq!(bars[0].parts.len(), 3);
        assert!(bars[0].parts.iter().all(|(_, top, high)| top + high <= HEIGHT && *high > 0));
        assert_eq!((bars[1].x, &bars[1].parts), (20, &vec![("bin", HEIGHT - 1, 1)]));
        let said = "1,002 runs, 1 unknown, 1 failed, Thu 1 Jan 1970, 00:00:00 to Thu 1 Jan 1970, 00:00:01";
        assert_eq!(bars[0].said, said);
        // Together the bars reach from end to end, and none twice.
        assert_eq!(
            (stretch(bins, 0), stretch(bins, 2)),
            ((0, 1_000_000_000), (2_000_000_000, 3_000_000_001))
        );
        assert!(bars[0].href.ends_with("&to=1970-01-01T00%3A00%3A01.000000000Z"), "{}", bars[0].href);
    }

    #[test]
    fn a_list_of_one_run_has_a_stretch_of_time() {
        let mut counts = Counts::default();
        (counts.all.first_ns, counts.all.last_ns) = (5, 5);
        let all = bins(&counts, (None, None), 9);
        assert!(all.end_ns > all.start_ns);
        assert_eq!(axis(all, &Zone::default()).len(), 5);
        let hour_ns = 3_600_000_000_000;
        let chosen = bins(&counts, (Some(0), Some(hour_ns)), 9 * hour_ns);
        assert_eq!((chosen.start_ns, chosen.end_ns), (0, hour_ns));
    }
}
