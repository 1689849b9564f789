//! A step as one row of the rail.
use crate::domain::finding::{Code, Severity};
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::badge::{self, Badge, GateChip, Signal};
use crate::web::format;
use crate::web::link::segment;
use crate::web::run::bars::{self, Bar, attempts};
use crate::web::run::drawing::Drawing;
use crate::web::run::thread::{RecordRow, confirmed_effect};
use crate::web::run::view::{View, unsettled, went_wrong};
use crate::web::text::{Text, sentence, shortened};

/// Deeper steps are not moved further to the right.
const DEPTH_MAX: u32 = 8;
/// Idle time is worth a word from here on, nanoseconds.
const IDLE_MIN: u64 = 1_000_000_000;

/// A step, and its attempts.
#[derive(Debug)]
pub(in crate::web) struct StepRow {
    pub(in crate::web) number: u32,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) name: Text,
    pub(in crate::web) href: String,
    pub(in crate::web) selected: bool,
    pub(in crate::web) next_unknown: bool,
    pub(in crate::web) depth: u32,
    pub(in crate::web) signals: Vec<Signal>,
    pub(in crate::web) key: Option<Text>,
    pub(in crate::web) call: Option<Text>,
    pub(in crate::web) note: Text,
    pub(in crate::web) gate: Option<GateChip>,
    pub(in crate::web) badge: Option<Badge>,
    pub(in crate::web) bars: Vec<Bar>,
    pub(in crate::web) took: String,
    pub(in crate::web) records: Vec<RecordRow>,
    /// Such as "3 more attempts", with the address that lists them.
    pub(in crate::web) folded: Option<(String, String)>,
    /// What folds the steps below it: the words and the address.
    pub(in crate::web) below: Option<(String, String)>,
    /// The page that compares its first and its last attempt: the words and the address.
    pub(in crate::web) compare: Option<(String, String)>,
}

impl Drawing<'_> {
    /// The row of a step.
    pub(in crate::web) fn step(&self, step: &RunStep) -> StepRow {
        let lookups = self.lookups.get(step.step_id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let single = step.attempts.len() == 1 && lookups.is_empty();
        let only = if single { attempts(step).next() } else { None };
        let (records, folded) = if single { (Vec::new(), 0) } else { self.records(step, lookups) };
        let chosen = telling(step);
        let selected = only.is_some_and(|attempt| self.is_selected(attempt));
        let is_act = step.kind == Kind::Act;
        StepRow {
            number: step.number,
            kind: badge::kind(step.kind),
            name: Text::new(shortened(name_of(step), 160)),
            href: chosen.map(|attempt| self.view.to(attempt)).unwrap_or_default(),
            selected,
            next_unknown: only.is_some_and(unsettled),
            depth: step.depth.saturating_sub(self.depth_base).min(DEPTH_MAX),
            signals: self.signals(step, only),
            key: step.key.as_deref().filter(|_| is_act).map(|key| self.key(key)),
            call: call_of(step),
            note: Text::new(self.note(step, only)),
            gate: only.filter(|_| is_act).map(|attempt| GateChip::of(attempt.record.facts.gate)),
            badge: step_badge(step, self.run),
            bars: bars::of_step(&self.scale, step),
            took: self.step_took(step),
            folded: (folded > 0).then(|| {
                let line = format::counted(format::length(folded), "more attempt", "more attempts");
                (line, View { unfold: Some(step.number), ..self.view.clone() }.query())
            }),
            below: None,
            compare: self.compare(step),
            records,
        }
    }

    fn compare(&self, step: &RunStep) -> Option<(String, String)> {
        let (first, last) = (attempts(step).next()?.number, attempts(step).next_back()?.number);
        let href = format!("{}/steps/{}/compare?a={first}&b={last}", self.base, segment(&step.step_id));
        (first != last).then(|| (format!("Compare attempts {first} and {last}"), href))
    }

    /// The key as it is drawn: on the page of its run the run id in it says nothing.
    fn key(&self, key: &str) -> Text {
        let own = key.strip_prefix(self.run.run_id.as_str()).and_then(|rest| rest.strip_prefix(':'));
        Text::new(shortened(own.filter(|rest| !rest.is_empty()).unwrap_or(key), 80))
    }

    fn signals(&self, step: &RunStep, only: Option<&Attempt>) -> Vec<Signal> {
        let mut signals = Vec::new();
        let arrived = attempts(step).count();
        let missing = step.attempts.len() - arrived;
        if step.attempts.len() > 1 {
            signals.push(Signal::plain("retry", format!("{} attempts", format::number(step.attempts.len()))));
        }
        if missing > 0 {
            signals.push(Signal::warn("gap", format!("{} missing", format::number(missing))));
        }
        let found = step.findings.iter().filter_map(|at| self.run.findings.get(*at));
        let worth = found.filter(|finding| finding.code.severity() > Severity::Info);
        match worth.count() {
            0 => {}
            n => {
                signals.push(Signal::warn("flag", format::counted(format::length(n), "finding", "findings")))
            }
        }
        signals.extend(only.into_iter().flat_map(|attempt| self.leases.signals(attempt)));
        signals
    }

    fn note(&self, step: &RunStep, only: Option<&Attempt>) -> String {
        let mut parts = Vec::new();
        if let Some(attempt) = only.filter(|attempt| step.kind == Kind::Act || went_wrong(attempt)) {
            parts.push(shortened(&attempt.reason, 140));
        }
        if step.kind == Kind::Think {
            parts.extend(attempts(step).next_back().and_then(proposed));
        }
        parts.extend(spent(step));
        let tries = attempts(step).filter_map(|attempt| attempt.record.facts.tries).max();
        parts.extend(tries.filter(|tries| *tries > 1).map(|tries| format!("{tries} tries in one span")));
        if step.gap_before_ns >= IDLE_MIN {
            parts.push(format!("after {} idle", format::duration(step.gap_before_ns)));
        }
        parts.retain(|part| !part.is_empty());
        sentence(&parts.join(" · "))
    }
}

/// The outcome of a step that counts now; "made twice" when the same effect happened more than once.
fn step_badge(step: &RunStep, run: &Run) -> Option<Badge> {
    let confirmed = attempts(step).filter(|attempt| confirmed_effect(attempt)).count();
    let found = step.findings.iter().filter_map(|at| run.findings.get(*at));
    if found.clone().any(|finding| finding.code == Code::DoubleEffect) && confirmed > 1 {
        return Some(Badge::finding(match confirmed {
            2 => "made twice".to_owned(),
            n => format!("made {} times", format::number(n)),
        }));
    }
    match step.outcome {
        Some(outcome) => Some(Badge::outcome(outcome)),
        None if step.kind == Kind::Act => Some(Badge::none("nothing sent")),
        None => attempts(step).next_back().filter(|attempt| went_wrong(attempt)).map(|_| Badge::error()),
    }
}

/// The attempt that tells what became of a step: one that is still open, else the last that took effect, else
/// the last.
fn telling(step: &RunStep) -> Option<&Attempt> {
    let open = attempts(step).find(|attempt| unsettled(attempt));
    open.or_else(|| attempts(step).rfind(|attempt| confirmed_effect(attempt)))
        .or_else(|| attempts(step).next_back())
}

/// What the model calls of a step took in and gave out, and what that cost.
fn spent(step: &RunStep) -> Option<String> {
    if step.kind != Kind::Think {
        return None;
    }
    let sum = |of: fn(&Attempt) -> Option<u64>| {
        attempts(step).filter_map(of).reduce(|sum, more| sum.saturating_add(more))
    };
    let read = sum(|attempt| attempt.record.facts.tokens.input);
    let written = sum(|attempt| attempt.record.facts.tokens.output);
    let mut parts = Vec::new();
    parts.extend(read.map(|tokens| format!("{} in", format::count(tokens))));
    parts.extend(written.map(|tokens| format!("{} out", format::count(tokens))));
    let cost = attempts(step).filter_map(|attempt| Some(attempt.cost?.usd)).reduce(|sum, more| sum + more);
    parts.extend(cost.map(format::dollars));
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn name_of(step: &RunStep) -> &str {
    if step.name.is_empty() { step.tool.as_deref().unwrap_or("unnamed step") } else { &step.name }
}

/// The tool and what it was called on, when the name does not say it already.
fn call_of(step: &RunStep) -> Option<Text> {
    if step.key.is_some() && step.kind == Kind::Act {
        return None;
    }
    let tool = step.tool.as_deref()?;
    let target = step.target.as_deref().unwrap_or_default();
    let line = format!("{} {target}", if step.name == tool { "" } else { tool });
    let line = line.trim();
    (!line.is_empty()).then(|| Text::new(shortened(line, 100)))
}

fn proposed(attempt: &Attempt) -> Option<String> {
    let tools: Vec<&str> = attempt.record.proposed.iter().map(|kept| kept.call.tool.as_str()).collect();
    match tools.as_slice() {
        [] => attempt.record.output.first().map(|output| shortened(&output.preview.replace('\n', " "), 100)),
        [first, second, third, .., _] => Some(format!("proposed {first}, {second}, {third} and more")),
        few => Some(format!("proposed {}", few.join(", "))),
    }
}
