//! Charts over time: rows of bars that share a scale, each with its name, its number and its glyph.
use crate::domain::outcome::Outcome;
use crate::store::queries::WorkSum;
use crate::web::format;
use crate::web::overview::chart::{BarRow, Cell, Chart, Head, Line, Table, axis, bars, bin_cells, bin_name};
use crate::web::overview::figures::{Bin, Figures, Series};
use crate::web::overview::leads::{Leads, more_than_none};
use crate::web::query::{Field, Test};
use crate::web::text::{Text, shortened};

/// What the numbers of a row are, and so how they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Count,
    /// Millionths of a dollar.
    MicroDollars,
    Microseconds,
}

/// One row: a number for each bin; `None` where it is not known.
struct Row {
    name: String,
    csv: String,
    state: &'static str,
    unit: Unit,
    numbers: Vec<Option<u64>>,
    /// All of it; `None` where numbers can't be added up.
    total: Option<u64>,
    leads: Option<Vec<Test>>,
}

impl Row {
    fn counts(name: &str, csv: &str, numbers: Vec<Option<u64>>, leads: Vec<Test>) -> Self {
        Self {
            total: numbers.iter().flatten().copied().reduce(u64::saturating_add),
            name: name.to_owned(),
            csv: csv.to_owned(),
            state: "",
            unit: Unit::Count,
            numbers,
            leads: Some(leads),
        }
    }

    fn most(&self) -> u64 {
        self.numbers.iter().flatten().copied().max().unwrap_or_default()
    }
}

/// Acts by their outcome.
pub(in crate::web) fn acts(figures: &Figures, leads: &Leads) -> Chart {
    let row = |outcome: Outcome, field: Field, of: fn(&WorkSum) -> u64| Row {
        state: outcome.word(),
        ..Row::counts(
            named(outcome),
            outcome.word(),
            each(figures, |bin| Some(of(&bin.tools))),
            vec![more_than_none(field)],
        )
    };
    let rows = vec![
        row(Outcome::Confirmed, Field::Confirmed, |sum| sum.confirmed),
        row(Outcome::Failed, Field::Failed, |sum| sum.failed),
        row(Outcome::Unknown, Field::Unknown, |sum| sum.unknown),
        row(Outcome::Submitted, Field::Submitted, |sum| sum.submitted),
    ];
    Chart {
        key: "acts",
        title: "Acts by outcome",
        says: "Each act once in its run, however many attempts it took, by what is known of it now."
            .to_owned(),
        nothing: "No acts in this time.",
        ..over_time((figures, leads), rows, Scale::Shared)
    }
}

fn named(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed => "Confirmed",
        Outcome::Failed => "Failed",
        Outcome::Unknown => "Unknown",
        Outcome::Submitted => "Submitted",
    }
}

/// Steps that were tried again, and how many of them went well.
pub(in crate::web) fn retries(figures: &Figures, leads: &Leads) -> Chart {
    let retry = || vec![Test::Is(Field::Has, "retry".to_owned())];
    let numbers = |of: fn(&WorkSum) -> u64| each(figures, move |bin| Some(of(&bin.tools)));
    Chart {
        key: "retries-over-time",
        title: "Tool steps tried again",
        says: "Steps of tools with more than one attempt, and those of them that went well in the end: \
               confirmed where it is an act, without an error where it is not."
            .to_owned(),
        nothing: "No step of a tool was tried again in this time.",
        ..over_time(
            (figures, leads),
            vec![
                Row::counts("Tried again", "retried_steps", numbers(|sum| sum.retried), retry()),
                Row::counts("Went well then", "recovered_steps", numbers(|sum| sum.recovered), retry()),
            ],
            Scale::Shared,
        )
    }
}

/// Attempts that met a 429.
pub(in crate::web) fn throttled(figures: &Figures, leads: &Leads) -> Chart {
    let throttle = Test::Is(Field::Has, "throttle".to_owned());
    Chart {
        key: "throttled",
        title: "Refused for going too fast (429)",
        says: "Attempts that met a 429, themselves or in a call below them, by tool and model.".to_owned(),
        nothing: "Nothing met a 429 in this time.",
        ..over_time((figures, leads), series(&figures.throttle_rows, &[throttle]), Scale::Shared)
    }
}

/// Attempts of model calls by model.
pub(in crate::web) fn models(figures: &Figures, leads: &Leads) -> Chart {
    Chart {
        key: "models",
        title: "Model calls",
        says: "Attempts of model calls, by the model that answered, else the one that was asked.".to_owned(),
        nothing: "No model was called in this time.",
        ..over_time((figures, leads), series(&figures.model_rows, &[]), Scale::Shared)
    }
}

/// Tokens in and out.
pub(in crate::web) fn tokens(figures: &Figures, leads: &Leads) -> Chart {
    let lead = || vec![more_than_none(Field::Tokens)];
    Chart {
        key: "tokens",
        title: "Tokens",
        says: "As model calls report them. What an agent's own span repeats of its calls is not added."
            .to_owned(),
        nothing: "No tokens were told in this time.",
        ..over_time(
            (figures, leads),
            vec![
                Row::counts("Input", "input_tokens", each(figures, |bin| bin.tokens.0), lead()),
                Row::counts("Output", "output_tokens", each(figures, |bin| bin.tokens.1), lead()),
            ],
            Scale::Own,
        )
    }
}

/// What model calls cost.
pub(in crate::web) fn cost(figures: &Figures, leads: &Leads) -> Chart {
    let partial =
        if figures.cost_is_partial() { " Some calls cost an unknown sum: it is at least this." } else { "" };
    let numbers = each(figures, |bin| bin.cost_usd.map(micro));
    let row = Row {
        unit: Unit::MicroDollars,
        total: figures.cost_usd().map(micro),
        ..Row::counts("Cost", "cost_usd", numbers, vec![more_than_none(Field::Cost)])
    };
    Chart {
        key: "cost",
        title: "Cost",
        says: format!("As runtimes give it, else from your prices, in US dollars.{partial}"),
        nothing: "No cost is known in this time.",
        ..over_time((figures, leads), vec![row], Scale::Shared)
    }
}

/// How long calls took.
pub(in crate::web) fn latency(figures: &Figures, leads: &Leads) -> Chart {
    let row = |name: &str, csv: &str, of: fn(&Bin) -> Option<u64>| Row {
        unit: Unit::Microseconds,
        total: None,
        leads: None,
        ..Row::counts(name, csv, each(figures, of), Vec::new())
    };
    Chart {
        key: "latency-over-time",
        title: "How long calls took, over time",
        says: "The median and the 90th percentile of the attempts that were sent and ended.".to_owned(),
        nothing: "No call of this time has a length that is known.",
        ..over_time(
            (figures, leads),
            vec![
                row("Tools, median", "tools_p50_ms", |bin| Some(bin.tools.took?.p50_us)),
                row("Tools, 90th percentile", "tools_p90_ms", |bin| Some(bin.tools.took?.p90_us)),
                row("Models, median", "models_p50_ms", |bin| Some(bin.models.took?.p50_us)),
                row("Models, 90th percentile", "models_p90_ms", |bin| Some(bin.models.took?.p90_us)),
            ],
            Scale::Pairs,
        )
    }
}

fn each(figures: &Figures, of: impl Fn(&Bin) -> Option<u64>) -> Vec<Option<u64>> {
    figures.bins.iter().map(of).collect()
}

fn series(series: &[Series], more: &[Test]) -> Vec<Row> {
    let row = |one: &Series| {
        let class = if one.class == "model" { "model" } else { "tool" };
        let field = if class == "model" { Field::Model } else { Field::Tool };
        let (name, csv) = match one.name.as_deref() {
            None => ("All others".to_owned(), "others".to_owned()),
            Some("") => (format!("A {class} without a name"), format!("{class}:")),
            Some(name) => (shortened(name, 60), format!("{class}:{name}")),
        };
        let chosen = one.name.as_ref().filter(|name| !name.is_empty());
        let chosen = chosen.map(|name| Test::Is(field, name.clone()));
        let leads = chosen.into_iter().chain(more.iter().cloned()).collect();
        Row::counts(&name, &csv, one.counts.iter().copied().map(Some).collect(), leads)
    };
    series.iter().map(row).collect()
}

/// Which rows share a scale.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Shared,
    Own,
    Pairs,
}

fn over_time((figures, leads): (&Figures, &Leads), rows: Vec<Row>, scale: Scale) -> Chart {
    let stretch = figures.stretch;
    let most: Vec<u64> = rows.iter().map(Row::most).collect();
    let of = |from: usize, to: usize| most.iter().take(to).skip(from).copied().max().unwrap_or_default();
    let drawn = |(at, row): (usize, &Row)| {
        let most = match scale {
            Scale::Shared => of(0, most.len()),
            Scale::Own => of(at, at + 1),
            Scale::Pairs => of(at - at % 2, at - at % 2 + 2),
        };
        bar_row((figures, leads), row, most)
    };
    let first = [Head::word("From, in UTC", "from"), Head::word("", "to")];
    let heads =
        first.into_iter().chain(rows.iter().map(|row| Head::number(row.name.as_str(), row.csv.as_str())));
    let line = |bin: usize| {
        let numbers = rows.iter().map(|row| row.numbers.get(bin).copied().flatten());
        let is_empty = numbers.clone().all(|number| number.unwrap_or_default() == 0);
        let cells = rows.iter().zip(numbers).map(|(row, number)| cell(row, number, leads, bin));
        Line { cells: bin_cells(&stretch, bin).into_iter().chain(cells).collect(), is_empty }
    };
    Chart {
        rows: rows.iter().enumerate().map(drawn).collect(),
        axis: axis(&stretch),
        table: Table {
            heads: heads.collect(),
            lines: (0..usize::from(stretch.bins)).map(line).collect(),
            remark: "Times without any are left out.".to_owned(),
        },
        ..Chart::default()
    }
}

fn cell(row: &Row, number: Option<u64>, leads: &Leads, bin: usize) -> Cell {
    let lead = || leads.bin(bin, row.leads.as_deref().unwrap_or_default());
    match row.unit {
        Unit::Count => Cell::told(number, lead),
        Unit::Microseconds => number.map_or_else(Cell::untold, Cell::took),
        Unit::MicroDollars => Cell::dollars(number.map(dollars), lead),
    }
}

fn bar_row((figures, leads): (&Figures, &Leads), row: &Row, most: u64) -> BarRow {
    let numbers: Vec<u64> = row.numbers.iter().map(|number| number.unwrap_or_default()).collect();
    let highest = numbers.iter().enumerate().max_by_key(|(at, number)| (**number, usize::MAX - *at));
    let peak = highest.filter(|(_, number)| **number > 0).map(|(bin, number)| {
        format!("at most {}, from {} UTC on", written(row.unit, *number), bin_name(&figures.stretch, bin))
    });
    let total = row.total.map_or_else(
        || if row.unit == Unit::Microseconds { peak_of(row, &numbers) } else { "–".to_owned() },
        |total| written(row.unit, total),
    );
    BarRow {
        label: format!(
            "{}: {}",
            crate::web::text::plain(&row.name),
            peak.unwrap_or_else(|| "none".to_owned())
        ),
        href: row
            .leads
            .as_ref()
            .filter(|_| row.total.is_some_and(|total| total > 0))
            .map(|more| leads.all(more)),
        bars: bars(&numbers, most),
        name: Text::new(row.name.as_str()),
        state: row.state,
        total,
    }
}

/// Numbers that can't be added up are shown by their highest.
fn peak_of(row: &Row, numbers: &[u64]) -> String {
    match numbers.iter().copied().max().filter(|most| *most > 0) {
        Some(most) => format!("up to {}", written(row.unit, most)),
        None => "–".to_owned(),
    }
}

fn written(unit: Unit, number: u64) -> String {
    match unit {
        Unit::Count => format::count(number),
        Unit::MicroDollars => format::dollars(dollars(number)),
        Unit::Microseconds => format::duration(number.saturating_mul(1_000)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of money is drawn, not kept"
)]
fn micro(usd: f64) -> u64 {
    (usd * 1e6).round().max(0.0) as u64
}

#[expect(clippy::cast_precision_loss, reason = "millionths of a dollar are fewer than 2^53")]
fn dollars(micro: u64) -> f64 {
    micro as f64 / 1e6
}
