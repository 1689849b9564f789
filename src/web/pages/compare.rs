//! `/compare` and `/runs/{run_id}/steps/{step_id}/compare`: why did the second try, step or run differ.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::summary::RunSummary;
use crate::web::compare::asked::Asked;
use crate::web::compare::find::{bodies_of, found, named, side};
use crate::web::compare::runs::{Runs, Stretch as StepStretch};
use crate::web::compare::side::Side;
use crate::web::compare::two::Two;
use crate::web::error::WebError;
use crate::web::link::{Links, segment};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::run::bars::attempts;
use crate::web::run::view::{has_span, span_id};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, shortened};
use crate::web::viewer::Viewer;

/// Attempts offered for choosing.
const CHOICES_MAX: usize = 500;

/// Two attempts.
#[derive(Template)]
#[template(path = "pages/compare.html")]
pub(in crate::web) struct ComparePage {
    shell: Shell,
    title: String,
    heading: Text,
    names: String,
    crumbs: Vec<(Text, String)>,
    layout: Layout,
    /// The numbers of a step's attempts, when there are more than two: number, chosen first, chosen second.
    choices: Vec<(u32, bool, bool)>,
    two: Two,
}

/// Two runs.
#[derive(Template)]
#[template(path = "compare/runs.html")]
pub(in crate::web) struct CompareRunsPage {
    shell: Shell,
    layout: Layout,
    runs: Runs,
}

/// Beside each other, or below.
struct Layout {
    one: bool,
    side_href: String,
    one_href: String,
}

impl Layout {
    fn of(params: &Params) -> Result<Self, WebError> {
        let one = match params.get("layout") {
            None | Some("side") => false,
            Some("one") => true,
            Some(_) => return Err(WebError::Field("layout", "takes side or one".to_owned())),
        };
        let rest = params.without("layout").query();
        let joint = if rest.is_empty() { "?" } else { "&" };
        let side_href = if rest.is_empty() { "?".to_owned() } else { rest.clone() };
        Ok(Self { one, side_href, one_href: format!("{rest}{joint}layout=one") })
    }
}

/// Answers `/runs/{run_id}/steps/{step_id}/compare`.
pub(in crate::web) async fn attempts_of_step(
    State(state): State<WebState>,
    Path((run_id, step_id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["a", "b", "layout"])?;
    let run = match found(&state, &viewer, &run_id).await? {
        Ok(run) => run,
        Err(moved) => {
            let to = format!(
                "{}/steps/{}/compare{}",
                state.links().run(&moved),
                segment(&step_id),
                params.query()
            );
            return Ok(Redirect::to(&to).into_response());
        }
    };
    let step = step_of(&run, &step_id)?;
    let numbers: Vec<u32> = attempts(step).map(|attempt| attempt.number).collect();
    let [first, .., last] = numbers.as_slice() else {
        let said = "This step was tried once, so there is no other attempt to compare it with.";
        return Err(WebError::NotFound(said.to_owned()));
    };
    let a = numbered(step, &params, "a", *first)?;
    let b = numbered(step, &params, "b", *last)?;
    let sides = [a, b].map(|attempt| Side { run: &run, step, attempt });
    let names = [a, b].map(|attempt| format!("Attempt {}", attempt.number));
    let choices = if numbers.len() > 2 {
        let choice = |number: &u32| (*number, *number == a.number, *number == b.number);
        numbers.iter().take(CHOICES_MAX).map(choice).collect()
    } else {
        Vec::new()
    };
    let of = format!("attempts {} and {}", a.number, b.number);
    drawn(&state, &viewer, &params, (&sides, names, of, choices)).await
}

/// Answers `/compare`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    if params.pairs().next().is_none() {
        // Two runs are chosen in the list.
        return Ok(Redirect::to(&state.links().runs()).into_response());
    }
    let asked = Asked::read(&params, &["layout"])?;
    let layout = Layout::of(&params)?;
    let [one, other] = &asked.runs;
    let first = named(&state, &viewer, one).await?;
    let second = if one == other { None } else { Some(named(&state, &viewer, other).await?) };
    let second = second.as_ref().unwrap_or(&first);
    let Some([a, b]) = asked.spans else {
        let mut entities = RunSummary::of(&first).entities;
        entities.extend(RunSummary::of(second).entities);
        let shell = Shell::of(&state, &viewer, "Runs");
        let runs = Runs::of((&first, second), &shell.links);
        return Ok(Seen::about(&entities).on(Page(CompareRunsPage { shell, layout, runs }).into_response()));
    };
    let sides = [side(&first, "a", a)?, side(second, "b", b)?];
    let same_run = one == other;
    let names = sides.map(|side| {
        let run = if same_run { String::new() } else { format!("{}, ", shortened(&side.run.run_id, 40)) };
        let attempt = match side.step.attempts.len() {
            0 | 1 => String::new(),
            _ => format!(", attempt {}", side.attempt.number),
        };
        plain(&format!("{run}step {}{attempt}", side.step.number))
    });
    let of = names.join(" and ");
    drawn(&state, &viewer, &params, (&sides, names, of, Vec::new())).await
}

type Choices = Vec<(u32, bool, bool)>;

async fn drawn(
    state: &WebState,
    viewer: &Viewer,
    params: &Params,
    (sides, names, of, choices): (&[Side<'_>; 2], [String; 2], String, Choices),
) -> Result<Response, WebError> {
    let [before, after] = sides;
    let bodies = bodies_of(state, viewer, (before, after)).await?;
    let shell = Shell::of(state, viewer, "Runs");
    let mut entities = RunSummary::of(before.run).entities;
    if !std::ptr::eq(before.run, after.run) {
        entities.extend(RunSummary::of(after.run).entities);
    }
    let page = ComparePage {
        title: plain(&format!("{}, {of}", after.title().as_str())),
        heading: after.title(),
        names: of,
        crumbs: crumbs(before, &shell.links),
        layout: Layout::of(params)?,
        choices,
        two: Two::of((before, after), names.map(capital), &bodies, &shell.links),
        shell,
    };
    Ok(Seen::about(&entities).on(Page(page).into_response()))
}

fn capital(name: String) -> String {
    crate::web::text::sentence(&name)
}

fn crumbs(side: &Side<'_>, links: &Links) -> Vec<(Text, String)> {
    let span = &side.attempt.record.facts.span_id;
    vec![
        (Text::new(shortened(&side.run.run_id, 60)), links.run(&side.run.run_id)),
        (
            Text::new(format!("Step {}", side.step.number)),
            links.step(&side.run.run_id, side.step.number, span),
        ),
    ]
}

fn step_of<'a>(run: &'a Run, step_id: &str) -> Result<&'a RunStep, WebError> {
    let by_id = run.steps.iter().find(|step| step.step_id == step_id);
    let by_span = || {
        let span = span_id(step_id)?;
        run.steps.iter().find(|step| attempts(step).any(|attempt| has_span(attempt, span)))
    };
    by_id.or_else(by_span).ok_or_else(|| WebError::NotFound("This run has no such step.".to_owned()))
}

fn numbered<'a>(
    step: &'a RunStep,
    params: &Params,
    name: &'static str,
    default: u32,
) -> Result<&'a Attempt, WebError> {
    let wanted = match params.get(name) {
        Some(text) => text.parse().ok(),
        None => Some(default),
    };
    let found = attempts(step).find(|attempt| Some(attempt.number) == wanted);
    found.ok_or_else(|| {
        let known: Vec<String> = attempts(step).take(20).map(|attempt| attempt.number.to_string()).collect();
        let more = if step.attempts.len() > 20 { " and so on" } else { "" };
        WebError::Field(name, format!("is no attempt of this step; there are {}{more}", known.join(", ")))
    })
}
