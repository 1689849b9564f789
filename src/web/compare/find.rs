//! From what an address names to what is compared: the runs, and the attempts in them.
use crate::domain::ids::SpanId;
use crate::domain::run::Run;
use crate::web::compare::side::Side;
use crate::web::compare::two::wants;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for;
use crate::web::link::encoded;
use crate::web::reading::{self, Found};
use crate::web::run::bars::attempts;
use crate::web::run::bodies::Bodies;
use crate::web::run::view::has_span;
use crate::web::state::WebState;
use crate::web::text::{plain, shortened};
use crate::web::viewer::Viewer;

/// The run with this id, or the id it moved to.
pub(in crate::web) async fn found(
    state: &WebState,
    viewer: &Viewer,
    run_id: &str,
) -> Result<Result<Run, String>, WebError> {
    match reading::run(&state.store, &viewer.scope, run_id, format::now_ns()).await? {
        Found::Run(run) => {
            let mut run = *run;
            state.settings.prices.apply(&mut run);
            Ok(Ok(run))
        }
        Found::Moved(run_id) => Ok(Err(run_id)),
        Found::Several => Err(WebError::NotFound(format!(
            "Trace {} holds several runs; choose one at {}/{}.",
            plain(&shortened(run_id, 40)),
            state.links().to("/traces"),
            encoded(run_id)
        ))),
    }
}

/// The same, following an id that moved.
pub(in crate::web) async fn named(state: &WebState, viewer: &Viewer, run_id: &str) -> Result<Run, WebError> {
    let moved = match found(state, viewer, run_id).await? {
        Ok(run) => return Ok(run),
        Err(moved) => moved,
    };
    let again = found(state, viewer, &moved).await?;
    again.map_err(|_moved| WebError::NotFound(format!("Run {} moved.", plain(&shortened(run_id, 80)))))
}

/// The bodies that comparing two attempts takes.
pub(in crate::web) async fn bodies_of(
    state: &WebState,
    viewer: &Viewer,
    (before, after): (&Side<'_>, &Side<'_>),
) -> Result<Bodies, WebError> {
    let mut bodies = reading::load(&state.store, &viewer.scope, &wants(before, after)).await?;
    let kept = state.settings.retention.of(&viewer.scope.project);
    let received_ns = before.attempt.record.received_ns;
    bodies.say_of_missing(kept_for::of_missing_body(kept, received_ns, format::now_ns()));
    Ok(bodies)
}

/// The attempt with this span in a run; `name` is the parameter that named it.
pub(in crate::web) fn side<'a>(run: &'a Run, name: &'static str, span: SpanId) -> Result<Side<'a>, WebError> {
    let all = run.steps.iter().flat_map(|step| attempts(step).map(move |attempt| (step, attempt)));
    let mut found = all.filter(|(_, attempt)| has_span(attempt, span));
    let (step, attempt) = found.next().ok_or_else(|| {
        WebError::NotFound(format!("`{name}` names span {span}, which is no attempt of its run."))
    })?;
    Ok(Side { run, step, attempt })
}
