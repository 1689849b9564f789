//! Which two things are compared: what the address names, and the addresses that name them.
use crate::domain::ids::SpanId;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::error::WebError;
use crate::web::link::{Links, encoded, segment};
use crate::web::params::Params;
use crate::web::run::bars::attempts;
use crate::web::run::view::{Show, span_id};

/// What `/compare` is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct Asked {
    /// The runs: two, or one twice.
    pub(in crate::web) runs: [String; 2],
    /// The attempts, by span; without them whole runs are compared.
    pub(in crate::web) spans: Option<[SpanId; 2]>,
}

impl Asked {
    /// Reads `run=` (once or twice), `a=` and `b=`; `more` are parameters that only the caller knows.
    ///
    /// # Errors
    /// What is missing or too much, with the remedy.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, WebError> {
        params.only(&[&["run", "a", "b"], more].concat())?;
        let runs: Vec<&str> = params
            .pairs()
            .filter(|(name, value)| *name == "run" && !value.is_empty())
            .map(|(_, run)| run)
            .collect();
        let span = |name: &'static str| -> Result<Option<SpanId>, WebError> {
            let Some(text) = params.get(name) else { return Ok(None) };
            let wrong = || WebError::Field(name, "takes a span id of 16 hexadecimal digits".to_owned());
            span_id(text).ok_or_else(wrong).map(Some)
        };
        let spans = match (span("a")?, span("b")?) {
            (Some(a), Some(b)) => Some([a, b]),
            (None, None) => None,
            (Some(_), None) => {
                return Err(WebError::Field("b", "is missing: the other attempt's span id".to_owned()));
            }
            (None, Some(_)) => {
                return Err(WebError::Field("a", "is missing: the other attempt's span id".to_owned()));
            }
        };
        let runs = match (runs.as_slice(), spans) {
            ([one, other], _) => [(*one).to_owned(), (*other).to_owned()],
            ([one], Some(_)) => [(*one).to_owned(), (*one).to_owned()],
            (few, _) => {
                let said = format!(
                    "takes two runs to compare, and {} named; name it twice, or tick two in the list of runs",
                    match few.len() {
                        0 => "none is".to_owned(),
                        1 => "one is".to_owned(),
                        n => format!("{n} are"),
                    }
                );
                return Err(WebError::Field("run", said));
            }
        };
        Ok(Self { runs, spans })
    }
}

/// The address that compares two attempts of runs.
pub(in crate::web) fn of_steps(links: &Links, runs: [&str; 2], [a, b]: [SpanId; 2]) -> String {
    let [one, other] = runs;
    let second = if one == other { String::new() } else { format!("&run={}", encoded(other)) };
    format!("{}?run={}{second}&a={a}&b={b}", links.to("/compare"), encoded(one))
}

/// The address that compares two attempts of one step, by their numbers.
pub(in crate::web) fn of_attempts(links: &Links, run_id: &str, step: &RunStep, (a, b): (u32, u32)) -> String {
    format!("{}/steps/{}/compare?a={a}&b={b}", links.run(run_id), segment(&step.step_id))
}

/// What an attempt is best compared with: another attempt of its step, else a step like it before it,
/// else one after it. The words say which.
pub(in crate::web) fn nearest(
    links: &Links,
    run: &Run,
    step: &RunStep,
    attempt: &Attempt,
) -> Option<(String, String)> {
    let all: Vec<&Attempt> = attempts(step).collect();
    if all.len() > 1 {
        let at = all.iter().position(|other| std::ptr::eq(*other, attempt))?;
        let other = all.get(if at == 0 { 1 } else { at - 1 })?;
        let pair = (attempt.number.min(other.number), attempt.number.max(other.number));
        let said = format!("Compare with attempt {}", other.number);
        return Some((said, of_attempts(links, &run.run_id, step, pair)));
    }
    let alike = |other: &&RunStep| {
        other.kind == step.kind
            && other.tool == step.tool
            && !std::ptr::eq(*other, step)
            && Show::All.lists(other)
    };
    let at = run.steps.iter().position(|other| std::ptr::eq(other, step))?;
    let (before, after) = run.steps.split_at(at);
    let other = before.iter().rev().find(alike).or_else(|| after.iter().find(alike))?;
    let theirs = attempts(other).next_back()?;
    let mut spans = [(other.number, theirs), (step.number, attempt)];
    spans.sort_by_key(|(number, _)| *number);
    let spans = spans.map(|(_, attempt)| attempt.record.facts.span_id);
    Some((format!("Compare with step {}", other.number), of_steps(links, [&run.run_id, &run.run_id], spans)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let read = |query: &str| Asked::read(&Params::read(query), &[]);
        for (query, says) in [
            ("", "`run` takes two runs to compare, and none is named"),
            ("run=x", "and one is named"),
            ("run=x&run=y&run=z", "and 3 are named"),
            ("run=x&a=zz&b=1", "`a` takes a span id"),
            ("run=x&a=1", "`b` is missing"),
            ("run=x&run=y&steps=2", "`steps` is no parameter"),
        ] {
            let said = read(query).unwrap_err().to_string();
            assert!(said.contains(says), "{query}: {said}");
        }
        let asked = read("run=x&a=1&b=2").unwrap();
        assert_eq!(asked.runs, ["x", "x"]);
        assert_eq!(
            of_steps(&Links::new(""), ["a b", "c"], asked.spans.unwrap()),
            "/compare?run=a%20b&run=c&a=0000000000000001&b=0000000000000002"
        );
    }
}
