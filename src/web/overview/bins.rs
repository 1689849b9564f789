//! How a stretch of time is cut: into bins of a width that people think in, never more than fit a chart.
use crate::store::Stretch;

/// Most bins of a chart.
const BINS_MAX: u64 = 36;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;
/// 1970 began on a Thursday, weeks begin on Mondays.
const MONDAY: u64 = 4 * DAY;
/// The widths, the narrowest first.
const WIDTHS: [u64; 11] =
    [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, WEEK, 4 * WEEK];

/// Bins from a time to another, which is excluded. They begin at full minutes, hours, days or Mondays.
pub(in crate::web) fn cut(from_ns: u64, to_ns: u64) -> Stretch {
    let to_ns = to_ns.max(from_ns.saturating_add(1));
    let fits = |width: &u64| count(begin(from_ns, *width), to_ns, *width) <= BINS_MAX;
    let width_ns = WIDTHS.into_iter().find(fits).unwrap_or_else(|| {
        let mut width = 8 * WEEK;
        while !fits(&width) {
            width *= 2;
        }
        width
    });
    let start_ns = begin(from_ns, width_ns);
    let bins = u16::try_from(count(start_ns, to_ns, width_ns)).unwrap_or(u16::MAX);
    Stretch { start_ns, width_ns, bins }
}

fn begin(at_ns: u64, width_ns: u64) -> u64 {
    let offset = if width_ns >= WEEK { MONDAY } else { 0 };
    let since = at_ns.saturating_sub(offset);
    (since - since % width_ns) + offset.min(at_ns)
}

fn count(start_ns: u64, to_ns: u64, width_ns: u64) -> u64 {
    to_ns.saturating_sub(start_ns).div_ceil(width_ns).max(1)
}

/// The width in words: `6 hours`, `1 day`.
pub(in crate::web) fn width(ns: u64) -> String {
    let (number, unit) = match ns {
        0..HOUR => (ns / MINUTE, "minute"),
        HOUR..DAY => (ns / HOUR, "hour"),
        DAY..WEEK => (ns / DAY, "day"),
        WEEK.. => (ns / WEEK, "week"),
    };
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-29T16:33:20Z, a Sunday.
    const NOW: u64 = 1_795_970_000 * SECOND;

    #[test]
    fn widths_are_round_and_bins_few() {
        for (back, said, bins) in [
            (HOUR, "5 minutes", 13),
            (24 * HOUR, "1 hour", 25),
            (7 * DAY, "6 hours", 29),
            (30 * DAY, "1 day", 31),
            (90 * DAY, "1 week", 13),
            (365 * DAY, "4 weeks", 14),
            (56 * 365 * DAY, "128 weeks", 24),
            (1, "1 minute", 1),
        ] {
            let cut = cut(NOW - back, NOW + 1);
            assert_eq!((width(cut.width_ns).as_str(), cut.bins), (said, bins), "{back}");
        }
    }

    #[test]
    fn every_time_is_in_a_bin_and_bins_begin_at_round_times() {
        for back in [1, MINUTE, 17 * MINUTE, HOUR, 5 * HOUR, 3 * DAY, 11 * DAY, 80 * DAY, 4_000 * DAY] {
            let cut = cut(NOW - back, NOW);
            assert!(cut.start_ns <= NOW - back && NOW <= cut.end_ns(), "{back}");
            assert!(u64::from(cut.bins) <= BINS_MAX, "{back}");
            assert!(NOW - back < cut.edge_ns(1), "the first bin has the first time: {back}");
            let offset = if cut.width_ns >= WEEK { MONDAY } else { 0 };
            assert_eq!((cut.start_ns - offset) % cut.width_ns, 0, "{back}");
        }
        // A time before the clock began, and one far ahead, end the search as well.
        assert!(cut(0, u64::MAX).bins > 0);
        assert_eq!(cut(5, 5).bins, 1);
    }
}
