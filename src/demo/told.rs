//! What Recount says of a run, to stand beside the truth.
use crate::demo::truth::Truth;
use crate::domain::fold::runs_of;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::{Run, RunStep};
use crate::domain::scope::Scope;
use crate::store::queries::run_records;
use crate::store::{Store, StoreError};

/// How many effects of a kind Recount knows of, and how many more it can't rule out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told {
    /// Confirmed by whatever evidence.
    pub confirmed: usize,
    /// Sent, and not known to have failed.
    pub open: usize,
}

impl Told {
    /// Whether so many effects are what was told: at least those confirmed, at most the open ones more.
    pub fn agrees_with(self, effects: usize) -> bool {
        (self.confirmed..=self.confirmed + self.open).contains(&effects)
    }
}

/// The run of a truth as Recount shows it now.
///
/// # Errors
/// As for any read; [`StoreError::Missing`] when it is not there.
pub async fn run_of(store: &Store, scope: &Scope, truth: &Truth, now_ns: u64) -> Result<Run, StoreError> {
    let records = run_records(store, scope, &truth.run_id).await?;
    let part = runs_of(records).remove(&truth.run_id).ok_or(StoreError::Missing)?;
    Ok(Run::of_part(&part, &[], now_ns))
}

/// What a run says of the effects of one kind: `refund`, `email` or `order_update`.
pub fn told(run: &Run, kind: &str) -> Told {
    let tool = match kind {
        "refund" => "issue_refund",
        "email" => "send_email",
        _ => "update_order",
    };
    let acts = run.steps.iter().filter(|step| step.kind == Kind::Act && step.tool.as_deref() == Some(tool));
    acts.map(of_step).fold(Told::default(), |sum, one| Told {
        confirmed: sum.confirmed + one.confirmed,
        open: sum.open + one.open,
    })
}

/// Each attempt that went out counts by what is known of it now. Attempts under one key are one effect: that
/// is what the key is for.
fn of_step(step: &RunStep) -> Told {
    let outcomes = step.attempts().filter_map(|attempt| {
        let outcome = attempt.now.map_or(attempt.outcome, |(outcome, _)| Some(outcome))?;
        Some((attempt.record.facts.key.clone(), outcome))
    });
    let mut told = Told::default();
    let mut keys: Vec<(String, Outcome)> = Vec::new();
    for (key, outcome) in outcomes {
        match (key, outcome) {
            (Some(key), outcome) => keys.push((key, outcome)),
            (None, Outcome::Confirmed) => told.confirmed += 1,
            (None, Outcome::Unknown | Outcome::Submitted) => told.open += 1,
            (None, Outcome::Failed) => {}
        }
    }
    keys.sort();
    for of_key in keys.chunk_by(|one, other| one.0 == other.0) {
        if of_key.iter().any(|(_, outcome)| *outcome == Outcome::Confirmed) {
            told.confirmed += 1;
        } else if of_key.iter().any(|(_, outcome)| outcome.blocks_retry()) {
            told.open += 1;
        }
    }
    told
}
