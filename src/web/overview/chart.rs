//! A chart: rows of bars over time, or a table that draws its numbers; each with its numbers as a table, and
//! as CSV. Lengths are whole numbers and per cents, rounded here.
use crate::domain::cost::rounded;
use crate::store::Stretch;
use crate::web::export::csv::csv_line;
use crate::web::format;
use crate::web::text::Text;

/// Width of a bin and height of a row of bars, in units of its drawing.
pub(in crate::web) const BIN_WIDE: u64 = 10;
const ROW_HIGH: u64 = 32;
const DAY: u64 = 86_400_000_000_000;

/// A chart.
#[derive(Debug, Default)]
pub(in crate::web) struct Chart {
    /// Its name in addresses.
    pub(in crate::web) key: &'static str,
    pub(in crate::web) title: &'static str,
    /// What is counted, in a sentence.
    pub(in crate::web) says: String,
    /// Rows of bars over time; none where the table itself draws.
    pub(in crate::web) rows: Vec<BarRow>,
    /// Times under the bars.
    pub(in crate::web) axis: Vec<String>,
    pub(in crate::web) table: Table,
    /// What to say in its place when there is nothing to show.
    pub(in crate::web) nothing: &'static str,
}

/// The numbers of a chart.
#[derive(Debug, Default)]
pub(in crate::web) struct Table {
    pub(in crate::web) heads: Vec<Head>,
    pub(in crate::web) lines: Vec<Line>,
    /// Such as "Times without any are left out."
    pub(in crate::web) remark: String,
}

/// The head of a column.
#[derive(Debug, Clone)]
pub(in crate::web) struct Head {
    pub(in crate::web) name: Text,
    /// As it is called in CSV.
    pub(in crate::web) csv: String,
    pub(in crate::web) is_number: bool,
}

/// A row of the table.
#[derive(Debug, Default)]
pub(in crate::web) struct Line {
    pub(in crate::web) cells: Vec<Cell>,
    /// All zeros: in CSV, and left out on the page.
    pub(in crate::web) is_empty: bool,
}

/// A number or a name.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Cell {
    pub(in crate::web) shown: Text,
    /// As it stands in CSV: a bare number, a whole time.
    pub(in crate::web) csv: String,
    pub(in crate::web) href: Option<String>,
    pub(in crate::web) drawn: Option<Drawn>,
    pub(in crate::web) is_number: bool,
    /// It stands in CSV only.
    pub(in crate::web) is_hidden: bool,
}

/// A number as a drawing beside itself. Per cents are digits and a dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Drawn {
    /// A bar of this part of the whole.
    Share(String),
    /// A line from the median to the 99th percentile, with a mark at the 90th.
    Spread { p50: String, p90: String, p99: String, long: String },
}

/// A row of bars over time.
#[derive(Debug, Default)]
pub(in crate::web) struct BarRow {
    pub(in crate::web) name: Text,
    /// The state whose glyph and look it has; empty for none.
    pub(in crate::web) state: &'static str,
    /// All of it.
    pub(in crate::web) total: String,
    pub(in crate::web) href: Option<String>,
    /// The same row in words.
    pub(in crate::web) label: String,
    pub(in crate::web) bars: Vec<Bar>,
}

/// A bar: whole numbers only.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct Bar {
    pub(in crate::web) x: u64,
    pub(in crate::web) y: u64,
    pub(in crate::web) high: u64,
}

impl Chart {
    /// Whether there is nothing to show.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.table.lines.iter().all(|line| line.is_empty)
    }

    /// As CSV, every bin in it.
    pub(in crate::web) fn csv(&self) -> String {
        let heads = csv_line(self.table.heads.iter().map(|head| head.csv.clone()));
        let lines =
            self.table.lines.iter().map(|line| csv_line(line.cells.iter().map(|cell| cell.csv.clone())));
        std::iter::once(heads).chain(lines).collect()
    }
}

impl Head {
    /// Of numbers.
    pub(in crate::web) fn number(name: impl Into<String>, csv: impl Into<String>) -> Self {
        Self { name: Text::new(name), csv: csv.into(), is_number: true }
    }

    /// Of words.
    pub(in crate::web) fn word(name: &'static str, csv: &'static str) -> Self {
        Self { name: Text::new(name), csv: csv.to_owned(), is_number: false }
    }
}

impl Cell {
    /// Words.
    pub(in crate::web) fn word(shown: impl Into<String>) -> Self {
        let shown = shown.into();
        Self { csv: shown.clone(), shown: Text::new(shown), ..Self::default() }
    }

    /// A count; it leads somewhere unless it is zero.
    pub(in crate::web) fn count(number: u64, href: impl FnOnce() -> String) -> Self {
        Self {
            shown: Text::new(format::count(number)),
            csv: number.to_string(),
            href: (number > 0).then(href),
            is_number: true,
            ..Self::default()
        }
    }

    /// A count that may not be known.
    pub(in crate::web) fn told(number: Option<u64>, href: impl FnOnce() -> String) -> Self {
        number.map_or_else(Self::untold, |number| Self::count(number, href))
    }

    /// Nobody told it.
    pub(in crate::web) fn untold() -> Self {
        Self { shown: Text::new("–"), is_number: true, ..Self::default() }
    }

    /// How long something took; in milliseconds in CSV.
    pub(in crate::web) fn took(us: u64) -> Self {
        let shown = Text::new(format::duration(us.saturating_mul(1_000)));
        let csv = format!("{}.{:03}", us / 1_000, us % 1_000);
        Self { shown, csv, is_number: true, ..Self::default() }
    }

    /// What something cost.
    pub(in crate::web) fn dollars(usd: Option<f64>, href: impl FnOnce() -> String) -> Self {
        let Some(usd) = usd else { return Self::untold() };
        Self {
            shown: Text::new(format::dollars(usd)),
            csv: rounded(usd).to_string(),
            href: Some(href()),
            is_number: true,
            ..Self::default()
        }
    }

    /// A part of a whole, drawn as a bar; nothing of nothing is no share.
    pub(in crate::web) fn share(part: u64, whole: u64) -> Self {
        if whole == 0 {
            return Self::untold();
        }
        Self {
            shown: Text::new(share(part, whole)),
            csv: ratio(part, whole),
            drawn: Some(Drawn::Share(format::percent(part, whole))),
            is_number: true,
            ..Self::default()
        }
    }
}

/// A part of a whole in words: whole per cents, and never "0%" or "100%" for what is neither.
pub(in crate::web) fn share(part: u64, whole: u64) -> String {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    let rounded = (part * 200 + whole) / (whole * 2);
    match rounded {
        0 if part > 0 => "<1%".to_owned(),
        100 if part < whole => ">99%".to_owned(),
        rounded => format!("{rounded}%"),
    }
}

/// A part of a whole with four decimals.
fn ratio(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let parts = (u128::from(part) * 20_000 + whole) / (whole * 2);
    format!("{}.{:04}", parts / 10_000, parts % 10_000)
}

/// Bars of numbers, the highest as high as `most`; whatever is not zero is seen.
pub(in crate::web) fn bars(numbers: &[u64], most: u64) -> Vec<Bar> {
    let bar = |(at, number): (usize, &u64)| {
        let high = u128::from(*number) * u128::from(ROW_HIGH) / u128::from(most.max(1));
        let high = u64::try_from(high).unwrap_or(ROW_HIGH).clamp(2, ROW_HIGH);
        let x = format::length(at) * BIN_WIDE + 1;
        (*number > 0).then_some(Bar { x, y: ROW_HIGH - high, high })
    };
    numbers.iter().enumerate().filter_map(bar).collect()
}

/// A bin in words: when it begins.
pub(in crate::web) fn bin_name(stretch: &Stretch, bin: usize) -> String {
    let at = stretch.edge_ns(bin);
    if stretch.width_ns >= DAY {
        format::day(at, 0)
    } else {
        // Without its year, but at the turn of one.
        format!("{}, {}", format::day(at, at + DAY), format::minute(at))
    }
}

/// The two cells that say which bin a line is about.
pub(in crate::web) fn bin_cells(stretch: &Stretch, bin: usize) -> [Cell; 2] {
    let begins = format::rfc3339(stretch.edge_ns(bin));
    let name = Cell { shown: Text::new(bin_name(stretch, bin)), csv: begins, ..Cell::default() };
    let csv = format::rfc3339(stretch.edge_ns(bin + 1));
    let ends = Cell { csv, is_hidden: true, ..Cell::default() };
    [name, ends]
}

/// Five times under the bars.
pub(in crate::web) fn axis(stretch: &Stretch) -> Vec<String> {
    let length = stretch.end_ns() - stretch.start_ns;
    let at = |part: u64| stretch.start_ns + length / 4 * part;
    let label = |ns: u64| match length > 2 * DAY {
        true if length < 330 * DAY => format::day(ns, ns + DAY),
        true => format::day(ns, 0),
        false => format!("{} {}", format::day(ns, stretch.end_ns()), format::minute(ns)).trim().to_owned(),
    };
    (0..5).map(|part| label(at(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_not_zero_is_seen_and_nothing_leaves_its_row() {
        let bars = bars(&[0, 1, 1_000, u64::MAX], u64::MAX);
        assert_eq!(bars.len(), 3);
        assert_eq!(bars.first(), Some(&Bar { x: 11, y: 30, high: 2 }));
        assert_eq!(bars.last(), Some(&Bar { x: 31, y: 0, high: 32 }));
        assert!(bars.iter().all(|bar| bar.y + bar.high == ROW_HIGH));
        assert!(super::bars(&[0, 0], 0).is_empty());
    }

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        for (part, whole, said, written) in [
            (0, 3, "0%", "0.0000"),
            (1, 3, "33%", "0.3333"),
            (2, 3, "67%", "0.6667"),
            (3, 3, "100%", "1.0000"),
            (1, 1_000, "<1%", "0.0010"),
            (999, 1_000, ">99%", "0.9990"),
            (u64::MAX, u64::MAX, "100%", "1.0000"),
        ] {
            assert_eq!((share(part, whole).as_str(), ratio(part, whole).as_str()), (said, written));
        }
        assert_eq!(Cell::share(0, 0).shown.as_str(), "–");
    }

    #[test]
    fn csv_has_bare_numbers_and_runs_no_formula() {
        let chart = Chart {
            table: Table {
                heads: vec![Head::word("Tool", "tool"), Head::number("Steps", "steps")],
                lines: vec![Line {
                    cells: vec![Cell::word("=1+1"), Cell::count(1_200, String::new)],
                    is_empty: false,
                }],
                ..Table::default()
            },
            ..Chart::default()
        };
        assert_eq!(chart.csv(), "tool,steps\r\n\"'=1+1\",1200\r\n");
        assert_eq!(Cell::took(1_002_345).csv, "1002.345");
    }
}
