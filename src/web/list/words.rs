//! A run in a few words: what became of its acts, what asks for a look, how long it took.
use crate::domain::finding::{Code, Severity};
use crate::domain::outcome::Outcome;
use crate::domain::run::{RunState, Whole};
use crate::domain::summary::RunSummary;
use crate::web::badge::{Badge, Signal};
use crate::web::format;

/// The effects of a run in a word: the worst open outcome, and how many of how many.
pub(in crate::web) fn effects(run: &RunSummary) -> Badge {
    let all = run.acts_confirmed + run.acts_failed + run.acts_unknown + run.acts_submitted;
    if run.finding_codes.contains(&Code::DoubleEffect) {
        return Badge::finding("made twice");
    }
    match Outcome::from_word(run.outcome) {
        Some(Outcome::Unknown) => {
            Badge::saying(Outcome::Unknown, format!("{} of {all} unknown", run.acts_unknown))
        }
        Some(Outcome::Failed) => {
            Badge::saying(Outcome::Failed, format!("{} of {all} failed", run.acts_failed))
        }
        Some(Outcome::Submitted) => {
            Badge::saying(Outcome::Submitted, format!("{} of {all} so far", run.acts_confirmed))
        }
        Some(Outcome::Confirmed) => {
            Badge::saying(Outcome::Confirmed, format!("{} of {all}", run.acts_confirmed))
        }
        None if run.act_count > 0 => Badge::none("nothing sent"),
        None => Badge::none("no effects"),
    }
}

/// What asks for a look, three at most.
pub(in crate::web) fn signals(run: &RunSummary) -> Vec<Signal> {
    let mut signals = Vec::new();
    if run.acts_resolved > 0 {
        let were = format::counted(run.acts_resolved, "was unknown", "were unknown");
        signals.push(Signal::plain("human", format!("{were}, resolved")));
    }
    if run.retry_count > 0 {
        signals.push(Signal::plain("retry", format::counted(run.retry_count, "retry", "retries")));
    }
    if run.reconcile_count > 0 {
        signals.push(Signal::plain("reconcile", format::counted(run.reconcile_count, "look-up", "look-ups")));
    }
    let found = run.finding_codes.iter().filter(|code| code.severity() > Severity::Info).count();
    if found > 0 {
        signals.push(Signal::warn("flag", format::counted(format::length(found), "finding", "findings")));
    }
    if run.complete == Whole::No {
        signals.push(Signal::warn("gap", "record has gaps"));
    }
    signals.truncate(3);
    signals
}

/// How long it took, or takes so far.
pub(in crate::web) fn took(run: &RunSummary, now_ns: u64) -> String {
    let until = |end: u64| format::duration(end.saturating_sub(run.started_ns));
    match (run.state, run.ended_ns) {
        (RunState::Running, _) => format!("{}…", until(now_ns)),
        (RunState::Ended | RunState::Lost, Some(end)) => until(end),
        (RunState::Ended | RunState::Lost, None) => "–".to_owned(),
    }
}
