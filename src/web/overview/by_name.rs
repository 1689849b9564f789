//! Charts by tool and model: tables that draw their numbers.
use crate::domain::fold::OTHERS;
use crate::store::queries::{NAMES_MAX, ParameterSet, Took, WorkSum};
use crate::web::format;
use crate::web::overview::chart::{Cell, Chart, Drawn, Head, Line, Table};
use crate::web::overview::figures::{AGES, Figures};
use crate::web::overview::leads::Leads;
use crate::web::query::{Field, Test};
use crate::web::text::{Text, shortened};

/// Open unknowns by tool and age.
pub(in crate::web) fn unknowns(figures: &Figures, leads: &Leads, now_ns: u64) -> Chart {
    let mut heads = vec![Head::word("Tool", "tool"), Head::number("Open cases", "open")];
    heads.extend(AGES.iter().map(|(word, name, _)| Head::number(*name, format!("older_than_{word}"))));
    heads.push(Head::number("Oldest", "oldest_since"));
    let line = |tool: Option<&str>, open: u64, older: &[u64], oldest_ns: u64| {
        let name = match tool {
            Some(tool) => named(tool, "tool"),
            None => Cell::word("All tools"),
        };
        let mut cells = vec![name, Cell::count(open, || leads.unknowns(tool, None))];
        for ((word, ..), count) in AGES.iter().zip(older) {
            let drawn = Some(Drawn::Share(format::percent(*count, open)));
            cells.push(Cell { drawn, ..Cell::count(*count, || leads.unknowns(tool, Some(word))) });
        }
        cells.push(Cell {
            shown: Text::new(format::duration(now_ns.saturating_sub(oldest_ns))),
            csv: format::rfc3339(oldest_ns),
            is_number: true,
            ..Cell::default()
        });
        Line { cells, is_empty: open == 0 }
    };
    let all = &figures.unknowns;
    let mut lines = Vec::new();
    if all.len() > 1 {
        let older: Vec<u64> = (0..AGES.len())
            .map(|at| all.iter().map(|one| one.older.get(at).copied().unwrap_or_default()).sum())
            .collect();
        let oldest_ns = all.iter().map(|one| one.oldest_ns).min().unwrap_or_default();
        lines.push(line(None, all.iter().map(|one| one.open).sum(), &older, oldest_ns));
    }
    lines.extend(all.iter().map(|one| line(Some(&one.tool_name), one.open, &one.older, one.oldest_ns)));
    Chart {
        key: "unknowns",
        title: "Open unknowns by age",
        says:
            "Cases that nobody has settled, whenever their run began, and how many of them are this old. An \
               act that was sent again without a key has a case for each attempt of which nothing is known, \
               so there can be more cases than acts."
                .to_owned(),
        table: Table { heads, lines, ..Table::default() },
        nothing: "Nothing is unknown now.",
        ..Chart::default()
    }
}

/// How often steps were tried again, by tool.
pub(in crate::web) fn retries(figures: &Figures, leads: &Leads) -> Chart {
    let heads = vec![
        Head::word("Tool", "tool"),
        Head::number("Steps", "steps"),
        Head::number("Tried again", "retried_steps"),
        Head::number("Share of steps", "retry_rate"),
        Head::number("Went well then", "recovered_steps"),
        Head::number("Share of these", "success_after_retry"),
    ];
    let line = |sum: &WorkSum| {
        let name = sum.name.as_deref().unwrap_or_default();
        let tool = || chosen(Field::Tool, name);
        let retry = || [tool(), vec![Test::Is(Field::Has, "retry".to_owned())]].concat();
        Line {
            cells: vec![
                named(name, "tool"),
                Cell::count(sum.steps, || leads.all(&tool())),
                Cell::count(sum.retried, || leads.all(&retry())),
                Cell::share(sum.retried, sum.steps),
                Cell::count(sum.recovered, || leads.all(&retry())),
                Cell::share(sum.recovered, sum.retried),
            ],
            is_empty: false,
        }
    };
    Chart {
        key: "retries",
        title: "Tried again, by tool",
        says: "A step was tried again when it has more than one attempt. It went well when its act is \
               confirmed, or its last attempt ended without an error."
            .to_owned(),
        table: Table {
            heads,
            lines: figures.tools.iter().map(line).collect(),
            remark: most_of(figures.tools.len()),
        },
        nothing: "No tool was called in this time.",
        ..Chart::default()
    }
}

/// What models were used for, with their tokens and cost.
pub(in crate::web) fn models(figures: &Figures, leads: &Leads) -> Chart {
    let heads = vec![
        Head::word("Model", "model"),
        Head::number("Attempts", "attempts"),
        Head::number("Input tokens", "input_tokens"),
        Head::number("Output tokens", "output_tokens"),
        Head::number("Cost", "cost_usd"),
        Head::number("429s", "throttled"),
    ];
    let line = |sum: &WorkSum| {
        let name = sum.name.as_deref().unwrap_or_default();
        let model = || leads.all(&chosen(Field::Model, name));
        let throttle = || {
            let more = vec![Test::Is(Field::Has, "throttle".to_owned())];
            leads.all(&[chosen(Field::Model, name), more].concat())
        };
        Line {
            cells: vec![
                named(name, "model"),
                Cell::count(sum.attempts, model),
                Cell::told(sum.tokens_in, model),
                Cell::told(sum.tokens_out, model),
                Cell::dollars(figures.cost_of.get(name).copied(), model),
                Cell::count(sum.throttled, throttle),
            ],
            is_empty: false,
        }
    };
    Chart {
        key: "model-use",
        title: "Tokens and cost by model",
        says: "Attempts of model calls; tokens as they report them; cost as given, else from your prices. A \
               dash is not known."
            .to_owned(),
        table: Table {
            heads,
            lines: figures.models.iter().map(line).collect(),
            remark: most_of(figures.models.len()),
        },
        nothing: "No model was called in this time.",
        ..Chart::default()
    }
}

/// How long the calls of each tool took.
pub(in crate::web) fn tool_latency(figures: &Figures, leads: &Leads) -> Chart {
    Chart {
        key: "latency-by-tool",
        title: "How long tools took",
        says: LENGTHS.to_owned(),
        nothing: "No call of a tool has a length that is known.",
        ..latency(&figures.tools, Field::Tool, leads)
    }
}

/// How long the calls of each model took.
pub(in crate::web) fn model_latency(figures: &Figures, leads: &Leads) -> Chart {
    Chart {
        key: "latency-by-model",
        title: "How long models took",
        says: LENGTHS.to_owned(),
        nothing: "No model call has a length that is known.",
        ..latency(&figures.models, Field::Model, leads)
    }
}

const LENGTHS: &str = "Of attempts that were sent and ended. The line goes from the median to the 99th \
     percentile, its mark is the 90th. Each is the length of one attempt: nothing is interpolated.";

fn latency(sums: &[WorkSum], field: Field, leads: &Leads) -> Chart {
    let noun = if field == Field::Model { ("Model", "model") } else { ("Tool", "tool") };
    let heads = vec![
        Head::word(noun.0, noun.1),
        Head::number("Attempts", "attempts"),
        Head::number("Median", "p50_ms"),
        Head::number("90th", "p90_ms"),
        Head::number("99th", "p99_ms"),
        Head::number("Longest", "max_ms"),
    ];
    let longest = sums.iter().filter_map(|sum| Some(sum.took?.p99_us)).max().unwrap_or_default();
    let line = |sum: &WorkSum| {
        let took = sum.took?;
        let name = sum.name.as_deref().unwrap_or_default();
        let runs = || leads.all(&chosen(field, name));
        Some(Line {
            cells: vec![
                Cell { drawn: Some(spread(took, longest)), ..named(name, noun.1) },
                Cell::count(took.count, runs),
                Cell::took(took.p50_us),
                Cell::took(took.p90_us),
                Cell::took(took.p99_us),
                Cell::took(took.max_us),
            ],
            is_empty: false,
        })
    };
    let lines = sums.iter().filter_map(line).collect();
    Chart { table: Table { heads, lines, remark: most_of(sums.len()) }, ..Chart::default() }
}

fn spread(took: Took, longest: u64) -> Drawn {
    let at = |us: u64| format::percent(us, longest);
    Drawn::Spread {
        p50: at(took.p50_us),
        p90: at(took.p90_us),
        p99: at(took.p99_us),
        long: format::percent(took.p99_us.saturating_sub(took.p50_us), longest),
    }
}

/// The parameters that models were called with, in the order in which they appeared.
pub(in crate::web) fn parameters(figures: &Figures, leads: &Leads) -> Chart {
    let heads = vec![
        Head::word("Model", "model"),
        Head::word("Parameters", "parameters"),
        Head::word("Changed from the set before", "changed"),
        Head::number("Attempts", "attempts"),
        Head::number("Runs", "runs"),
        Head::word("First seen", "first_seen"),
        Head::word("Last seen", "last_seen"),
    ];
    let mut sets: Vec<&ParameterSet> = figures.parameters.iter().collect();
    sets.sort_by_key(|set| (set.model.as_str(), set.first_ns, set.last_ns, set.parameters.as_slice()));
    let mut before: Option<&ParameterSet> = None;
    let mut lines = Vec::new();
    for set in sets {
        let changed = before.filter(|before| before.model == set.model).map(|before| changes(before, set));
        let lead = || leads.all(&chosen(Field::Model, &set.model));
        lines.push(Line {
            cells: vec![
                named(&set.model, "model"),
                Cell::word(told(&set.parameters)),
                Cell::word(changed.unwrap_or_default()),
                Cell::count(set.attempts, lead),
                Cell::count(set.runs, lead),
                moment(set.first_ns),
                moment(set.last_ns),
            ],
            is_empty: false,
        });
        before = Some(set);
    }
    Chart {
        key: "parameters",
        title: "Parameters of model calls",
        says:
            "Every set of parameters a model was called with, in the order in which they appeared, and what \
               changed. Times are the starts of runs, in UTC."
                .to_owned(),
        table: Table { heads, lines, ..Table::default() },
        nothing: "No model was called in this time.",
        ..Chart::default()
    }
}

fn told(parameters: &[String]) -> String {
    match parameters {
        [] => "none told".to_owned(),
        [only] if only == OTHERS => "further sets, of runs with many".to_owned(),
        parameters => parameters.join(", "),
    }
}

fn moment(ns: u64) -> Cell {
    let shown = format!("{}, {}", format::day(ns, 0), format::minute(ns));
    Cell { shown: Text::new(shown), csv: format::rfc3339(ns), ..Cell::default() }
}

/// What one set of parameters has that another had not: `temperature 0.2 → 0.7`.
fn changes(before: &ParameterSet, after: &ParameterSet) -> String {
    let parts = |set: &'_ ParameterSet| -> Vec<(String, String)> {
        set.parameters
            .iter()
            .filter_map(|one| one.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let (old, new) = (parts(before), parts(after));
    let value = |set: &[(String, String)], name: &str| {
        set.iter().find(|(known, _)| known == name).map_or("not told".to_owned(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> = old.iter().chain(&new).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let changed = names.into_iter().map(|name| (name, value(&old, name), value(&new, name)));
    let changed = changed.filter(|(_, old, new)| old != new);
    changed.map(|(name, old, new)| format!("{name} {old} → {new}")).collect::<Vec<_>>().join(", ")
}

/// A name that somebody else gave, or what to call one that nobody gave.
fn named(name: &str, noun: &str) -> Cell {
    if name.is_empty() {
        return Cell { shown: Text::new(format!("A {noun} without a name")), ..Cell::default() };
    }
    Cell { shown: Text::new(shortened(name, 80)), csv: name.to_owned(), ..Cell::default() }
}

fn chosen(field: Field, name: &str) -> Vec<Test> {
    if name.is_empty() { Vec::new() } else { vec![Test::Is(field, name.to_owned())] }
}

fn most_of(lines: usize) -> String {
    if lines < usize::from(NAMES_MAX) {
        return String::new();
    }
    format!("The {NAMES_MAX} with the most attempts. Numbers over time have all of them.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named_and_nothing_else() {
        let set = |parameters: &[&str]| ParameterSet {
            parameters: parameters.iter().map(|one| (*one).to_owned()).collect(),
            ..ParameterSet::default()
        };
        let before = set(&["max_tokens=9", "temperature=0.2"]);
        assert_eq!(changes(&before, &set(&["max_tokens=9", "temperature=0.7"])), "temperature 0.2 → 0.7");
        assert_eq!(
            changes(&before, &set(&["seed=1", "temperature=0.2"])),
            "max_tokens 9 → not told, seed not told → 1"
        );
        assert_eq!(told(&[]), "none told");
    }

    #[test]
    fn the_longest_line_fills_its_place_and_no_other_leaves_it() {
        let took = Took { count: 3, p50_us: 10, p90_us: 20, p99_us: 40, max_us: 90 };
        let drawn = spread(took, 40);
        let [p50, p90, p99, long] = ["25", "50", "100", "75"].map(str::to_owned);
        assert_eq!(drawn, Drawn::Spread { p50, p90, p99, long });
        assert!(matches!(spread(Took::default(), 0), Drawn::Spread { p99, .. } if p99 == "0"));
    }
}
