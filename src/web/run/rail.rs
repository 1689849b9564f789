//! The rail: every step in order, its attempts under it, and a row where something is missing.
use std::ops::Range;

use crate::domain::finding::Code;
use crate::domain::kind::Kind;
use crate::domain::run::{Run, RunState, RunStep};
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::Bodies;
use crate::web::run::drawing::Drawing;
use crate::web::run::fold::{Stretch, below, folded_away, map};
use crate::web::run::lanes::Lanes;
use crate::web::run::row::StepRow;
use crate::web::run::thread::ATTEMPTS_MAX;
use crate::web::run::transcript;
use crate::web::run::view::{Look, Show, View};
use crate::web::text::Text;

/// Most steps on one page.
pub(in crate::web) const STEPS_MAX: usize = 500;
/// Most rows on one page, attempts included: keeps a page of much retried steps small too.
const ROWS_MAX: usize = 900;

/// The rail and all around it.
#[derive(Debug)]
pub(in crate::web) struct Rail {
    /// Such as "6 steps, 3 of them acts".
    pub(in crate::web) count_line: String,
    /// The choices of what is listed.
    pub(in crate::web) choices: Vec<Choice>,
    /// The labels over the bars.
    pub(in crate::web) ticks: Vec<String>,
    /// The rows.
    pub(in crate::web) rows: Vec<Row>,
    /// Such as "Showing 1–500 of 10,000"; `None` when all fit.
    pub(in crate::web) window: Option<String>,
    /// The address of the rows before these.
    pub(in crate::web) earlier: Option<String>,
    /// The address of the rows after these.
    pub(in crate::web) later: Option<String>,
    /// How many steps of plumbing are folded away, and the address that shows them.
    pub(in crate::web) plumbing: Option<(String, String)>,
    /// Said instead of rows when the choice lists none.
    pub(in crate::web) nothing: &'static str,
    /// Who worked when.
    pub(in crate::web) lanes: Lanes,
    /// A long run at a glance; empty for a short one.
    pub(in crate::web) map: Vec<Stretch>,
    /// As a timeline, or as a transcript.
    pub(in crate::web) readings: [Choice; 2],
    /// Whether it is read as a transcript.
    pub(in crate::web) as_transcript: bool,
    /// The lines of the transcript.
    pub(in crate::web) transcript: Vec<transcript::Line>,
}

/// One choice of what is listed.
#[derive(Debug)]
pub(in crate::web) struct Choice {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// A row of the rail.
#[derive(Debug)]
pub(in crate::web) enum Row {
    /// A step.
    Step(Box<StepRow>),
    /// Something that must have been and has not arrived.
    Gap(Text, Text),
    /// Another worker or epoch begins.
    Lease(Text, Text),
}

impl Rail {
    /// The rail of a run as the address asks for it.
    pub(in crate::web) fn of(
        run: &Run,
        view: &View,
        look: Option<Look<'_>>,
        bodies: &Bodies,
        at: (&Links, u64),
    ) -> Self {
        let drawing = Drawing::of(run, view, look, at);
        let plumbing = run.steps.iter().filter(|step| !Show::All.lists(step)).count();
        // Of a runtime that nobody knows the plumbing is all there is.
        let only_plumbing = view.show == Show::All && plumbing == run.steps.len();
        let show = if only_plumbing { Show::Everything } else { view.show };
        let folded_away = folded_away(run, view);
        let listed: Vec<&RunStep> = run
            .steps
            .iter()
            .filter(|step| {
                show.lists(step) && !drawing.is_nested(step) && !folded_away.contains(&step.number)
            })
            .collect();
        let window = window(&drawing, &listed);
        let shown = listed.get(window.clone()).unwrap_or_default();
        let mut rows = Vec::new();
        let mut holder = None;
        for step in shown {
            rows.extend(parent_gap(run, step));
            let taken = drawing.leases.taken_over(step, &mut holder);
            rows.extend(taken.map(|(name, note)| Row::Lease(name, note)));
            let mut row = drawing.step(step);
            row.below = below(run, step, view);
            rows.push(Row::Step(Box::new(row)));
        }
        if window.end == listed.len() {
            rows.extend(record_end(run));
        }
        let cut = shown.len() < listed.len();
        let page = |from: usize| View { from: Some(from), span: None, tab: None, ..view.clone() }.query();
        let acts = run.steps.iter().filter(|step| step.kind == Kind::Act).count();
        let folded = if only_plumbing { 0 } else { plumbing };
        Self {
            count_line: count_line(run.steps.len() - folded, acts),
            choices: choices(run, view),
            ticks: drawing.scale.labels(),
            window: cut.then(|| {
                let (from, to) = (format::number(window.start + 1), format::number(window.end));
                format!("Showing {from}–{to} of {} steps", format::number(listed.len()))
            }),
            earlier: (window.start > 0).then(|| page(window.start.saturating_sub(STEPS_MAX) + 1)),
            later: (window.end < listed.len()).then(|| page(window.end + 1)),
            plumbing: (folded > 0 && view.show == Show::All).then(|| {
                let line = format::counted(format::length(plumbing), "framework span", "framework spans");
                (line, View { show: Show::Everything, from: None, ..view.clone() }.query())
            }),
            nothing: nothing(view.show),
            lanes: Lanes::of(run, &drawing.scale),
            map: map(&listed, view),
            readings: [false, true].map(|transcript| {
                let name = if transcript { "Transcript" } else { "Timeline" };
                let href = View { transcript, ..view.clone() }.query();
                Choice { name, href, on: view.transcript == transcript }
            }),
            transcript: if view.transcript { transcript::lines(shown, view, bodies) } else { Vec::new() },
            as_transcript: view.transcript,
            rows: if view.transcript { Vec::new() } else { rows },
        }
    }
}

fn count_line(steps: usize, acts: usize) -> String {
    let steps = format::counted(format::length(steps), "step", "steps");
    match acts {
        0 => format!("{steps}, no acts"),
        1 => format!("{steps}, 1 of them an act"),
        _ => format!("{steps}, {} of them acts", format::number(acts)),
    }
}

fn nothing(show: Show) -> &'static str {
    match show {
        Show::All | Show::Everything => "No step of this run has arrived.",
        Show::Acts => "Nothing was acted upon.",
        Show::Unsettled => "Nothing is unsettled.",
        Show::Failed => "Nothing failed.",
        Show::Retried => "Nothing was tried again.",
        Show::Noticed => "Nothing was noticed.",
    }
}

fn choices(run: &Run, view: &View) -> Vec<Choice> {
    let mut offered = vec![(Show::All, "All"), (Show::Acts, "Acts"), (Show::Unsettled, "Unsettled")];
    for (show, name) in [(Show::Failed, "Failed"), (Show::Retried, "Retried"), (Show::Noticed, "Noticed")] {
        if view.show == show || run.steps.iter().any(|step| show.lists(step)) {
            offered.push((show, name));
        }
    }
    let is_on = |show| view.show == show || show == Show::All && view.show == Show::Everything;
    offered
        .into_iter()
        .map(|(show, name)| Choice {
            name,
            href: View { show, from: None, ..view.clone() }.query(),
            on: is_on(show),
        })
        .collect()
}

/// Says at the end of the list that the record stops before the run did.
fn record_end(run: &Run) -> Option<Row> {
    let shows_end = |code| matches!(code, Code::NeverEnded | Code::StepsMissing);
    let stops = run.state == RunState::Lost || run.findings.iter().any(|finding| shows_end(finding.code));
    if !stops || run.state == RunState::Running {
        return None;
    }
    let said = run.findings.iter().filter(|finding| shows_end(finding.code));
    let mut messages: Vec<&str> = said.map(|finding| finding.message.as_str()).take(2).collect();
    if messages.is_empty() {
        messages.push("nothing closed the run");
    }
    Some(Row::Gap("The record stops here".into(), Text::new(messages.join(" "))))
}

/// Which of the listed steps fit on the page: from the asked row, else so that the selection is among them.
fn window(drawing: &Drawing<'_>, listed: &[&RunStep]) -> Range<usize> {
    let fit = |start: usize| {
        let mut rows = 0;
        let fits = listed.iter().skip(start).take(STEPS_MAX).take_while(|step| {
            let first = rows == 0;
            rows += if step.attempts.len() > 1 { 1 + step.attempts.len().min(ATTEMPTS_MAX) } else { 1 };
            first || rows <= ROWS_MAX
        });
        start..start + fits.count()
    };
    if let Some(from) = drawing.view.from {
        return fit(from.saturating_sub(1).min(listed.len().saturating_sub(1)));
    }
    let Some(look) = drawing.view.span.and(drawing.look) else { return fit(0) };
    let home = look.step.verifies.as_deref().filter(|_| drawing.is_nested(look.step));
    let is_home = |step: &&RunStep| std::ptr::eq(*step, look.step) || Some(step.step_id.as_str()) == home;
    let at = listed.iter().position(is_home).unwrap_or_default();
    let page = fit(at / STEPS_MAX * STEPS_MAX);
    if page.contains(&at) { page } else { fit(at) }
}

/// A row before a step whose parent has not arrived, so that it does not look like a top-level step.
fn parent_gap(run: &Run, step: &RunStep) -> Option<Row> {
    let mut found = step.findings.iter().filter_map(|at| run.findings.get(*at));
    found.find(|finding| finding.code == Code::ParentMissing)?;
    let parent = attempts(step).find_map(|attempt| attempt.record.facts.parent_span_id)?;
    let note = format!("Span {parent} is named as the parent of step {}", step.number);
    Some(Row::Gap("Parent not received yet".into(), Text::new(note)))
}
