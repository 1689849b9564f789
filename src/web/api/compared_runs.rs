//! Two runs held against each other, as the API writes them.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::price::Prices;
use crate::domain::run::Run;
use crate::domain::summary::RunSummary;
use crate::web::api::differences::name_of;
use crate::web::api::summary::Summary;
use crate::web::compare::runs::{Cell, Runs as Compared, Stretch};
use crate::web::link::Links;

/// Two runs, their steps put side by side.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedRuns")]
pub(in crate::web) struct Runs {
    first: Summary,
    second: Summary,
    /// The facts of the runs that differ.
    differs_in: Vec<String>,
    steps_alike: usize,
    steps_different: usize,
    steps_first_only: usize,
    steps_second_only: usize,
    steps: Vec<Steps>,
    /// Rows that differ and are not listed, and steps that were not compared.
    left_out: usize,
}

/// Steps next to each other that are alike, or one that is not.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedSteps")]
struct Steps {
    /// same, different, `first_only` or `second_only`.
    change: &'static str,
    /// How many.
    count: usize,
    /// The numbers in the first run of the first and the last one that are alike.
    from: Option<u32>,
    to: Option<u32>,
    /// outcome, agent, target, error, attempts, arguments, proposed calls, model or parameters.
    differs_in: Vec<&'static str>,
    first: Option<Step>,
    second: Option<Step>,
}

/// A step of one run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedStep")]
struct Step {
    step_id: String,
    number: u32,
    kind: &'static str,
    name: String,
    outcome: Option<&'static str>,
    attempts: usize,
    /// The span of its last attempt: as `a` or `b` it is compared closely.
    span_id: Option<String>,
}

impl Runs {
    /// The comparison of two runs, with what they cost at these prices.
    pub(in crate::web) fn of((before, after): (&Run, &Run), prices: &Prices, links: &Links) -> Self {
        let compared = Compared::of((before, after), links);
        let summary = |run: &Run| Summary::of(RunSummary::of(run), prices);
        let facts = compared.facts.rows.iter().filter(|row| row.changed);
        Self {
            first: summary(before),
            second: summary(after),
            differs_in: facts.map(|row| name_of(row.name.as_str())).collect(),
            steps_alike: compared.counts.alike,
            steps_different: compared.counts.different,
            steps_first_only: compared.counts.first,
            steps_second_only: compared.counts.second,
            steps: compared.stretches.iter().map(Steps::from).collect(),
            left_out: compared.left_out,
        }
    }
}

impl From<&Stretch> for Steps {
    fn from(stretch: &Stretch) -> Self {
        match stretch {
            Stretch::Same(alike) => Self {
                change: "same",
                count: alike.count,
                from: Some(alike.from),
                to: Some(alike.to),
                differs_in: Vec::new(),
                first: None,
                second: None,
            },
            Stretch::Pair(before, after, differs_in, _) => Self {
                change: match (before, after) {
                    (Some(_), Some(_)) => "different",
                    (Some(_), None) => "first_only",
                    (None, _) => "second_only",
                },
                count: 1,
                from: None,
                to: None,
                differs_in: differs_in.clone(),
                first: before.as_deref().map(Step::from),
                second: after.as_deref().map(Step::from),
            },
        }
    }
}

impl From<&Cell> for Step {
    fn from(cell: &Cell) -> Self {
        Self {
            step_id: cell.step_id.clone(),
            number: cell.number,
            kind: cell.kind,
            name: cell.name.as_str().to_owned(),
            outcome: cell.outcome.map(|outcome| outcome.word()),
            attempts: cell.attempts,
            span_id: cell.span.map(|span| span.to_string()),
        }
    }
}
