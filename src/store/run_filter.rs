//! Which runs a list, a tally or a histogram is about. All conditions stand in the SQL and are switched by
//! parameters: nothing that a viewer types is ever spliced in.
use std::collections::BTreeMap;

use crate::domain::price::{Price, Prices};
use crate::store::read::Read;
use crate::store::texts::TextFilter;

const SQL: &str = include_str!("run_filter.sql");

/// A submitted act becomes unknown by its deadline, without a write.
const OUTCOME_NOW: &str =
    "if(unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64}, 'unknown', toString(outcome))";
/// Silence falls on a run that goes on, without a write (`SILENCE_NS` of the fold).
const STATE_NOW: &str =
    "if(state = 'running' AND heard_ns + 900000000000 <= {now_ns:UInt64}, 'lost', toString(state))";
/// What asks for a look, as `has:` names it.
const ATTENTION: &str = "arrayFilter(word -> word != '', [if(empty(finding_codes), '', 'finding'), \
    if(retry_count = 0, '', 'retry'), if(reconcile_count = 0, '', 'reconcile'), \
    if(complete = 'no', 'gap', ''), if(error_count = 0, '', 'error'), \
    if(acts_resolved = 0, '', 'resolution'), \
    if(arraySum(tupleElement(work, 'throttled')) = 0, '', 'throttle')])";
/// In the order of [`RunMeasure::ALL`].
const MEASURES: &str = "[if(ended_ns = 0, NULL, (toFloat64(ended_ns) - toFloat64(started_ns)) / 1e9), \
    if(isNull(tokens_in) AND isNull(tokens_out), NULL, \
       toFloat64(ifNull(tokens_in, 0) + ifNull(tokens_out, 0))), \
    $cost, toFloat64(attempt_count), toFloat64(retry_count), toFloat64(step_count), toFloat64(act_count), \
    toFloat64(error_count), toFloat64(acts_confirmed), toFloat64(acts_failed), \
    toFloat64(acts_unknown) + if($lapsed, 1, 0), toFloat64(acts_submitted) - if($lapsed, 1, 0)]";
/// Whether one of its submitted acts is unknown by now, as a line of the list says it.
const LAPSED: &str = "unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64} AND acts_submitted > 0";
/// What a run cost as of now: as given, and for the use that has a price, in the order of look-up.
const COST: &str = "arrayReduce('sumOrNull', arrayPushFront(arrayMap((used, at) -> \
    (used.3 * {price_inputs:Array(Nullable(Float64))}[at] \
    + used.4 * {price_outputs:Array(Nullable(Float64))}[at] \
    + if(used.5 = 0, 0, used.5 * {price_reads:Array(Nullable(Float64))}[at]) \
    + if(used.6 = 0, 0, used.6 * {price_writes:Array(Nullable(Float64))}[at])) / 1e6, \
    usage, arrayMap(used -> arrayFirstIndex((name, first, next) -> \
        match(used.1, name) AND first <= used.2 AND used.2 < next, {price_names:Array(String)}, \
        {price_from:Array(UInt32)}, {price_until:Array(UInt32)}), usage)), cost_usd))";
/// How far ahead of the server a client's clock may be before its start no longer counts (see migration of
/// `runs`).
const AHEAD_NS: u64 = 3_600_000_000_000;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in queries.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the word back.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }
        }
    };
}

words! {
    /// What a run can be chosen by, by its exact value.
    RunField {
        /// The run's id.
        Run = "run",
        /// The conversation.
        Session = "session",
        /// The end user.
        User = "user",
        /// The agent.
        Agent = "agent",
        /// The service that sent it.
        Service = "service",
        /// The deployment environment.
        Environment = "environment",
        /// Running, ended or lost.
        State = "state",
        /// Whether the record is whole.
        Complete = "complete",
        /// The worst open outcome, as of now.
        Outcome = "outcome",
        /// What asks for a look: `finding`, `retry`, `reconcile`, `gap`, `error`, `resolution`, `throttle`.
        Has = "has",
        /// A model that answered.
        Model = "model",
        /// A tool that was called.
        Tool = "tool",
        /// A finding's code.
        Finding = "finding",
        /// An entity, `type:id`.
        Entity = "entity",
        /// An idempotency key used in it.
        Key = "key",
    }
}

words! {
    /// What a run can be chosen by, by being above or below a number.
    RunMeasure {
        /// Seconds from start to end.
        Took = "took",
        /// Tokens in and out.
        Tokens = "tokens",
        /// US dollars.
        Cost = "cost",
        /// Attempts.
        Attempts = "attempts",
        /// Attempts beyond the first of their step.
        Retries = "retries",
        /// Steps.
        Steps = "steps",
        /// Acts.
        Acts = "acts",
        /// Attempts that ended in an error.
        Errors = "errors",
        /// Acts that are confirmed.
        Confirmed = "confirmed",
        /// Acts that failed.
        Failed = "failed",
        /// Acts that are unknown.
        Unknown = "unknown",
        /// Acts that are submitted.
        Submitted = "submitted",
    }
}

/// Values of one field: one of the first is wanted, where there are any; none of the second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Wanted.
    pub any_of: Vec<String>,
    /// Unwanted.
    pub none_of: Vec<String>,
}

/// Numbers that a measure must be above or below, themselves excluded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bound {
    /// Above this.
    pub above: Option<f64>,
    /// Below this.
    pub below: Option<f64>,
}

/// Which runs. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFilter {
    /// Words that must all be found in names, ids, agent, tools, models, entities or the verdict, in any
    /// case.
    pub words: Vec<String>,
    /// Words that must not.
    pub words_none: Vec<String>,
    /// Started at this time or later, nanoseconds since 1970 (received, where the client's clock lies).
    pub from_ns: Option<u64>,
    /// Started before this time.
    pub to_ns: Option<u64>,
    /// By exact values.
    pub fields: BTreeMap<RunField, Choice>,
    /// By numbers.
    pub bounds: BTreeMap<RunMeasure, Bound>,
    /// What tokens cost, for runs whose cost is not given.
    pub prices: Prices,
    /// By what stands in their records and bodies.
    pub texts: TextFilter,
}

impl RunFilter {
    /// With this value among the wanted ones.
    #[must_use]
    pub fn with(mut self, field: RunField, value: impl Into<String>) -> Self {
        self.fields.entry(field).or_default().any_of.push(value.into());
        self
    }

    /// With this value among the unwanted ones.
    #[must_use]
    pub fn without(mut self, field: RunField, value: impl Into<String>) -> Self {
        self.fields.entry(field).or_default().none_of.push(value.into());
        self
    }

    /// The statement with its `$filter` and the expressions it shares with it.
    pub(in crate::store) fn sql(&self, sql: &str) -> String {
        sql.replace("$filter", SQL.trim_end())
            .replace("$texts", &self.texts.of_runs())
            .replace("$outcome_now", OUTCOME_NOW)
            .replace("$state_now", STATE_NOW)
            .replace("$attention", ATTENTION)
            .replace("$measures", MEASURES)
            .replace("$lapsed", LAPSED)
            .replace("$cost", COST)
    }

    /// Binds what [`Self::sql`] names.
    pub(in crate::store) fn bind(&self, read: Read, now_ns: u64) -> Read {
        let from_ns = self.from_ns.unwrap_or_default();
        let mut read = read
            .bind("now_ns", now_ns)
            .bind("from_ns", from_ns)
            .bind("received_from_ns", from_ns.saturating_sub(AHEAD_NS))
            .bind("to_ns", self.to_ns.unwrap_or_default())
            .bind("words", &self.words)
            .bind("words_none", &self.words_none)
            .bind("above", self.limits(|bound| bound.above))
            .bind("below", self.limits(|bound| bound.below));
        read = self.texts.bind(self.bind_prices(read));
        let all = Choice::default();
        for field in RunField::ALL {
            let choice = self.fields.get(field).unwrap_or(&all);
            read = read
                .bind(&format!("{}_any", field.word()), &choice.any_of)
                .bind(&format!("{}_none", field.word()), &choice.none_of);
        }
        read
    }

    fn bind_prices(&self, read: Read) -> Read {
        let windows = self.prices.windows();
        let each = |part: fn(&Price) -> Option<f64>| -> Vec<Option<f64>> {
            windows.iter().map(|window| window.price.and_then(part)).collect()
        };
        let names: Vec<String> = windows.iter().map(|window| pattern(window.model)).collect();
        read.bind("price_names", names)
            .bind("price_from", windows.iter().map(|window| window.from_day).collect::<Vec<_>>())
            .bind("price_until", windows.iter().map(|window| window.until_day).collect::<Vec<_>>())
            .bind("price_inputs", each(|price| Some(price.input)))
            .bind("price_outputs", each(|price| Some(price.output)))
            .bind("price_reads", each(|price| price.cache_read))
            .bind("price_writes", each(|price| price.cache_write))
    }

    /// One number for each measure, or nothing at all when there is none.
    fn limits(&self, side: impl Fn(&Bound) -> Option<f64>) -> Vec<Option<f64>> {
        let limits: Vec<_> =
            RunMeasure::ALL.iter().map(|measure| self.bounds.get(measure).and_then(&side)).collect();
        if limits.iter().all(Option::is_none) { Vec::new() } else { limits }
    }
}

/// A name with `*` as a regular expression.
fn pattern(name: &str) -> String {
    let mut pattern = String::from("(?s)^");
    for c in name.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            c if c.is_ascii_punctuation() => pattern.extend(['\\', c]),
            c => pattern.push(c),
        }
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_in_the_sql() {
        for field in RunField::ALL {
            for side in ["any", "none"] {
                assert!(
                    SQL.contains(&format!("{{{}_{side}:Array(String)}}", field.word())),
                    "{field:?} {side}"
                );
            }
        }
        let measures = MEASURES.matches("toFloat64(").count();
        assert!(measures >= RunMeasure::ALL.len() - 2, "one expression for each measure");
        assert!(STATE_NOW.contains(&crate::domain::fold::SILENCE_NS.to_string()));
        let spelt = RunFilter::default().sql("$filter $outcome_now").replace("$run_in_scope", "true");
        assert!(!spelt.contains('$'));
    }
}
