//! The findings of a run as lists keep them, with those that time will bring: no deadline needs a write.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::case::CaseEvent;
use crate::domain::fold::identity::Part;
use crate::domain::fold::limits::{READ_BACK_NS, SILENCE_NS};
use crate::domain::listing::{ListedFinding, ListedStep};
use crate::domain::outcome::Outcome;
use crate::domain::run::{Attempt, Run, RunFinding, RunState, RunStep};

/// Steps of one finding that a list links to.
const STEPS_MAX: usize = 10;
/// Deadlines of one run that are looked ahead to: the next ones.
const DEADLINES_MAX: usize = 4;

/// Lists them. The run is that of the part, folded with these events at this time.
pub fn listed_findings(part: &Part, run: &Run, events: &[CaseEvent], now_ns: u64) -> Vec<ListedFinding> {
    let mut listed: Vec<ListedFinding> =
        run.findings.iter().map(|finding| listed_one(run, finding, 0)).collect();
    for at in deadlines(part, run, now_ns) {
        let later = Run::of_part(part, events, at);
        let same = |known: &ListedFinding, finding: &RunFinding| {
            known.code == finding.code && known.message == finding.message
        };
        for known in listed.iter_mut().filter(|known| known.until_ns == 0) {
            if !later.findings.iter().any(|finding| same(known, finding)) {
                known.until_ns = at;
            }
        }
        for finding in &later.findings {
            if !listed.iter().any(|known| known.until_ns == 0 && same(known, finding)) {
                listed.push(listed_one(&later, finding, at));
            }
        }
    }
    listed
}

/// The times at which the run reads differently although nothing more arrives.
fn deadlines(part: &Part, run: &Run, now_ns: u64) -> Vec<u64> {
    let mut times = BTreeSet::new();
    for attempt in run.steps.iter().flat_map(RunStep::attempts) {
        let facts = &attempt.record.facts;
        times.extend(attempt.unknown_at_ns);
        let Some(outcome) = now(attempt).filter(|outcome| outcome.blocks_retry()) else { continue };
        times.extend(facts.key_expires_ns);
        if outcome == Outcome::Submitted {
            let ended = facts.ended_ns.unwrap_or(facts.started_ns).min(attempt.record.received_ns);
            times.insert(ended.saturating_add(READ_BACK_NS));
        }
    }
    if run.state == RunState::Running {
        let heard = part.records.iter().map(|record| record.received_ns).max().unwrap_or_default();
        times.insert(heard.saturating_add(SILENCE_NS));
    }
    times.into_iter().filter(|at| *at > now_ns).take(DEADLINES_MAX).collect()
}

fn now(attempt: &Attempt) -> Option<Outcome> {
    attempt.now.map(|(outcome, _)| outcome).or(attempt.outcome)
}

fn listed_one(run: &Run, finding: &RunFinding, from_ns: u64) -> ListedFinding {
    let by_id: BTreeMap<&str, &RunStep> = match finding.step_ids.len() {
        0 => BTreeMap::new(),
        _ => run.steps.iter().map(|step| (step.step_id.as_str(), step)).collect(),
    };
    let steps = || finding.step_ids.iter().filter_map(|id| by_id.get(id.as_str()).copied());
    let tools: BTreeSet<&str> = steps().filter_map(|step| step.tool.as_deref()).collect();
    ListedFinding {
        code: finding.code,
        message: finding.message.clone(),
        since_ns: finding.since_ns,
        from_ns,
        until_ns: 0,
        step_count: u32::try_from(finding.step_ids.len()).unwrap_or(u32::MAX),
        steps: steps().take(STEPS_MAX).map(|step| seen_at(step, finding)).collect(),
        tools: tools.into_iter().take(STEPS_MAX).map(str::to_owned).collect(),
    }
}

/// The last attempt of a step that shows a finding, else its last.
fn seen_at(step: &RunStep, finding: &RunFinding) -> ListedStep {
    let place = |attempt: &Attempt| (attempt.record.facts.trace_id, attempt.record.facts.span_id);
    let shows = |attempt: &&Attempt| finding.spans.contains(&place(attempt));
    let chosen = step.attempts().filter(shows).last().or_else(|| step.attempts().last());
    let (trace_id, span_id) = chosen.map(place).unwrap_or_default();
    ListedStep { number: step.number, trace_id, span_id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Code;
    use crate::domain::fold::runs_of;
    use crate::domain::fold::tests::story::{SECOND, START, Story, a_run};
    use crate::domain::step::Facts;

    fn listed(story: &Story) -> Vec<(Code, u64, u64)> {
        let parts = runs_of(story.finished());
        let part = &parts["r1"];
        let run = Run::of_part(part, &story.events, story.when());
        let listed = listed_findings(part, &run, &story.events, story.when());
        let seconds = |ns: u64| if ns == 0 { 0 } else { (ns - START) / SECOND };
        listed.iter().map(|found| (found.code, seconds(found.from_ns), seconds(found.until_ns))).collect()
    }

    #[test]
    fn deadlines_bring_findings_without_a_write() {
        let expires = |facts: &mut Facts| facts.key_expires_ns = Some(START + 7_200 * SECOND);
        let sent = a_run().act("refund").key("k").with(expires).never_ends().now(60);
        let found = listed(&sent);
        let of = |code: Code| found.iter().find(|(found, ..)| *found == code).map(|(_, from, _)| *from);
        assert_eq!(of(Code::UnknownOpen), Some(900), "{found:?}");
        assert_eq!(of(Code::NeverEnded), Some(900));
        assert_eq!(of(Code::KeyExpired), Some(7_200));
        let accepted = a_run().act("mail").key("k").status(202).now(60);
        assert!(listed(&accepted).contains(&(Code::NotReadBack, 901, 0)));
        let settled = a_run().act("mail").key("k").now(60);
        assert!(listed(&settled).iter().all(|(_, from, until)| (*from, *until) == (0, 0)));
    }

    #[test]
    fn a_list_links_to_the_attempt_that_shows_it() {
        let story = a_run().act("refund").step("s").times_out().act("refund").step("s").act("mail").key("k");
        let parts = runs_of(story.finished());
        let run = Run::of_part(&parts["r1"], &[], story.when());
        let listed = listed_findings(&parts["r1"], &run, &[], story.when());
        let found = listed.iter().find(|found| found.code == Code::UnknownOpen).unwrap();
        assert_eq!((found.step_count, found.tools.as_slice()), (1, ["refund".to_owned()].as_slice()));
        assert_eq!(found.steps[0].span_id, story.records[0].facts.span_id);
        assert_eq!(found.steps[0].number, run.steps[0].number);
    }
}
