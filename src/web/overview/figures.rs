//! The figures of the overview: a few questions to the store at once, put side by side by bin and by name.
use std::collections::BTreeMap;

use crate::domain::price::Prices;
use crate::domain::scope::Scope;
use crate::store::queries::{
    Names, ParameterSet, RunFacets, UnknownSum, WorkSum, overview_parameters, overview_runs,
    overview_unknowns, overview_usage, overview_work,
};
use crate::store::{RunFilter, Store, StoreError, Stretch};
use crate::web::overview::asked::Asked;
use crate::web::overview::bins;
use crate::web::query::Field;

const HOUR: u64 = 3_600_000_000_000;
/// The ages of unknowns that are told apart, as the queue offers them: the word, its name, and how long.
pub(in crate::web) const AGES: [(&str, &str, u64); 4] = [
    ("1h", "1 hour or more", HOUR),
    ("1d", "1 day or more", 24 * HOUR),
    ("7d", "7 days or more", 7 * 24 * HOUR),
    ("30d", "30 days or more", 30 * 24 * HOUR),
];
/// Names that have a row of bars of their own; the others share one.
const ROWS_MAX: usize = 8;

/// The figures.
#[derive(Debug, Default)]
pub(in crate::web) struct Figures {
    /// The time that was looked at.
    pub(in crate::web) stretch: Stretch,
    /// What happened in each bin.
    pub(in crate::web) bins: Vec<Bin>,
    /// The tools, the most used first.
    pub(in crate::web) tools: Vec<WorkSum>,
    /// The models, likewise.
    pub(in crate::web) models: Vec<WorkSum>,
    /// Attempts by model over time.
    pub(in crate::web) model_rows: Vec<Series>,
    /// Attempts that met a 429, by tool and model over time.
    pub(in crate::web) throttle_rows: Vec<Series>,
    /// The parameters that models were called with.
    pub(in crate::web) parameters: Vec<ParameterSet>,
    /// What the calls of each model cost, as far as that is known.
    pub(in crate::web) cost_of: BTreeMap<String, f64>,
    /// Open unknowns, whenever their run began.
    pub(in crate::web) unknowns: Vec<UnknownSum>,
    /// Runs whose line says nothing of their tools and models.
    pub(in crate::web) unfolded: u64,
}

/// What happened in a stretch of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Bin {
    pub(in crate::web) runs: u64,
    pub(in crate::web) tools: WorkSum,
    pub(in crate::web) models: WorkSum,
    /// Input and output tokens, of calls and of containers that stand for theirs.
    pub(in crate::web) tokens: (Option<u64>, Option<u64>),
    /// US dollars, as far as that is known.
    pub(in crate::web) cost_usd: Option<f64>,
    /// Some of its model calls cost an unknown sum.
    pub(in crate::web) cost_is_partial: bool,
}

/// A number for each bin, under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Series {
    /// `tool` or `model`.
    pub(in crate::web) class: String,
    /// `None` for all others together.
    pub(in crate::web) name: Option<String>,
    pub(in crate::web) counts: Vec<u64>,
}

/// The time that the charts show: as asked for, else that of the runs there are.
pub(in crate::web) fn stretch(asked: &Asked, facets: &RunFacets, now_ns: u64) -> Stretch {
    let last = if facets.runs == 0 { now_ns } else { facets.last_ns };
    let to = asked.to_ns.map_or(now_ns.max(last).saturating_add(1), |to| to.min(now_ns.max(last) + 1));
    let from = asked.from_ns.unwrap_or(if facets.runs == 0 { now_ns } else { facets.first_ns });
    bins::cut(from.min(to.saturating_sub(1)), to)
}

/// Asks the store. `filter` is the question's, widened and with prices.
pub(in crate::web) async fn figures(
    store: &Store,
    scope: &Scope,
    (asked, filter): (&Asked, &RunFilter),
    stretch: Stretch,
    now_ns: u64,
) -> Result<Figures, StoreError> {
    let all = Stretch { width_ns: stretch.end_ns() - stretch.start_ns, bins: 1, ..stretch };
    let any_time = RunFilter { from_ns: None, to_ns: None, ..filter.clone() };
    let before: Vec<u64> = AGES.iter().map(|(.., long)| now_ns.saturating_sub(*long)).collect();
    let (by_name, runs, parameters, usage, unknowns) = tokio::try_join!(
        overview_work(store, scope, filter, (all, Names::Every), now_ns),
        overview_runs(store, scope, filter, stretch, now_ns),
        overview_parameters(store, scope, filter, stretch, now_ns),
        overview_usage(store, scope, filter, stretch, now_ns),
        overview_unknowns(store, scope, (&any_time, !asked.chooses_runs()), &before, now_ns),
    )?;
    let rows = Rows::of(&by_name);
    let over_time = overview_work(store, scope, filter, (stretch, Names::These(&[])), now_ns);
    let in_rows = async {
        match rows.names.is_empty() {
            true => Ok(Vec::new()),
            false => overview_work(store, scope, filter, (stretch, Names::These(&rows.names)), now_ns).await,
        }
    };
    let (over_time, in_rows) = futures_util::future::try_join(over_time, in_rows).await?;
    let mut figures = Figures { stretch, parameters, unknowns, ..Figures::default() };
    figures.bins = vec![Bin::default(); usize::from(stretch.bins)];
    for sum in runs {
        figures.unfolded += sum.unfolded;
        let bin = usize::try_from(sum.bin).ok().and_then(|bin| figures.bins.get_mut(bin));
        if let Some(bin) = bin {
            (bin.runs, bin.cost_is_partial) = (sum.runs, sum.untold > 0);
        }
    }
    figures.add_work(over_time, !asked.names(Field::Model));
    figures.add_names(by_name);
    figures.add_usage(&usage, &filter.prices);
    figures.model_rows = rows.series("model", &in_rows, figures.bins.len(), |sum| sum.attempts);
    figures.throttle_rows = rows.series("", &in_rows, figures.bins.len(), |sum| sum.throttled);
    Ok(figures)
}

impl Figures {
    /// The sum of something over all bins.
    pub(in crate::web) fn sum(&self, of: impl Fn(&Bin) -> u64) -> u64 {
        self.bins.iter().map(of).sum()
    }

    /// The sum of something that may not be known; `None` when it is known of none.
    pub(in crate::web) fn told(&self, of: impl Fn(&Bin) -> Option<u64>) -> Option<u64> {
        self.bins.iter().filter_map(of).reduce(u64::saturating_add)
    }

    /// What all of it cost, as far as that is known.
    pub(in crate::web) fn cost_usd(&self) -> Option<f64> {
        self.bins.iter().filter_map(|bin| bin.cost_usd).reduce(|a, b| a + b)
    }

    /// Whether some model calls cost an unknown sum.
    pub(in crate::web) fn cost_is_partial(&self) -> bool {
        self.bins.iter().any(|bin| bin.cost_is_partial)
    }

    fn add_work(&mut self, sums: Vec<WorkSum>, with_containers: bool) {
        for sum in sums {
            let Some(bin) = self.bins.get_mut(sum.bin) else { continue };
            if sum.class != "container" || with_containers {
                add(&mut bin.tokens.0, sum.tokens_in);
                add(&mut bin.tokens.1, sum.tokens_out);
            }
            match sum.class.as_str() {
                "tool" => bin.tools = sum,
                "model" => {
                    bin.cost_usd = sum.cost_usd;
                    bin.models = sum;
                }
                _ => {}
            }
        }
    }

    fn add_names(&mut self, sums: Vec<WorkSum>) {
        for sum in sums {
            match (sum.class.as_str(), &sum.name) {
                ("tool", Some(_)) => self.tools.push(sum),
                ("model", Some(name)) => {
                    if let Some(usd) = sum.cost_usd {
                        *self.cost_of.entry(name.clone()).or_default() += usd;
                    }
                    self.models.push(sum);
                }
                _ => {}
            }
        }
    }

    fn add_usage(&mut self, usage: &[(usize, crate::domain::cost::Usage)], prices: &Prices) {
        for (bin, used) in usage {
            let Some(bin) = self.bins.get_mut(*bin) else { continue };
            match prices.usd(used) {
                Some(usd) => {
                    *self.cost_of.entry(used.model.clone()).or_default() += usd;
                    bin.cost_usd = Some(bin.cost_usd.unwrap_or_default() + usd);
                }
                None => bin.cost_is_partial = true,
            }
        }
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or_default().saturating_add(more));
    }
}

/// Which names have a row of bars of their own.
#[derive(Debug, Default)]
struct Rows {
    /// Each `class:name`, as the store is asked for them.
    names: Vec<String>,
    models: Vec<(String, String)>,
    throttled: Vec<(String, String)>,
}

impl Rows {
    fn of(by_name: &[WorkSum]) -> Self {
        let place = |sum: &WorkSum| Some((sum.class.clone(), sum.name.clone()?));
        let models =
            by_name.iter().filter(|sum| sum.class == "model").filter_map(place).take(ROWS_MAX).collect();
        let mut met: Vec<&WorkSum> = by_name.iter().filter(|sum| sum.throttled > 0).collect();
        met.sort_by_key(|sum| std::cmp::Reverse(sum.throttled));
        let throttled: Vec<_> = met.into_iter().filter_map(place).take(ROWS_MAX).collect();
        let mut rows = Self { names: Vec::new(), models, throttled };
        for (class, name) in rows.models.iter().chain(&rows.throttled) {
            let name = format!("{class}:{name}");
            if !rows.names.contains(&name) {
                rows.names.push(name);
            }
        }
        rows
    }

    /// The rows of a class, or of those that met a 429 where none is named; what has no row is added up.
    fn series(&self, class: &str, sums: &[WorkSum], bins: usize, count: fn(&WorkSum) -> u64) -> Vec<Series> {
        let own = if class.is_empty() { &self.throttled } else { &self.models };
        let blank = |class: &str, name: Option<&String>| Series {
            class: class.to_owned(),
            name: name.cloned(),
            counts: vec![0; bins],
        };
        let mut series: Vec<Series> = own.iter().map(|(class, name)| blank(class, Some(name))).collect();
        let mut others = blank(class, None);
        for sum in sums.iter().filter(|sum| class.is_empty() || sum.class == class) {
            let at =
                own.iter().position(|(class, name)| *class == sum.class && Some(name) == sum.name.as_ref());
            let row = at.and_then(|at| series.get_mut(at)).unwrap_or(&mut others);
            if let Some(bin) = row.counts.get_mut(sum.bin) {
                *bin += count(sum);
            }
        }
        if others.counts.iter().any(|count| *count > 0) {
            series.push(others);
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(bin: usize, class: &str, name: Option<&str>, (attempts, throttled): (u64, u64)) -> WorkSum {
        let (class, name) = (class.to_owned(), name.map(str::to_owned));
        WorkSum { bin, class, name, attempts, throttled, ..WorkSum::default() }
    }

    #[test]
    fn what_has_no_row_of_its_own_is_added_up_and_nothing_is_lost() {
        let mut by_name: Vec<WorkSum> =
            (0..12).map(|n| sum(0, "model", Some(&format!("m{n}")), (20 - n, 0))).collect();
        by_name.push(sum(0, "tool", Some("m1"), (5, 3)));
        let rows = Rows::of(&by_name);
        assert_eq!((rows.models.len(), rows.throttled.len(), rows.names.len()), (8, 1, 9));
        let binned = [
            sum(0, "model", Some("m1"), (4, 0)),
            sum(1, "model", Some("m1"), (15, 0)),
            sum(1, "model", None, (30, 0)),
            sum(1, "tool", Some("m1"), (5, 3)),
        ];
        let models = rows.series("model", &binned, 2, |sum| sum.attempts);
        assert_eq!(models[1].counts, [4, 15]);
        assert_eq!(
            (models.last().unwrap().name.as_ref(), &models.last().unwrap().counts),
            (None, &vec![0, 30])
        );
        let met = rows.series("", &binned, 2, |sum| sum.throttled);
        assert_eq!((met.len(), met[0].class.as_str(), &met[0].counts), (1, "tool", &vec![0, 3]));
    }
}
