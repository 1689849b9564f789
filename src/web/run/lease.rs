//! Who held the run: the worker and epoch of each attempt, and where another took over.
use std::collections::HashSet;

use crate::domain::finding::Code;
use crate::domain::ids::SpanId;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::badge::Signal;
use crate::web::format;
use crate::web::run::bars::attempts;
use crate::web::text::{Text, shortened};

/// What is known about the leases of a run; drawn only where more than one worker or epoch was seen.
#[derive(Debug, Default)]
pub(in crate::web) struct Leases {
    drawn: bool,
    stale: HashSet<SpanId>,
    between: HashSet<SpanId>,
    again: HashSet<SpanId>,
}

impl Leases {
    /// Those of a run.
    pub(in crate::web) fn of(run: &Run) -> Self {
        let shown_by = |code: Code| -> HashSet<SpanId> {
            let found = run.findings.iter().filter(|finding| finding.code == code);
            found.flat_map(|finding| finding.spans.iter().map(|(_, span)| *span)).collect()
        };
        Self {
            drawn: run.workers.len() > 1 || run.epochs.len() > 1,
            stale: shown_by(Code::StaleEpoch),
            between: shown_by(Code::WorkersInterleave),
            again: restarted(run),
        }
    }

    /// What is said beside an attempt: its worker and epoch, and what is wrong with them.
    pub(in crate::web) fn signals(&self, attempt: &Attempt) -> Vec<Signal> {
        let span = attempt.record.facts.span_id;
        let mut signals = Vec::new();
        if let Some(lease) = lease_of(attempt).filter(|_| self.drawn) {
            signals.push(Signal::plain("agent", lease));
        }
        if self.stale.contains(&span) {
            signals.push(Signal::warn("flag", "stale epoch"));
        } else if self.between.contains(&span) {
            signals.push(Signal::warn("flag", "after another took over"));
        }
        if self.again.contains(&span) {
            signals.push(Signal::warn("flag", "numbers start again"));
        }
        signals
    }

    /// A row before a step at which another worker or epoch begins; remembers who holds the run now.
    pub(in crate::web) fn taken_over<'a>(
        &self,
        step: &'a RunStep,
        holder: &mut Option<&'a Attempt>,
    ) -> Option<(Text, Text)> {
        let first = attempts(step).find(|attempt| attempt.record.facts.worker.is_some())?;
        let before = holder.replace(first)?;
        let (now, then) = (&first.record.facts, &before.record.facts);
        if !self.drawn || (now.worker == then.worker && now.epoch == then.epoch) {
            return None;
        }
        let worker = shortened(now.worker.as_deref().unwrap_or("a worker"), 60);
        let name = match (now.epoch, then.epoch) {
            (Some(epoch), Some(older)) if epoch < older => format!("{worker} again, with epoch {epoch}"),
            (Some(epoch), _) => format!("{worker} takes over, epoch {epoch}"),
            (None, _) => format!("{worker} takes over"),
        };
        let waited = now.started_ns.saturating_sub(then.ended_ns.unwrap_or(then.started_ns));
        let last = shortened(then.worker.as_deref().unwrap_or("a worker"), 60);
        let note = format!("{} after the step of {last} above", format::duration(waited));
        Some((Text::new(name), Text::new(note)))
    }
}

/// `worker-a, epoch 1`.
fn lease_of(attempt: &Attempt) -> Option<String> {
    let facts = &attempt.record.facts;
    let worker = facts.worker.as_deref().map(|worker| shortened(worker, 40));
    match (worker, facts.epoch) {
        (Some(worker), Some(epoch)) => Some(format!("{worker}, epoch {epoch}")),
        (Some(worker), None) => Some(worker),
        (None, Some(epoch)) => Some(format!("epoch {epoch}")),
        (None, None) => None,
    }
}

/// Attempts whose number is not above that of the attempt before.
fn restarted(run: &Run) -> HashSet<SpanId> {
    let mut again = HashSet::new();
    for step in &run.steps {
        let mut highest = 0;
        for attempt in attempts(step) {
            if attempt.given && attempt.number <= highest {
                again.insert(attempt.record.facts.span_id);
            }
            highest = highest.max(attempt.number);
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::kind::Kind;
    use crate::web::sample::{attempt, naive, step};

    fn by(mut attempt: Attempt, worker: &str, epoch: u64) -> Attempt {
        attempt.record.facts.worker = Some(worker.to_owned());
        attempt.record.facts.epoch = Some(epoch);
        attempt
    }

    #[test]
    fn one_worker_is_not_worth_a_word() {
        let mut run = naive();
        run.steps = vec![step(1, Kind::Act, "a", vec![by(attempt(1, Kind::Act, 0, 9), "w-a", 1)])];
        (run.findings, run.workers, run.epochs) = (Vec::new(), vec!["w-a".to_owned()], vec![1]);
        let only = attempts(&run.steps[0]).next().unwrap();
        assert!(Leases::of(&run).signals(only).is_empty());
    }

    #[test]
    fn a_takeover_and_numbers_that_start_again_are_seen() {
        let mut run = naive();
        let mut second = by(attempt(2, Kind::Act, 20, 30), "w-b", 2);
        (second.number, second.given) = (1, true);
        let first = by(attempt(1, Kind::Act, 0, 9), "w-a", 1);
        run.steps = vec![
            step(1, Kind::Act, "a", vec![by(attempt(3, Kind::Act, 0, 5), "w-a", 1)]),
            step(2, Kind::Act, "b", vec![by(attempt(4, Kind::Act, 50_000, 51_000), "w-b", 2)]),
            step(3, Kind::Act, "c", vec![first, second]),
        ];
        (run.findings, run.epochs) = (Vec::new(), vec![1, 2]);
        run.workers = vec!["w-a".to_owned(), "w-b".to_owned()];
        let leases = Leases::of(&run);
        let mut holder = None;
        assert!(leases.taken_over(&run.steps[0], &mut holder).is_none());
        let (name, _) = leases.taken_over(&run.steps[1], &mut holder).unwrap();
        assert_eq!(name.beginning(80), "w-b takes over, epoch 2");
        let (back, _) = leases.taken_over(&run.steps[2], &mut holder).unwrap();
        assert_eq!(back.beginning(80), "w-a again, with epoch 1");
        let said: Vec<String> = attempts(&run.steps[2])
            .flat_map(|attempt| leases.signals(attempt))
            .map(|signal| signal.text)
            .collect();
        assert_eq!(said, ["w-a, epoch 1", "w-b, epoch 2", "numbers start again"]);
    }
}
