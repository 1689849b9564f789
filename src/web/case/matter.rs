//! Everything that the page of a case is made of, read from the store.
use crate::domain::case::{Case, CaseEvent};
use crate::domain::policy::ToolPolicy;
use crate::domain::run::Run;
use crate::store::queries::{CaseFilter, CaseOrder, cases};
use crate::web::case::forms::names;
use crate::web::case::uses::{self, Use};
use crate::web::casework;
use crate::web::error::WebError;
use crate::web::reading::{self, Found};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Runs that are folded for one page.
pub(in crate::web) const RUNS_MAX: usize = 4;
/// Cases of the queue among which the neighbours of one are looked for.
const QUEUE: u16 = 500;

/// A case with all that was appended to it and the runs that made its attempts.
#[derive(Debug)]
pub(in crate::web) struct Matter {
    pub(in crate::web) case: Case,
    pub(in crate::web) events: Vec<CaseEvent>,
    pub(in crate::web) runs: Vec<Run>,
    pub(in crate::web) policy: ToolPolicy,
}

impl Matter {
    /// The attempts that the case is about.
    pub(in crate::web) fn uses(&self) -> Vec<Use<'_>> {
        match &self.case.key {
            Some(key) => uses::of_key(&self.runs, &self.case.tool, key),
            None => uses::of_span(&self.runs, (self.case.trace_id, self.case.span_id)),
        }
    }
}

/// Reads a case.
pub(in crate::web) async fn matter(
    state: &WebState,
    viewer: &Viewer,
    case_id: &str,
    now_ns: u64,
) -> Result<Matter, WebError> {
    let (case, events) = casework::look(state, &viewer.scope, case_id).await?;
    let runs = runs(state, viewer, &case.run_ids, now_ns).await?;
    Ok(Matter { policy: state.settings.tools.policy(&case.tool), case, events, runs })
}

/// The first of these runs, folded; one that has expired is left out.
pub(in crate::web) async fn runs(
    state: &WebState,
    viewer: &Viewer,
    run_ids: &[String],
    now_ns: u64,
) -> Result<Vec<Run>, WebError> {
    let mut runs = Vec::new();
    for run_id in run_ids.iter().take(RUNS_MAX) {
        match reading::run(&state.store, &viewer.scope, run_id, now_ns).await {
            Ok(Found::Run(run)) => runs.push(*run),
            Ok(Found::Moved(_) | Found::Several) | Err(WebError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(runs)
}

/// What is next to a case in the queue, and who owns cases there.
#[derive(Debug, Default)]
pub(in crate::web) struct Queue {
    /// The addresses of the cases before and after it.
    pub(in crate::web) neighbours: (Option<String>, Option<String>),
    /// Names of owners.
    pub(in crate::web) owners: Vec<String>,
}

/// Looks for a case in the queue.
pub(in crate::web) async fn neighbours(
    state: &WebState,
    viewer: &Viewer,
    case: &Case,
    now_ns: u64,
) -> Result<Queue, WebError> {
    let filter = CaseFilter::default();
    let place = (None, QUEUE);
    let page = cases(&state.store, &viewer.scope, (&filter, CaseOrder::Urgency), place, now_ns).await?;
    let links = state.links();
    let here = page.cases.iter().position(|other| other.case_id == case.case_id);
    let at = |place: Option<usize>| {
        place.and_then(|place| page.cases.get(place)).map(|other| links.case(&other.case_id))
    };
    Ok(Queue {
        neighbours: match here {
            Some(here) => (at(here.checked_sub(1)), at(here.checked_add(1))),
            // A settled one: on to what waits.
            None => (None, at(Some(0))),
        },
        owners: names(page.cases.iter().filter_map(|other| other.owner.clone())),
    })
}
