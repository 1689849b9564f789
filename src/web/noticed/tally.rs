//! How many findings there are, of what kind, and when.
use crate::domain::finding::{Code, Severity};
use crate::store::queries::{FindingCounts, Found};
use crate::web::finding;
use crate::web::format;
use crate::web::noticed::asked::Asked;
use crate::web::text::{Text, shortened};

/// Values of one field that are listed.
const SHOWN: usize = 12;
/// The height of the figure.
const HEIGHT: u64 = 48;
/// Its width.
const WIDTH: u64 = 600;
/// Weeks in the figure.
const WEEKS: usize = 26;

/// One field with the values to choose from.
#[derive(Debug)]
pub(in crate::web) struct Group {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) options: Vec<Choice>,
    /// Such as "7 more"; empty when all are listed.
    pub(in crate::web) more: String,
}

/// One value.
#[derive(Debug)]
pub(in crate::web) struct Choice {
    pub(in crate::web) name: Text,
    pub(in crate::web) count: String,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// How many findings of a severity.
#[derive(Debug)]
pub(in crate::web) struct Tally {
    pub(in crate::web) count: String,
    pub(in crate::web) name: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// The findings of a week.
#[derive(Debug)]
pub(in crate::web) struct Bar {
    pub(in crate::web) x: u64,
    pub(in crate::web) y: u64,
    pub(in crate::web) width: u64,
    pub(in crate::web) height: u64,
}

/// The groups to choose from. `by_code` is counted without the codes that are chosen.
pub(in crate::web) fn groups(asked: &Asked, counts: &FindingCounts, by_code: &FindingCounts) -> Vec<Group> {
    let mut codes: Vec<(&Code, &Found)> = by_code.codes.iter().collect();
    codes
        .sort_by_key(|(code, found)| (std::cmp::Reverse(code.severity()), std::cmp::Reverse(found.findings)));
    let codes: Vec<(String, String, u64)> = codes
        .into_iter()
        .map(|(code, found)| (code.word().to_owned(), finding::title(*code).to_owned(), found.findings))
        .collect();
    let plain = |values: &[(String, Found)]| -> Vec<(String, String, u64)> {
        values.iter().map(|(value, found)| (value.clone(), value.clone(), found.findings)).collect()
    };
    let weeks: Vec<(String, String, u64)> = counts
        .weeks
        .iter()
        .rev()
        .map(|(week, found)| (week.clone(), format!("Week of {week}"), found.findings))
        .collect();
    [
        group(asked, ("Finding", "code", Code::ALL.len()), codes),
        group(asked, ("Agent", "agent", SHOWN), plain(&counts.agents)),
        group(asked, ("Tool", "tool", SHOWN), plain(&counts.tools)),
        group(asked, ("Week", "week", SHOWN), weeks),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A group of values, each with its name and count.
fn group(
    asked: &Asked,
    (name, parameter, shown): (&'static str, &'static str, usize),
    values: Vec<(String, String, u64)>,
) -> Option<Group> {
    let rest = values.len().saturating_sub(shown);
    let options: Vec<Choice> = values
        .into_iter()
        .take(shown)
        .map(|(value, name, count)| {
            let on = asked.word(parameter) == Some(value.as_str());
            Choice {
                name: Text::new(shortened(&name, 60)),
                count: format::count(count),
                href: asked.with(parameter, (!on).then_some(value.as_str())),
                on,
            }
        })
        .collect();
    let more = if rest > 0 { format!("{} more", format::number(rest)) } else { String::new() };
    (!options.is_empty()).then_some(Group { name, options, more })
}

/// How many of each severity, each a link that chooses it.
pub(in crate::web) fn tallies(asked: &Asked, counts: &FindingCounts) -> Vec<Tally> {
    let sum = |wanted: Option<Severity>| {
        let codes = counts.codes.iter().filter(|(code, _)| wanted.is_none_or(|w| w == code.severity()));
        format::count(codes.map(|(_, found)| found.findings).sum::<u64>())
    };
    let mut tallies = vec![Tally {
        count: sum(None),
        name: "All findings",
        href: asked.with("severity", None),
        on: asked.severity.is_none(),
    }];
    tallies.extend([Severity::Danger, Severity::Warn, Severity::Info].map(|severity| Tally {
        count: sum(Some(severity)),
        name: finding::severity(severity),
        href: asked.with("severity", Some(severity.word())),
        on: asked.severity == Some(severity),
    }));
    tallies
}

/// One bar a week, the latest on the right, and the same in words.
pub(in crate::web) fn weeks(counts: &FindingCounts) -> (Vec<Bar>, String) {
    let weeks: Vec<(&String, u64)> =
        counts.weeks.iter().rev().take(WEEKS).map(|(week, found)| (week, found.findings)).collect();
    let most = weeks.iter().map(|(_, findings)| *findings).max().unwrap_or_default().max(1);
    let step = WIDTH / format::length(WEEKS);
    let bars = weeks.iter().enumerate().map(|(at, (_, findings))| {
        let height = (findings * (HEIGHT - 4)).div_ceil(most).max(1);
        let x = WIDTH - step * (format::length(at) + 1);
        Bar { x, y: HEIGHT - height, width: step - 3, height }
    });
    let said = weeks.iter().rev().map(|(week, findings)| format!("{findings} in the week of {week}"));
    (bars.collect(), said.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::params::Params;

    #[test]
    fn weeks_fit_their_figure() {
        let mut counts = FindingCounts::default();
        for week in 0..40_u64 {
            counts.weeks.insert(format!("2026-{week:04}"), Found { findings: week * week + 1, runs: 1 });
        }
        let (bars, said) = weeks(&counts);
        assert_eq!(bars.len(), WEEKS);
        assert!(bars.iter().all(|bar| bar.x + bar.width <= WIDTH && bar.y + bar.height == HEIGHT));
        assert!(said.ends_with("1522 in the week of 2026-0039"), "{said}");
        assert!(weeks(&FindingCounts::default()).0.is_empty());
    }

    #[test]
    fn a_chosen_value_is_taken_back_by_its_own_link() {
        let asked = Asked::read(&Params::read("tool=mail"), &[]).unwrap();
        let counts = FindingCounts {
            tools: vec![("mail".to_owned(), Found { findings: 2, runs: 1 })],
            ..FindingCounts::default()
        };
        let groups = groups(&asked, &counts, &counts);
        assert_eq!(groups.len(), 1);
        assert!(groups[0].options[0].on);
        assert_eq!(groups[0].options[0].href, "?");
    }
}
