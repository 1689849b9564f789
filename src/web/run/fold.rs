//! What keeps a long run readable: steps below a step folded away, and the whole run at a glance.
use std::collections::BTreeSet;

use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::{Run, RunStep};
use crate::web::format;
use crate::web::run::bars::attempts;
use crate::web::run::view::{Show, View, unsettled};

/// Runs of more steps than this are shown at a glance too.
const MAP_FROM: usize = 60;
/// The most parts a run is divided into for that.
const PARTS_MAX: usize = 40;

/// A part of a long run.
#[derive(Debug)]
pub(in crate::web) struct Stretch {
    pub(in crate::web) href: String,
    /// The worst state in it.
    pub(in crate::web) state: &'static str,
    /// Such as "Steps 401 to 600, 2 failed".
    pub(in crate::web) said: String,
}

/// The numbers of the steps that are below a closed one.
pub(in crate::web) fn folded_away(run: &Run, view: &View) -> BTreeSet<u32> {
    let mut away = BTreeSet::new();
    if view.closed.is_empty() {
        return away;
    }
    let mut closed_at: Option<u32> = None;
    for step in &run.steps {
        if closed_at.is_some_and(|depth| step.depth > depth) {
            away.insert(step.number);
            continue;
        }
        closed_at = view.closed.binary_search(&step.number).is_ok().then_some(step.depth);
    }
    away
}

/// What folds the steps below an agent that is not the only top of the run: the words and the address.
pub(in crate::web) fn below(run: &Run, step: &RunStep, view: &View) -> Option<(String, String)> {
    if step.kind != Kind::Agent {
        return None;
    }
    let at = run.steps.iter().position(|other| std::ptr::eq(other, step))?;
    let (before, after) = run.steps.split_at(at);
    let under = after.iter().skip(1).take_while(|other| other.depth > step.depth);
    let under = under.filter(|other| Show::All.lists(other)).count();
    if under == 0 || before.is_empty() {
        return None;
    }
    let steps = format::counted(format::length(under), "step", "steps");
    let closed = view.closed.binary_search(&step.number).is_ok();
    let words = if closed { format!("Unfold {steps}") } else { format!("Fold {steps}") };
    Some((words, format!("{}#step-{}", view.toggled(step.number), step.number)))
}

/// A long run at a glance.
pub(in crate::web) fn map(listed: &[&RunStep], view: &View) -> Vec<Stretch> {
    if listed.len() < MAP_FROM {
        return Vec::new();
    }
    let size = listed.len().div_ceil(PARTS_MAX);
    let stretch = |(at, steps): (usize, &[&RunStep])| {
        let from = at * size + 1;
        let failed = steps.iter().filter(|step| Show::Failed.lists(step)).count();
        let open = steps.iter().filter(|step| attempts(step).any(unsettled)).count();
        let acts = steps.iter().filter(|step| step.outcome == Some(Outcome::Confirmed)).count();
        let mut said =
            format!("Steps {} to {}", format::number(from), format::number(at * size + steps.len()));
        for (count, word) in [(open, "unsettled"), (failed, "failed"), (acts, "confirmed")] {
            if count > 0 {
                said.push_str(&format!(", {} {word}", format::number(count)));
            }
        }
        Stretch {
            href: View { from: Some(from), span: None, tab: None, ..view.clone() }.query(),
            state: match (open, failed, acts) {
                (1.., _, _) => "unknown",
                (0, 1.., _) => "failed",
                (0, 0, 1..) => "confirmed",
                (0, 0, 0) => "none",
            },
            said,
        }
    };
    listed.chunks(size).enumerate().map(stretch).collect()
}
