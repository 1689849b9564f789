//! `/runs/{run_id}`: what did it do, is that settled, and one attempt of it from six sides.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::cost::Cost;
use crate::domain::run::{Run, RunState};
use crate::domain::summary::RunSummary;
use crate::store::queries::erased_in;
use crate::store::rows::StepRow;
use crate::web::entity::coverage::Erased;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for;
use crate::web::link::encoded;
use crate::web::older;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::reading::{self, Found};
use crate::web::run::bars::attempts;
use crate::web::run::beside::Beside;
use crate::web::run::head::{Head, title};
use crate::web::run::inspector::{Inspector, Loaded, case_id, wants};
use crate::web::run::rail::Rail;
use crate::web::run::raised;
use crate::web::run::raw::Original;
use crate::web::run::transcript;
use crate::web::run::verdict::Card;
use crate::web::run::view::{Look, View};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{plain, shortened};
use crate::web::viewer::Viewer;

/// So long after the last receipt a page still follows its run.
const MAY_COME_NS: u64 = 600_000_000_000;

/// The page.
#[derive(Template)]
#[template(path = "pages/run.html")]
pub(in crate::web) struct RunPage {
    shell: Shell,
    title: String,
    head: Head,
    beside: Beside,
    card: Card,
    notices: Vec<String>,
    /// What tells of its changes, while there may be some.
    live: Option<String>,
    rail: Rail,
    inspector: Option<Inspector>,
}

/// The inspector alone, for swapping it without the page.
#[derive(Template)]
#[template(path = "run/inspector.html")]
pub(in crate::web) struct InspectorPart {
    inspector: Option<Inspector>,
}

/// Answers `/runs/{run_id}`; with `part=inspector` only the inspector.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(run_id): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let now_ns = format::now_ns();
    let view = View::read(params.pairs());
    let is_part = params.get("part") == Some("inspector");
    let beside = async {
        // The inspector alone stands beside nothing.
        match is_part {
            true => Ok(Beside::default()),
            false => Beside::of(&state, &viewer, (&run_id, view.list.as_deref()), now_ns).await,
        }
    };
    let found = reading::run(&state.store, &viewer.scope, &run_id, now_ns);
    let (found, beside) = futures_util::future::try_join(found, beside).await?;
    let mut run = match found {
        Found::Run(run) => *run,
        Found::Moved(run_id) => {
            let query = params.query();
            return Ok(Redirect::to(&format!("{}{query}", state.links().run(&run_id))).into_response());
        }
        Found::Several => {
            let to = format!("{}/{}", state.links().to("/traces"), encoded(&run_id));
            return Ok(Redirect::to(&to).into_response());
        }
    };
    state.settings.prices.apply(&mut run);
    let expired = async { Ok(older::expired(&state.store, &viewer.scope, &run, now_ns).await?) };
    let (mut loaded, expired) =
        futures_util::future::try_join(loaded(&state, &viewer, &run, &view), expired).await?;
    let erased = erased_in(&state.store, &viewer.scope, &run.traces).await?;
    let look = Look::of(&run, &view);
    if let Some(taken) = look.and_then(|look| erased.of(&look.attempt.record.record_id)) {
        loaded.bodies.say_of_missing(reading::erased_sentence(taken));
    }
    if view.transcript {
        let wants = transcript::wants(&run.steps);
        loaded.bodies.append(reading::load(&state.store, &viewer.scope, &wants).await?);
    }
    let shell = Shell::of(&state, &viewer, "Runs");
    if is_part {
        let links = shell.links;
        let inspector =
            Look::of(&run, &view).map(|look| Inspector::of(&run, &look, &view, &loaded, (&links, now_ns)));
        return Ok(Page(InspectorPart { inspector }).into_response());
    }
    let summary = RunSummary::of(&run);
    let cost = state.settings.prices.total(&summary);
    let mut page = RunPage::of(&run, (&summary, cost), &view, &loaded, (shell, now_ns));
    page.notices.extend(older::said(expired));
    page.beside = beside;
    page.notices.extend(erased.taken.iter().map(|taken| Erased::from(taken).sentence()));
    Ok(Seen::about(&summary.entities).on(Page(page).into_response()))
}

async fn loaded(state: &WebState, viewer: &Viewer, run: &Run, view: &View) -> Result<Loaded, WebError> {
    let Some(look) = Look::of(run, view) else { return Ok(Loaded::default()) };
    let wants = wants(run, &look, view);
    let mut bodies = reading::load(&state.store, &viewer.scope, &wants).await?;
    let kept = state.settings.retention.of(&viewer.scope.project);
    let received_ns = look.attempt.record.received_ns;
    bodies.say_of_missing(kept_for::of_missing_body(kept, received_ns, format::now_ns()));
    let ids = &look.attempt.record.facts;
    let kept = match wants.span {
        true => reading::kept(&state.store, &viewer.scope, (ids.trace_id, ids.span_id)).await?,
        false => Vec::new(),
    };
    // Of several versions, the one that the fold chose.
    let chosen = look.attempt.record.record_id;
    let original = kept.into_iter().find(|row| row.record.record_id == chosen).map(original);
    if let Some(original) = &original {
        let wants = raised::wants(&look, original);
        bodies.append(reading::load(&state.store, &viewer.scope, &wants).await?);
    }
    Ok(Loaded { bodies, original, case_id: case_id(&viewer.scope.project, &look) })
}

fn original(row: StepRow) -> Original {
    Original {
        attributes: row.attributes,
        events: row.events,
        resource: row.resource,
        scope: row.scope,
        bodies: row.bodies,
    }
}

impl RunPage {
    /// The page of a run, as the address asks for it.
    pub(in crate::web) fn of(
        run: &Run,
        (summary, cost): (&RunSummary, Option<Cost>),
        view: &View,
        loaded: &Loaded,
        (shell, now_ns): (Shell, u64),
    ) -> Self {
        let look = Look::of(run, view);
        let asked = view
            .span
            .filter(|_| look.is_none_or(|look| Some(look.attempt.record.facts.span_id) != view.span));
        let links = shell.links.clone();
        Self {
            title: plain(&shortened(title(run), 120)),
            head: Head::of(run, (summary, cost), &links, now_ns),
            beside: Beside::default(),
            card: Card::of(run, view),
            notices: asked
                .map(|span| format!("Span {span} is not one of this run's steps; another one is shown."))
                .into_iter()
                .collect(),
            rail: Rail::of(run, view, look, &loaded.bodies, (&links, now_ns)),
            inspector: look.map(|look| Inspector::of(run, &look, view, loaded, (&links, now_ns))),
            live: live(run, now_ns).then(|| links.stream(&run.run_id)),
            shell,
        }
    }
}

/// Whether more may come: it runs, or something of it arrived a moment ago.
fn live(run: &Run, now_ns: u64) -> bool {
    let received = run.steps.iter().flat_map(attempts).map(|attempt| attempt.record.received_ns).max();
    run.state == RunState::Running
        || received.is_some_and(|received| received.saturating_add(MAY_COME_NS) > now_ns)
}
