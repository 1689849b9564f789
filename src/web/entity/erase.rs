//! Erasing what agents did on an entity: what would go, what is in the way, and the request itself.
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::access::random_id;
use crate::domain::about::Ties;
use crate::domain::entity::Entity;
use crate::domain::erasure::{Erasure, Stone};
use crate::domain::hold::{HeldKind, Hold};
use crate::domain::ids::{Digest, RecordId, TraceId};
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run};
use crate::store::EntityFilter;
use crate::store::queries::{
    CASES_MAX, CaseFilter, CaseOrder, cases, entity_runs, erased_in, erasures, holds, leaf_places, step_rows,
};
use crate::store::rows::{RunCursor, StepRow};
use crate::web::credential::now_ns;
use crate::web::entity::gather::Question;
use crate::web::entity::names::Names;
use crate::web::error::WebError;
use crate::web::format::{self, counted, moment};
use crate::web::holding;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Runs read at once.
const RUNS_AT_ONCE: u16 = 10;
/// Records read at once with everything kept of them.
const RECORDS_AT_ONCE: usize = 500;
/// What was acknowledged before the request is waited for so long.
const STORED_WITHIN: Duration = Duration::from_secs(30);

/// What would go.
#[derive(Debug, Default)]
pub(in crate::web) struct Plan {
    /// Runs that had to do with it.
    pub(in crate::web) runs: u64,
    /// Runs that are about others too: what only these name stays.
    pub(in crate::web) shared_runs: u64,
    /// Records whose contents go.
    pub(in crate::web) records: u64,
    /// Bodies that go.
    pub(in crate::web) bodies: u64,
    /// Records of which nothing is left to erase.
    pub(in crate::web) erased_before: u64,
    /// Cases that nobody has settled: what would help to settle them goes too.
    pub(in crate::web) open_cases: u64,
    /// Holds that do not let it happen.
    pub(in crate::web) holds: Vec<Hold>,
    stones: Vec<Stone>,
}

impl Plan {
    /// The sentence that says what is in the way.
    pub(in crate::web) fn in_the_way(&self) -> Option<String> {
        let hold = self.holds.first()?;
        Some(format!(
            "this is under the legal hold {} on {}, placed on {} UTC by {}: nothing of it is erased until \
             the hold is lifted",
            hold.id,
            hold.about(),
            moment(hold.placed_ns),
            hold.placed_by
        ))
    }

    /// In one sentence.
    pub(in crate::web) fn sentence(&self) -> String {
        format!(
            "the contents of {} in {}, with {}",
            counted(self.records, "record", "records"),
            counted(self.runs, "run", "runs"),
            counted(self.bodies, "body", "bodies")
        )
    }

    /// Counts in a run: everything of it but what is about others of the same type.
    async fn add(
        &mut self,
        state: &WebState,
        question: Question<'_>,
        (run, all): (&Run, &BTreeMap<RecordId, TraceId>),
    ) -> Result<(), WebError> {
        let (store, scope) = (&state.store, question.scope);
        let others = of_others(run, &question.names.all);
        self.runs += 1;
        self.shared_runs += u64::from(!others.is_empty());
        let before = erased_in(store, scope, &run.traces).await?;
        let taken: BTreeSet<RecordId> = all.keys().filter(|id| !others.contains(id)).copied().collect();
        let fresh: Vec<RecordId> =
            taken.iter().filter(|id| !before.records.contains_key(id)).copied().collect();
        self.erased_before += (taken.len() - fresh.len()) as u64;
        self.records += fresh.len() as u64;
        let mut leaves: BTreeMap<RecordId, Vec<[u8; 32]>> = BTreeMap::new();
        for leaf in leaf_places(store, scope, &run.traces).await? {
            leaves.entry(leaf.record_id).or_default().push(leaf.leaf_hash);
        }
        for id in &fresh {
            let trace = all.get(id).copied().unwrap_or_default();
            let of_record = leaves.remove(id).unwrap_or_else(|| vec![[0; 32]]);
            self.stones.extend(of_record.into_iter().map(|leaf| Stone::Record(trace, *id, leaf)));
        }
        let mut bodies: BTreeSet<(TraceId, Digest)> = BTreeSet::new();
        for some in fresh.chunks(RECORDS_AT_ONCE) {
            for row in step_rows(store, scope, &run.traces, some).await? {
                let trace = row.record.facts.trace_id;
                bodies.extend(digests(&row).map(|digest| (trace, digest)));
            }
        }
        self.bodies += bodies.len() as u64;
        self.stones.extend(bodies.into_iter().map(|(trace, digest)| Stone::Body(trace, digest)));
        Ok(())
    }
}

/// The records of steps that are about others of the same type, and not about it.
fn of_others(run: &Run, names: &BTreeSet<Entity>) -> BTreeSet<RecordId> {
    let ties = Ties::of(run);
    let steps = run.steps.iter().enumerate().filter(|(at, _)| ties.tie(*at, names).is_none());
    steps.flat_map(|(_, step)| step.attempts().flat_map(records_of)).map(|record| record.record_id).collect()
}

fn records_of(attempt: &Attempt) -> impl Iterator<Item = &Record> {
    let others = attempt.versions.iter().chain(&attempt.logs).chain(&attempt.transports);
    std::iter::once(&attempt.record).chain(others)
}

/// Every body that a record names.
fn digests(row: &StepRow) -> impl Iterator<Item = Digest> {
    let record = &row.record;
    let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
    let refs = record.output.iter().chain(&record.arguments).chain(&record.result).chain(proposed);
    row.bodies.iter().chain(&record.context).copied().chain(refs.map(|content| content.digest))
}

/// What would go of an entity now.
pub(in crate::web) async fn plan(state: &WebState, viewer: &Viewer, names: &Names) -> Result<Plan, WebError> {
    let spelt: Vec<String> = names.all.iter().map(ToString::to_string).collect();
    let filter = EntityFilter { names: spelt.clone(), ..EntityFilter::default() };
    let question = Question { scope: &viewer.scope, names, filter: &filter, now_ns: now_ns() };
    let all_holds = holds(&state.store, Some(&viewer.scope.project)).await?;
    let mut in_force: Vec<Hold> = all_holds.into_iter().filter(Hold::is_in_force).collect();
    let mut plan = Plan::default();
    let mut touched: BTreeSet<String> = spelt.iter().cloned().collect();
    let mut runs: BTreeSet<String> = BTreeSet::new();
    let mut after: Option<RunCursor> = None;
    loop {
        let place = (after.as_ref(), RUNS_AT_ONCE);
        let (places, more) = entity_runs(&state.store, &viewer.scope, &filter, place).await?;
        for (run, ids) in question.parts(&state.store, &places).await? {
            touched.extend(Ties::of(&run).entities().map(ToString::to_string));
            runs.insert(run.run_id.clone());
            runs.extend(run.traces.iter().map(ToString::to_string));
            plan.add(state, question, (&run, &ids)).await?;
        }
        after = places.last().filter(|_| more).map(|place| place.cursor.clone());
        if after.is_none() {
            break;
        }
    }
    in_force.retain(|hold| match hold.kind {
        HeldKind::Project => true,
        HeldKind::Entity => hold.names.iter().any(|name| touched.contains(name)),
        HeldKind::Run => hold.names.iter().any(|name| runs.contains(name)),
    });
    plan.holds = in_force;
    plan.open_cases = open_cases(state, viewer, spelt).await?;
    Ok(plan)
}

async fn open_cases(state: &WebState, viewer: &Viewer, names: Vec<String>) -> Result<u64, WebError> {
    let filter = CaseFilter { entities: names, ..CaseFilter::default() };
    let order = (&filter, CaseOrder::Urgency);
    let page = cases(&state.store, &viewer.scope, order, (None, CASES_MAX), now_ns()).await?;
    Ok(format::length(page.cases.len()))
}

/// Asks for the erasure: from when this returns, nothing of it comes in again, and it is carried out
/// soon.
///
/// # Errors
/// [`WebError::InTheWay`] for a hold, and while records wait that may be about it; else what the store
/// says.
pub(in crate::web) async fn ask(
    state: &WebState,
    viewer: &Viewer,
    names: &Names,
    typed: &str,
) -> Result<Erasure, WebError> {
    let why = holding::reason(state, viewer, typed)?;
    let Some(eraser) = &state.entities.eraser else {
        return Err(WebError::Invalid("this server erases nothing".to_owned()));
    };
    stored(state).await?;
    let plan = plan(state, viewer, names).await?;
    if let Some(said) = plan.in_the_way() {
        return Err(WebError::InTheWay(said));
    }
    if plan.stones.is_empty() {
        return Err(WebError::InTheWay("nothing is kept of it that could be erased".to_owned()));
    }
    let now = now_ns();
    let erasure = Erasure {
        id: random_id().map_err(|_no_random| WebError::Broken)?,
        at_ns: now,
        project: viewer.scope.project.clone(),
        about: state.desk.shown(&viewer.scope.project, &names.asked).to_string(),
        reason: why,
        asked_ns: now,
        asked_by: viewer.name(),
        runs: plan.runs,
        records: plan.records,
        bodies: plan.bodies,
        rewritten_s: None,
        receipt: None,
    };
    eraser.take_on(&erasure, &plan.stones).await?;
    Ok(erasure)
}

/// Waits until everything that was acknowledged before now is in the store and in the lists.
async fn stored(state: &WebState) -> Result<(), WebError> {
    let begun = now_ns();
    let waited = tokio::time::Instant::now();
    loop {
        let status = (state.status)();
        let settled = status.log.oldest_ns.is_none_or(|oldest| oldest > begun);
        if settled && (status.ingest.waiting == 0 || status.log.oldest_ns.is_some()) {
            return Ok(());
        }
        if waited.elapsed() > STORED_WITHIN {
            return Err(WebError::InTheWay(
                "records wait in the log that may be about it; ask again when the store has them (see \
                 /status)"
                    .to_owned(),
            ));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What is recorded about an erasure that was asked for.
pub(in crate::web) fn sentence(erasure: &Erasure) -> String {
    format!("erased the contents of {} under {} because: {}", erasure.about, erasure.id, erasure.reason)
}

/// The erasures that somebody may know of, the latest asked for first.
pub(in crate::web) async fn visible(state: &WebState, viewer: &Viewer) -> Result<Vec<Erasure>, WebError> {
    let mut all = erasures(&state.store, Some(&viewer.scope.project)).await?;
    all.retain(|erasure| viewer.scope.allows(&erasure.about));
    Ok(all)
}

/// One of them.
pub(in crate::web) async fn one(state: &WebState, viewer: &Viewer, id: &str) -> Result<Erasure, WebError> {
    let found = visible(state, viewer).await?.into_iter().find(|erasure| erasure.id == id);
    found.ok_or_else(|| WebError::NotFound("There is no such erasure.".to_owned()))
}
