//! The stories of the designed loop.
use std::collections::BTreeSet;
use std::time::Duration;

use opentelemetry::trace::TraceContextExt;

use crate::demo::designed::worker::{Course, Worker, step_of};
use crate::demo::error::DemoError;
use crate::demo::scenario::Scenario;
use crate::demo::stage::{Part, Stage};

/// After how long without a sign of life a lease is given to another worker.
const LEASE: Duration = Duration::from_secs(45);

/// Plays a run. Gives its id and its traces.
pub(in crate::demo) async fn run(stage: &Stage, part: Part) -> Result<(String, Vec<String>), DemoError> {
    let mut chance = part.chance.clone();
    let mut course = Course {
        run: chance.id("run_", 12),
        session: chance.id("conv_", 12),
        ticket: part.ticket,
        goals: part.scenario.goals(),
        steps: BTreeSet::new(),
        seq: 0,
    };
    let at = ("worker-a", part.started);
    let mut first = Worker::take(stage, &mut course, at, chance, None)?;
    let mut traces = vec![first.trace()];
    if part.scenario == Scenario::StaleWorker {
        traces.push(lose_the_lease(stage, &mut course, first).await?);
        return Ok((course.run, traces));
    }
    first.doomed = part.scenario == Scenario::Resumed;
    if first.play_out(&mut course).await? {
        first.finish(&course).await?;
        if part.scenario == Scenario::KeyExpired {
            traces.push(come_back_too_late(stage, &mut course, &first).await?);
        }
    } else {
        traces.push(pick_up(stage, &mut course, &first).await?);
        first.die().await?;
    }
    Ok((course.run, traces))
}

/// Another worker takes over where the first was killed.
async fn pick_up(stage: &Stage, course: &mut Course, dead: &Worker<'_>) -> Result<String, DemoError> {
    let from = dead.trail.clock.now() + LEASE;
    let before = dead.root.span().span_context().clone();
    let chance = dead.trail.chance.clone();
    let mut second = Worker::take(stage, course, ("worker-b", from), chance, Some(before))?;
    second.play_out(course).await?;
    second.finish(course).await?;
    Ok(second.trace())
}

/// The first worker is paused between gate and call; the second asks, does it and finishes; then the first
/// wakes up and sends what it had in hand. The service knows a higher epoch and refuses.
async fn lose_the_lease(
    stage: &Stage,
    course: &mut Course,
    mut first: Worker<'_>,
) -> Result<String, DemoError> {
    let mut in_hand = None;
    while in_hand.is_none() {
        let calls = first.think(course)?;
        for call in calls {
            if call.tool == "issue_refund" {
                let step = step_of(course, &call.tool);
                let wakes = first.trail.clock.now() + LEASE + Duration::from_secs(120);
                in_hand = Some((first.pass_gate(course, (&call, &step), wakes)?, wakes));
            } else {
                let result = first.read(course, &call).await;
                first.heard(course, &call, result)?;
            }
        }
    }
    let trace = pick_up(stage, course, &first).await?;
    if let Some((prepared, wakes)) = in_hand {
        first.trail.clock.move_to(wakes);
        first.send(course, prepared).await?;
    }
    first.step_down().await?;
    Ok(trace)
}

/// A job comes back after the provider has forgotten the key.
async fn come_back_too_late(
    stage: &Stage,
    course: &mut Course,
    before: &Worker<'_>,
) -> Result<String, DemoError> {
    let from = before.trail.clock.now() + Duration::from_secs(25 * 3600 + 1_800);
    let link = before.root.span().span_context().clone();
    let chance = before.trail.chance.clone();
    let mut job = Worker::take(stage, course, ("reconciler-1", from), chance, Some(link))?;
    job.revisit(course).await?;
    job.finish(course).await?;
    Ok(job.trace())
}
