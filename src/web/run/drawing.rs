//! What every row of the rail is drawn with: the run, the address, one scale, and who looks up whom.
use std::collections::HashMap;

use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Run, RunState, RunStep};
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bars::{self, Scale, attempts};
use crate::web::run::lease::Leases;
use crate::web::run::view::{Look, View};

/// Look-ups drawn on the thread of one act; more of them are steps of the list.
const LOOKUPS_MAX: usize = 20;

/// What all rows are drawn with.
pub(in crate::web) struct Drawing<'a> {
    /// The run.
    pub(in crate::web) run: &'a Run,
    /// The state in the address.
    pub(in crate::web) view: &'a View,
    /// What is looked at.
    pub(in crate::web) look: Option<Look<'a>>,
    /// One scale for all bars.
    pub(in crate::web) scale: Scale,
    /// Now.
    now_ns: u64,
    /// How deep the outermost listed steps are.
    pub(in crate::web) depth_base: u32,
    /// Look-ups, under the step whose truth they ask for.
    pub(in crate::web) lookups: HashMap<&'a str, Vec<&'a RunStep>>,
    /// Who held the run.
    pub(in crate::web) leases: Leases,
    /// The address of the run's page.
    pub(in crate::web) base: String,
}

impl<'a> Drawing<'a> {
    /// All that the rows need, gathered once.
    pub(in crate::web) fn of(
        run: &'a Run,
        view: &'a View,
        look: Option<Look<'a>>,
        (links, now_ns): (&Links, u64),
    ) -> Self {
        let tops: Vec<&RunStep> = run.steps.iter().filter(|step| step.depth == 0).collect();
        let only_agent = matches!(tops.as_slice(), [top] if top.kind == Kind::Agent);
        let acts: HashMap<&str, Kind> =
            run.steps.iter().map(|step| (step.step_id.as_str(), step.kind)).collect();
        let mut lookups: HashMap<&str, Vec<&RunStep>> = HashMap::new();
        for step in &run.steps {
            if let Some(of) = step.verifies.as_deref()
                && acts.get(of) == Some(&Kind::Act)
                && of != step.step_id
            {
                let of = lookups.entry(of).or_default();
                if of.len() < LOOKUPS_MAX {
                    of.push(step);
                }
            }
        }
        let depth_base = u32::from(only_agent);
        let leases = Leases::of(run);
        let base = links.run(&run.run_id);
        Self { run, view, look, scale: Scale::of(run), now_ns, depth_base, lookups, leases, base }
    }

    /// Whether the step is drawn on the thread of the act whose truth it asks for.
    pub(in crate::web) fn is_nested(&self, step: &RunStep) -> bool {
        step.verifies
            .as_deref()
            .and_then(|of| self.lookups.get(of))
            .is_some_and(|lookups| lookups.iter().any(|lookup| std::ptr::eq(*lookup, step)))
    }

    /// Whether this attempt is looked at.
    pub(in crate::web) fn is_selected(&self, attempt: &Attempt) -> bool {
        self.look.is_some_and(|look| look.is_at(attempt))
    }

    /// How long a whole step took.
    pub(in crate::web) fn step_took(&self, step: &RunStep) -> String {
        let open = attempts(step).any(|attempt| attempt.record.facts.ended_ns.is_none());
        match bars::extent(step) {
            Some((from, _)) if open => self.so_far(from),
            Some((from, to)) => format::duration(to - from),
            None => "–".to_owned(),
        }
    }

    /// How long an attempt took.
    pub(in crate::web) fn took(&self, attempt: &Attempt) -> String {
        let facts = &attempt.record.facts;
        match facts.ended_ns {
            Some(ended) => format::duration(ended.saturating_sub(facts.started_ns)),
            None => self.so_far(facts.started_ns),
        }
    }

    fn so_far(&self, from_ns: u64) -> String {
        match self.run.state {
            RunState::Running => format!("{}…", format::duration(self.now_ns.saturating_sub(from_ns))),
            RunState::Ended | RunState::Lost => "–".to_owned(),
        }
    }
}
