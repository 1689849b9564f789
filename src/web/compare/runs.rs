//! Two runs held against each other: their facts, and their steps put side by side.
use similar::DiffOp;

use crate::domain::ids::SpanId;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::{Run, RunStep};
use crate::domain::summary::RunSummary;
use crate::web::badge::Badge;
use crate::web::compare::asked;
use crate::web::compare::table::{Set, Table};
use crate::web::compare::words::differences;
use crate::web::finding;
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bars::{attempts, extent};
use crate::web::run::head::title;
use crate::web::run::verdict::what;
use crate::web::run::view::{Show, went_wrong};
use crate::web::text::{Text, shortened};

/// Steps of each run that are put side by side; what comes after is counted only.
const STEPS_MAX: usize = 5_000;
/// Rows that differ and are shown.
const ROWS_MAX: usize = 300;

/// The comparison.
#[derive(Debug)]
pub(in crate::web) struct Runs {
    pub(in crate::web) heads: [Head; 2],
    pub(in crate::web) facts: Table,
    /// Such as "12 alike, 2 different, 1 only in the second".
    pub(in crate::web) line: String,
    pub(in crate::web) counts: Counts,
    pub(in crate::web) changed: bool,
    pub(in crate::web) stretches: Vec<Stretch>,
    /// Rows that differ and are not shown, and steps that were not compared.
    pub(in crate::web) left_out: usize,
}

/// What stands over a run.
#[derive(Debug)]
pub(in crate::web) struct Head {
    pub(in crate::web) name: Text,
    pub(in crate::web) id: Text,
    pub(in crate::web) href: String,
    pub(in crate::web) verdict: Text,
    pub(in crate::web) when: String,
}

/// Steps next to each other.
#[derive(Debug)]
pub(in crate::web) enum Stretch {
    /// Alike in both.
    Same(Alike),
    /// Different: what each run has, in what they differ, and the address that compares them closely.
    Pair(Option<Box<Cell>>, Option<Box<Cell>>, Vec<&'static str>, Option<String>),
}

/// Steps that are alike in both runs.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Alike {
    /// The number of the first one in the first run.
    pub(in crate::web) from: u32,
    /// The number of the last one.
    pub(in crate::web) to: u32,
    /// How many.
    pub(in crate::web) count: usize,
}

/// A step of one run.
#[derive(Debug)]
pub(in crate::web) struct Cell {
    pub(in crate::web) number: u32,
    pub(in crate::web) step_id: String,
    /// The span of its last attempt.
    pub(in crate::web) span: Option<SpanId>,
    pub(in crate::web) outcome: Option<Outcome>,
    pub(in crate::web) attempts: usize,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) name: Text,
    pub(in crate::web) href: String,
    pub(in crate::web) badge: Option<Badge>,
    pub(in crate::web) tries: String,
    pub(in crate::web) took: String,
}

impl Runs {
    /// Compares two runs.
    pub(in crate::web) fn of((before, after): (&Run, &Run), links: &Links) -> Self {
        let (old, new) = (listed(before), listed(after));
        let keys =
            |steps: &[&RunStep]| -> Vec<(Kind, String)> { steps.iter().map(|step| key(step)).collect() };
        let mut runs = Self {
            heads: [head(before, links), head(after, links)],
            facts: Table::of(&facts(before), &facts(after)),
            line: String::new(),
            counts: Counts::default(),
            changed: false,
            stretches: Vec::new(),
            left_out: 0,
        };
        let mut counts = Counts::default();
        let mut alike: Option<Alike> = None;
        for op in differences(&keys(&old), &keys(&new)) {
            let equal = matches!(op, DiffOp::Equal { .. });
            let old = old.get(op.old_range()).unwrap_or_default();
            let new = new.get(op.new_range()).unwrap_or_default();
            for at in 0..old.len().max(new.len()) {
                let sides = (old.get(at).copied(), new.get(at).copied());
                let drift = match sides {
                    (Some(old), Some(new)) if equal => drift(old, new),
                    _ => None,
                };
                if let (true, Some(step), None) = (equal, sides.0, &drift) {
                    counts.alike += 1;
                    let before = alike.unwrap_or(Alike { from: step.number, to: step.number, count: 0 });
                    alike = Some(Alike { to: step.number, count: before.count + 1, ..before });
                    continue;
                }
                runs.stretches.extend(alike.take().map(Stretch::Same));
                let rows = if equal { vec![sides] } else { vec![(sides.0, None), (None, sides.1)] };
                for row in rows.into_iter().filter(|row| row.0.is_some() || row.1.is_some()) {
                    counts.count(row);
                    let drift = drift.clone().unwrap_or_default();
                    runs.push(row, drift, (before, after), links);
                }
            }
        }
        runs.stretches.extend(alike.map(Stretch::Same));
        runs.changed = counts.different + counts.first + counts.second > 0;
        runs.left_out +=
            before.steps.len().saturating_sub(STEPS_MAX) + after.steps.len().saturating_sub(STEPS_MAX);
        runs.line = counts.line();
        runs.counts = counts;
        runs
    }

    fn push(
        &mut self,
        (old, new): (Option<&RunStep>, Option<&RunStep>),
        drift: Vec<&'static str>,
        (before, after): (&Run, &Run),
        links: &Links,
    ) {
        if self.stretches.len() >= ROWS_MAX {
            self.left_out += 1;
            return;
        }
        let closely = old.zip(new).and_then(|(old, new)| {
            let span = |step| attempts(step).next_back().map(|attempt| attempt.record.facts.span_id);
            Some(asked::of_steps(links, [&before.run_id, &after.run_id], [span(old)?, span(new)?]))
        });
        let cell = |run: &Run, step: &RunStep| Box::new(cell(run, step, links));
        self.stretches.push(Stretch::Pair(
            old.map(|step| cell(before, step)),
            new.map(|step| cell(after, step)),
            drift,
            closely,
        ));
    }
}

/// How many steps are alike, and how many are not.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::web) struct Counts {
    pub(in crate::web) alike: usize,
    pub(in crate::web) different: usize,
    pub(in crate::web) first: usize,
    pub(in crate::web) second: usize,
}

impl Counts {
    fn count(&mut self, row: (Option<&RunStep>, Option<&RunStep>)) {
        match row {
            (Some(_), Some(_)) => self.different += 1,
            (Some(_), None) => self.first += 1,
            (None, Some(_)) => self.second += 1,
            (None, None) => {}
        }
    }

    fn line(&self) -> String {
        let parts = [
            (self.alike, "alike"),
            (self.different, "different"),
            (self.first, "only in the first"),
            (self.second, "only in the second"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{} {what}", format::number(*n)))
            .collect();
        if said.is_empty() { "no steps".to_owned() } else { said.join(", ") }
    }
}

impl Alike {
    /// How many, and from which to which.
    pub(in crate::web) fn line(self) -> String {
        let steps = format::counted(format::length(self.count), "step", "steps");
        if self.from == self.to {
            format!("{steps} alike: {} of the first run", self.from)
        } else {
            format!("{steps} alike: {} to {} of the first run", self.from, self.to)
        }
    }
}

fn listed(run: &Run) -> Vec<&RunStep> {
    run.steps.iter().filter(|step| Show::All.lists(step)).take(STEPS_MAX).collect()
}

/// What makes two steps the same piece of work: model calls and agents change their names with their model.
fn key(step: &RunStep) -> (Kind, String) {
    let name = match step.kind {
        Kind::Think | Kind::Agent => "",
        Kind::Read | Kind::Act | Kind::Reconcile | Kind::Wait | Kind::Transport | Kind::Other => {
            step.tool.as_deref().unwrap_or(&step.name)
        }
    };
    (step.kind, name.to_owned())
}

/// What differs between two steps that do the same; `None` when they went alike.
fn drift(old: &RunStep, new: &RunStep) -> Option<Vec<&'static str>> {
    let mut parts = Vec::new();
    if old.outcome != new.outcome {
        parts.push("outcome");
    }
    if old.kind == Kind::Agent && old.name != new.name {
        parts.push("agent");
    }
    if old.target != new.target {
        parts.push("target");
    }
    let failed = |step: &RunStep| attempts(step).next_back().is_some_and(went_wrong);
    if old.outcome == new.outcome && failed(old) != failed(new) {
        parts.push("error");
    }
    if old.attempts.len() != new.attempts.len() {
        parts.push("attempts");
    }
    let last = |step| attempts(step).next_back().map(|attempt| &attempt.record);
    if let (Some(one), Some(other)) = (last(old), last(new)) {
        let arguments = |record: &crate::domain::record::Record| {
            record.arguments_canonical.or(record.arguments.as_ref().map(|content| content.digest))
        };
        if arguments(one) != arguments(other) {
            parts.push("arguments");
        }
        let calls =
            |record: &crate::domain::record::Record| -> Vec<(String, Option<crate::domain::ids::Digest>)> {
                let proposed = record.proposed.iter();
                proposed.map(|kept| (kept.call.tool.clone(), kept.arguments_canonical)).collect()
            };
        if calls(one) != calls(other) {
            parts.push("proposed calls");
        }
        if one.facts.model != other.facts.model {
            parts.push("model");
        }
        if one.facts.parameters != other.facts.parameters {
            parts.push("parameters");
        }
    }
    (!parts.is_empty()).then_some(parts)
}

fn cell(run: &Run, step: &RunStep, links: &Links) -> Cell {
    let last = attempts(step).next_back();
    let name = if step.kind == Kind::Act { what(step) } else { step.name.clone() };
    let tries = step.attempts.len();
    Cell {
        number: step.number,
        step_id: step.step_id.clone(),
        span: last.map(|attempt| attempt.record.facts.span_id),
        outcome: step.outcome,
        attempts: tries,
        kind: crate::web::badge::kind(step.kind),
        name: Text::new(shortened(if name.is_empty() { step.kind.word() } else { &name }, 120)),
        href: last.map_or_else(String::new, |attempt| {
            links.step(&run.run_id, step.number, &attempt.record.facts.span_id)
        }),
        badge: match step.outcome {
            Some(outcome) => Some(Badge::outcome(outcome)),
            None => last.filter(|attempt| went_wrong(attempt)).map(|_| Badge::error()),
        },
        tries: if tries > 1 { format!("{} attempts", format::number(tries)) } else { String::new() },
        took: extent(step).map_or_else(|| "–".to_owned(), |(from, to)| format::duration(to - from)),
    }
}

fn head(run: &Run, links: &Links) -> Head {
    Head {
        name: Text::new(shortened(title(run), 120)),
        id: Text::new(shortened(&run.run_id, 60)),
        href: links.run(&run.run_id),
        verdict: Text::new(shortened(&run.verdict.line, 200)),
        when: format!("{} UTC", format::moment(run.started_ns)),
    }
}

fn facts(run: &Run) -> Set {
    let summary = RunSummary::of(run);
    let codes: Vec<&str> = summary.finding_codes.iter().map(|code| finding::title(*code)).collect();
    let text = |value: Option<&String>| value.cloned();
    let list = |values: &[String]| Some(values.join(", ")).filter(|text| !text.is_empty());
    let took = run.ended_ns.map(|ended| format::duration(ended.saturating_sub(run.started_ns)));
    [
        ("Verdict", Some(run.verdict.line.clone())),
        ("Findings", Some(codes.join(", ")).filter(|text| !text.is_empty())),
        ("Agent", text(run.agent.as_ref())),
        ("Agent version", text(run.agent_version.as_ref())),
        ("Models", list(&summary.models)),
        ("Tools", list(&summary.tools)),
        ("Service", text(run.service.as_ref())),
        ("Environment", text(run.environment.as_ref())),
        ("About", list(&summary.entities)),
        ("Workers", list(&run.workers)),
        ("State", Some(run.state.word().to_owned())),
        ("Steps", Some(summary.step_count.to_string())),
        ("Attempts", Some(summary.attempt_count.to_string())),
        ("Acts", Some(summary.act_count.to_string())),
        ("Errors", Some(summary.error_count.to_string())),
        ("Took", took),
        ("Tokens in", summary.tokens_in.map(format::count)),
        ("Tokens out", summary.tokens_out.map(format::count)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}
