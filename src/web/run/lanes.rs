//! Who worked when: a lane for each worker and epoch, where there was more than one.
use crate::domain::kind::Kind;
use crate::domain::run::Run;
use crate::web::format;
use crate::web::run::bars::{Bar, Part, Scale, attempts};
use crate::web::text::{Text, shortened};

/// Lanes that are drawn.
const LANES_MAX: usize = 12;
/// Bars of a lane; what is nearer than this share of the scale is drawn as one.
const BARS_MAX: u64 = 200;

/// A worker in an epoch.
#[derive(Debug)]
pub(in crate::web) struct Lane {
    pub(in crate::web) name: Text,
    /// Such as "epoch 2".
    pub(in crate::web) epoch: String,
    pub(in crate::web) bars: Vec<Bar>,
    /// Such as "12 attempts, 3 acts".
    pub(in crate::web) said: String,
}

/// The lanes of a run.
#[derive(Debug, Default)]
pub(in crate::web) struct Lanes {
    /// In the order in which they began; none where there was one worker in one epoch.
    pub(in crate::web) lanes: Vec<Lane>,
    /// How many more there are.
    pub(in crate::web) left_out: usize,
}

#[derive(Default)]
struct Work {
    worker: Option<String>,
    epoch: Option<u64>,
    stretches: Vec<(u64, u64)>,
    attempts: usize,
    acts: usize,
}

impl Lanes {
    /// Those of a run, over the scale of its steps.
    pub(in crate::web) fn of(run: &Run, scale: &Scale) -> Self {
        if run.workers.len() < 2 && run.epochs.len() < 2 {
            return Self::default();
        }
        let mut works: Vec<Work> = Vec::new();
        for step in &run.steps {
            // What contains the work of others is nobody's own time.
            for attempt in attempts(step).filter(|_| !matches!(step.kind, Kind::Agent | Kind::Other)) {
                let facts = &attempt.record.facts;
                if facts.worker.is_none() && facts.epoch.is_none() {
                    continue;
                }
                let stretch = (facts.started_ns, facts.ended_ns.unwrap_or(facts.started_ns));
                let is_act = usize::from(step.kind == Kind::Act);
                let same = |work: &Work| work.worker == facts.worker && work.epoch == facts.epoch;
                if !works.iter().any(same) && works.len() < 10 * LANES_MAX {
                    works.push(Work { worker: facts.worker.clone(), epoch: facts.epoch, ..Work::default() });
                }
                for work in works.iter_mut().filter(|work| same(work)) {
                    work.stretches.push(stretch);
                    work.attempts += 1;
                    work.acts += is_act;
                }
            }
        }
        works.sort_by_key(|work| work.stretches.iter().map(|(from, _)| *from).min());
        let left_out = works.len().saturating_sub(LANES_MAX);
        Self { lanes: works.into_iter().take(LANES_MAX).map(|work| lane(work, scale)).collect(), left_out }
    }
}

fn lane(work: Work, scale: &Scale) -> Lane {
    let Work { worker, epoch, mut stretches, attempts, acts } = work;
    stretches.sort_unstable();
    let near = scale.whole_ns() / BARS_MAX;
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, to) in stretches {
        match joined.last_mut() {
            Some(last) if from <= last.1.saturating_add(near) => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    let mut said = vec![format::counted(format::length(attempts), "attempt", "attempts")];
    if acts > 0 {
        said.push(format::counted(format::length(acts), "act", "acts"));
    }
    Lane {
        name: Text::new(worker.map_or_else(|| "worker not told".to_owned(), |worker| shortened(&worker, 60))),
        epoch: epoch.map(|epoch| format!("epoch {epoch}")).unwrap_or_default(),
        bars: joined.into_iter().map(|(from, to)| scale.bar(Part::Tool, from, to)).collect(),
        said: said.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::run::Attempt;
    use crate::web::sample::{attempt, naive, step};

    fn by(mut attempt: Attempt, worker: &str, epoch: u64) -> Attempt {
        attempt.record.facts.worker = Some(worker.to_owned());
        attempt.record.facts.epoch = Some(epoch);
        attempt
    }

    #[test]
    fn each_worker_and_epoch_has_a_lane() {
        let mut run = naive();
        run.steps = vec![
            step(1, Kind::Act, "a", vec![by(attempt(1, Kind::Act, 0, 5_000), "w-a", 1)]),
            step(2, Kind::Read, "b", vec![by(attempt(2, Kind::Read, 5_010, 6_000), "w-a", 1)]),
            step(3, Kind::Act, "c", vec![by(attempt(3, Kind::Act, 50_000, 51_000), "w-b", 2)]),
            step(4, Kind::Act, "d", vec![by(attempt(4, Kind::Act, 90_000, 91_000), "w-a", 1)]),
        ];
        (run.workers, run.epochs) = (vec!["w-a".to_owned()], vec![1]);
        assert!(Lanes::of(&run, &Scale::of(&run)).lanes.is_empty(), "one needs no lane");
        (run.workers, run.epochs) = (vec!["w-a".to_owned(), "w-b".to_owned()], vec![1, 2]);
        let lanes = Lanes::of(&run, &Scale::of(&run)).lanes;
        let told: Vec<_> = lanes
            .iter()
            .map(|lane| (lane.name.beginning(9), lane.epoch.as_str(), lane.bars.len(), lane.said.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("w-a".to_owned(), "epoch 1", 2, "3 attempts, 2 acts"),
                ("w-b".to_owned(), "epoch 2", 1, "1 attempt, 1 act")
            ]
        );
    }
}
