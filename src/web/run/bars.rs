//! Time drawn as bars: one round scale for the whole run, lengths in per cent.
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::run::{Attempt, Run, RunStep, Slot};
use crate::web::format;

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// What a tick may be worth: lengths that people count in, nanoseconds.
const TICKS: &[(u64, u64, &str)] = &[
    (1_000, 1_000, "µs"),
    (2_000, 1_000, "µs"),
    (5_000, 1_000, "µs"),
    (10_000, 1_000, "µs"),
    (20_000, 1_000, "µs"),
    (50_000, 1_000, "µs"),
    (100_000, 1_000, "µs"),
    (200_000, 1_000, "µs"),
    (500_000, 1_000, "µs"),
    (1_000_000, 1_000_000, "ms"),
    (2_000_000, 1_000_000, "ms"),
    (5_000_000, 1_000_000, "ms"),
    (10_000_000, 1_000_000, "ms"),
    (20_000_000, 1_000_000, "ms"),
    (50_000_000, 1_000_000, "ms"),
    (100_000_000, 1_000_000, "ms"),
    (200_000_000, 1_000_000, "ms"),
    (300_000_000, 1_000_000, "ms"),
    (500_000_000, 1_000_000, "ms"),
    (SECOND, SECOND, "s"),
    (2 * SECOND, SECOND, "s"),
    (3 * SECOND, SECOND, "s"),
    (5 * SECOND, SECOND, "s"),
    (10 * SECOND, SECOND, "s"),
    (15 * SECOND, SECOND, "s"),
    (20 * SECOND, SECOND, "s"),
    (30 * SECOND, SECOND, "s"),
    (MINUTE, MINUTE, "m"),
    (2 * MINUTE, MINUTE, "m"),
    (3 * MINUTE, MINUTE, "m"),
    (5 * MINUTE, MINUTE, "m"),
    (10 * MINUTE, MINUTE, "m"),
    (15 * MINUTE, MINUTE, "m"),
    (20 * MINUTE, MINUTE, "m"),
    (30 * MINUTE, MINUTE, "m"),
    (HOUR, HOUR, "h"),
    (2 * HOUR, HOUR, "h"),
    (3 * HOUR, HOUR, "h"),
    (6 * HOUR, HOUR, "h"),
    (12 * HOUR, HOUR, "h"),
    (DAY, DAY, "d"),
    (2 * DAY, DAY, "d"),
    (5 * DAY, DAY, "d"),
    (10 * DAY, DAY, "d"),
    (20 * DAY, DAY, "d"),
    (50 * DAY, DAY, "d"),
    (100 * DAY, DAY, "d"),
];
const PARTS: u64 = 5;
/// Bars are never thinner than this share of the scale, in hundredths of a per cent: 0.6 %.
const WIDTH_MIN: u64 = 60;

/// The time that the whole width stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) struct Scale {
    from_ns: u64,
    tick_ns: u64,
    unit_ns: u64,
    unit: &'static str,
}

impl Scale {
    /// The smallest round scale that holds the run.
    pub(in crate::web) fn of(run: &Run) -> Self {
        let latest = run.steps.iter().flat_map(attempts).filter_map(|attempt| attempt.record.facts.ended_ns);
        let end = latest.chain(run.ended_ns).max().unwrap_or(run.started_ns);
        Self::over(run.started_ns, end)
    }

    /// The smallest round scale from here to there.
    pub(in crate::web) fn over(from_ns: u64, to_ns: u64) -> Self {
        let length = to_ns.saturating_sub(from_ns).max(1);
        let found = TICKS.iter().find(|(tick, _, _)| tick.saturating_mul(PARTS) >= length);
        let (tick_ns, unit_ns, unit) = found.copied().unwrap_or((length.div_ceil(PARTS), DAY, "d"));
        Self { from_ns, tick_ns, unit_ns, unit }
    }

    /// How long the whole of it is.
    pub(in crate::web) fn whole_ns(&self) -> u64 {
        self.tick_ns.saturating_mul(PARTS)
    }

    /// The labels of the five parts' beginnings; the last one carries the unit.
    pub(in crate::web) fn labels(&self) -> Vec<String> {
        (0..PARTS)
            .map(|part| {
                let value = self.tick_ns.saturating_mul(part) / self.unit_ns;
                if part + 1 == PARTS { format!("{value} {}", self.unit) } else { value.to_string() }
            })
            .collect()
    }

    /// A bar from here to there.
    pub(in crate::web) fn bar(&self, part: Part, from_ns: u64, to_ns: u64) -> Bar {
        let whole = self.tick_ns.saturating_mul(PARTS);
        let least = whole / 10_000 * WIDTH_MIN;
        let start = from_ns.saturating_sub(self.from_ns).min(whole.saturating_sub(least));
        let length = to_ns.saturating_sub(from_ns).max(least).min(whole.saturating_sub(start));
        Bar { part, x: format::percent(start, whole), width: format::percent(length, whole) }
    }
}

/// What was going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Part {
    /// A model was thinking.
    Model,
    /// A tool was working.
    Tool,
    /// Somebody waited for an answer that never came.
    Unanswered,
    /// Somebody waited on purpose before the next try.
    Wait,
    /// Somebody asked for the truth.
    Lookup,
    /// From the first to the last of several.
    Span,
}

impl Part {
    /// The class.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Unanswered => "unanswered",
            Self::Wait => "wait",
            Self::Lookup => "lookup",
            Self::Span => "span",
        }
    }

    /// How thick it is drawn, in pixels.
    pub(in crate::web) fn height(self) -> u8 {
        match self {
            Self::Tool | Self::Unanswered | Self::Lookup => 10,
            Self::Model => 6,
            Self::Wait | Self::Span => 2,
        }
    }

    /// Whether it is filled with the hatch pattern.
    pub(in crate::web) fn hatched(self) -> bool {
        self == Self::Unanswered
    }

    fn of(kind: Kind, attempt: &Attempt) -> Self {
        match kind {
            Kind::Think => Self::Model,
            Kind::Reconcile => Self::Lookup,
            Kind::Wait => Self::Wait,
            Kind::Agent | Kind::Other => Self::Span,
            Kind::Read | Kind::Act | Kind::Transport => {
                let unanswered = attempt.outcome == Some(Outcome::Unknown)
                    && attempt.evidence.is_none_or(|evidence| evidence == Evidence::Timeout);
                if unanswered { Self::Unanswered } else { Self::Tool }
            }
        }
    }
}

/// A piece of a time bar. Lengths are digits and a dot, in per cent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Bar {
    /// What was going on.
    pub(in crate::web) part: Part,
    /// Where it begins.
    pub(in crate::web) x: String,
    /// How wide it is.
    pub(in crate::web) width: String,
}

/// The attempts of a step that arrived, in order.
pub(in crate::web) fn attempts(step: &RunStep) -> impl DoubleEndedIterator<Item = &Attempt> {
    step.attempts.iter().filter_map(|slot| match slot {
        Slot::Attempt(attempt) => Some(attempt.as_ref()),
        Slot::Missing(_) => None,
    })
}

/// The bar of one attempt; before a repeat, the wait since the try before it.
pub(in crate::web) fn of_attempt(scale: &Scale, step: &RunStep, attempt: &Attempt) -> Vec<Bar> {
    let facts = &attempt.record.facts;
    let before = attempts(step)
        .filter(|other| other.record.facts.started_ns < facts.started_ns)
        .filter_map(|other| other.record.facts.ended_ns)
        .filter(|ended| *ended < facts.started_ns)
        .max();
    let wait = before.map(|ended| scale.bar(Part::Wait, ended, facts.started_ns));
    let end = facts.ended_ns.unwrap_or(facts.started_ns);
    wait.into_iter().chain([scale.bar(Part::of(step.kind, attempt), facts.started_ns, end)]).collect()
}

/// The bar of a whole step: its one attempt, or a line from the first to the last.
pub(in crate::web) fn of_step(scale: &Scale, step: &RunStep) -> Vec<Bar> {
    let mut all = attempts(step);
    match (all.next(), all.next()) {
        (Some(only), None) => of_attempt(scale, step, only),
        (Some(_), Some(_)) => {
            extent(step).map(|(from, to)| vec![scale.bar(Part::Span, from, to)]).unwrap_or_default()
        }
        (None, _) => Vec::new(),
    }
}

/// When the first attempt of a step began and the last one ended.
pub(in crate::web) fn extent(step: &RunStep) -> Option<(u64, u64)> {
    let from = attempts(step).map(|attempt| attempt.record.facts.started_ns).min()?;
    let to = attempts(step).filter_map(|attempt| attempt.record.facts.ended_ns).max().unwrap_or(from);
    Some((from, to.max(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round_and_hold_the_run() {
        for (length, labels) in [
            (49_300_000_000, "0 10 20 30 40 s"),
            (13_600_000_000, "0 3 6 9 12 s"),
            (250 * SECOND, "0 1 2 3 4 m"),
            (3 * DAY, "0 1 2 3 4 d"),
            (4_000, "0 1 2 3 4 µs"),
        ] {
            assert_eq!(Scale::over(7, 7 + length).labels().join(" "), labels);
        }
        // A client that lies about its clock by decades still gets a scale.
        assert_eq!(Scale::over(0, u64::MAX).labels().len(), 5);
    }

    #[test]
    fn bars_have_a_least_width_and_stay_inside() {
        let scale = Scale::over(0, 50 * SECOND);
        let bar = scale.bar(Part::Tool, 25 * SECOND, 30 * SECOND);
        assert_eq!((bar.x.as_str(), bar.width.as_str()), ("50", "10"));
        assert_eq!(scale.bar(Part::Tool, 0, 0).width, "0.60");
        let late = scale.bar(Part::Tool, 50 * SECOND, 90 * SECOND);
        assert_eq!((late.x.as_str(), late.width.as_str()), ("99.40", "0.60"));
    }
}
