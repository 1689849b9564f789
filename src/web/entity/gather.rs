//! From an entity to folded runs, a page at a time, and to the numbers of all of them.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::about::{About, step_ns};
use crate::domain::fold::runs_of;
use crate::domain::ids::{RecordId, TraceId};
use crate::domain::run::Run;
use crate::domain::scope::Scope;
use crate::store::queries::{EntityTally, RunPlace, TO_FOLD_MAX};
use crate::store::queries::{
    checkpoints, entity_runs, entity_tally, erasures_about, events_about, rejected_items, trace_records,
};
use crate::store::rows::RunCursor;
use crate::store::{EntityFilter, RunField, RunFilter, Store};
use crate::web::entity::coverage::{Around, Signed};
use crate::web::entity::names::Names;
use crate::web::entity::told::Told;
use crate::web::entity::tools::EntityTools;
use crate::web::error::WebError;
use crate::web::state::WebState;

/// Runs that are folded at once.
const RUNS_AT_ONCE: usize = 25;

/// A page of what was done.
#[derive(Debug)]
pub(in crate::web) struct Gathered {
    /// The runs, newest first.
    pub(in crate::web) runs: Vec<Run>,
    /// Their steps that have to do with the entity, in the order of the runs.
    pub(in crate::web) told: Vec<Told>,
    /// Where the next page begins.
    pub(in crate::web) next: Option<RunCursor>,
    /// Runs that changed their id while they were read: asking again shows them.
    pub(in crate::web) moved: Vec<String>,
}

/// What is asked about: whose names, and which period.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Question<'a> {
    pub(in crate::web) scope: &'a Scope,
    pub(in crate::web) names: &'a Names,
    pub(in crate::web) filter: &'a EntityFilter,
    pub(in crate::web) now_ns: u64,
}

impl Question<'_> {
    fn within(&self, at_ns: u64) -> bool {
        self.filter.from_ns.is_none_or(|from| at_ns >= from) && self.filter.to_ns.is_none_or(|to| at_ns < to)
    }

    /// A page of runs, newest first, with their steps.
    pub(in crate::web) async fn page(
        &self,
        store: &Store,
        tools: &EntityTools,
        (after, runs_max): (Option<&RunCursor>, u16),
    ) -> Result<Gathered, WebError> {
        let (places, more) = entity_runs(store, self.scope, self.filter, (after, runs_max)).await?;
        let next = places.last().filter(|_| more).map(|place| place.cursor.clone());
        let mut gathered = Gathered { runs: Vec::new(), told: Vec::new(), next, moved: Vec::new() };
        for some in places.chunks(RUNS_AT_ONCE) {
            let mut folded = self.fold(store, some).await?;
            for place in some {
                match folded.iter().position(|run| run.run_id == place.run_id) {
                    Some(at) => {
                        let run = folded.swap_remove(at);
                        let within = |at_ns| self.within(at_ns);
                        gathered.told.extend(Told::all(&run, &self.names.all, &tools.rules, within));
                        gathered.runs.push(run);
                    }
                    None => gathered.moved.push(place.run_id.clone()),
                }
            }
        }
        Ok(gathered)
    }

    async fn fold(&self, store: &Store, places: &[RunPlace]) -> Result<Vec<Run>, WebError> {
        Ok(self.parts(store, places).await?.into_iter().map(|(run, _)| run).collect())
    }

    /// The runs at these places, each with the ids of all its records and their traces.
    pub(in crate::web) async fn parts(
        &self,
        store: &Store,
        places: &[RunPlace],
    ) -> Result<Vec<(Run, BTreeMap<RecordId, TraceId>)>, WebError> {
        let traces: Vec<TraceId> = places.iter().flat_map(|place| place.traces.iter().copied()).collect();
        let records = trace_records(store, self.scope, &traces).await?;
        let keys: BTreeSet<&str> = records.iter().filter_map(|record| record.facts.key.as_deref()).collect();
        let keys: Vec<&str> = keys.into_iter().collect();
        let events = events_about(store, self.scope, &keys, &traces).await?;
        let now_ns = self.now_ns;
        let wanted: Vec<String> = places.iter().map(|place| place.run_id.clone()).collect();
        // On a thread of its own: a page of large runs takes a while.
        let folded = tokio::task::spawn_blocking(move || {
            let parts = runs_of(records).into_values().filter(|part| wanted.contains(&part.run_id));
            let folded = parts.map(|part| {
                let ids = part.records.iter().map(|record| (record.record_id, record.facts.trace_id));
                let ids: BTreeMap<RecordId, TraceId> = ids.collect();
                (Run::of_part(&part, &events, now_ns), ids)
            });
            folded.collect()
        });
        folded.await.map_err(|_broken| WebError::Broken)
    }

    /// The numbers of all runs: those that a query can't count exactly are folded.
    pub(in crate::web) async fn tally(&self, store: &Store) -> Result<EntityTally, WebError> {
        let mut tally = entity_tally(store, self.scope, self.filter, self.now_ns).await?;
        if tally.to_fold.len() > TO_FOLD_MAX {
            return Err(WebError::Invalid(
                "too many runs reach over the ends of this period to count exactly; choose another"
                    .to_owned(),
            ));
        }
        let to_fold = std::mem::take(&mut tally.to_fold);
        for some in to_fold.chunks(RUNS_AT_ONCE) {
            let places = self.places(store, some).await?;
            for run in self.fold(store, &places).await? {
                let about = About::of(&run, &self.names.all, |step| self.within(step_ns(step)));
                tally.tally.merge(&about.tally);
            }
        }
        Ok(tally)
    }

    async fn places(&self, store: &Store, run_ids: &[String]) -> Result<Vec<RunPlace>, WebError> {
        let filter = run_ids.iter().fold(RunFilter::default(), |filter, id| filter.with(RunField::Run, id));
        let rows_max = u16::try_from(run_ids.len()).unwrap_or(u16::MAX);
        let page =
            crate::store::queries::runs(store, self.scope, &filter, (None, rows_max), self.now_ns).await?;
        let places = page.runs.into_iter().map(|row| RunPlace {
            cursor: row.cursor(),
            traces: row.summary.traces,
            run_id: row.summary.run_id,
        });
        Ok(places.collect())
    }
}

/// What limits the answer besides the records themselves.
pub(in crate::web) async fn around(state: &WebState, question: Question<'_>) -> Result<Around, WebError> {
    let period = (question.filter.from_ns, question.filter.to_ns);
    let signed = checkpoints(&state.store, None, None, 1).await?;
    let rejected = rejected_items(&state.store, question.scope, period).await?;
    Ok(Around {
        rejected,
        erasures: erasures_about(&state.store, question.scope, &question.filter.names).await?,
        signed: Signed { checkpoint: signed.first().map(|newest| (newest.at_ns, newest.size)) },
        retention: state.settings.retention.of(&question.scope.project),
        now_ns: question.now_ns,
    })
}
