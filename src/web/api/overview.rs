//! `GET /overview`: the figures of the overview, over time and by name.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::cost::rounded;
use crate::store::Stretch;
use crate::store::queries::{ParameterSet, Took, UnknownSum, WorkSum};
use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::format::{self, rfc3339};
use crate::web::overview::asked::Asked;
use crate::web::overview::figures::{Bin, Figures};
use crate::web::overview::gather::gather;
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Overview {
    from: String,
    to: String,
    step_seconds: u64,
    by_default: bool,
    unfolded_run_count: u64,
    total: Span,
    bins: Vec<Span>,
    tools: Vec<Tool>,
    models: Vec<Model>,
    parameters: Vec<Set>,
    unknowns: Vec<Unknowns>,
}

/// What happened in a stretch of time, by the start of each run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewSpan")]
struct Span {
    from: String,
    to: String,
    run_count: u64,
    acts: Acts,
    tool_step_count: u64,
    retried_step_count: u64,
    recovered_step_count: u64,
    throttled_count: u64,
    model_call_count: u64,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    cost_usd: Option<f64>,
    cost_partial: bool,
    tools_took: Option<Lengths>,
    models_took: Option<Lengths>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewActs")]
struct Acts {
    confirmed: u64,
    failed: u64,
    unknown: u64,
    submitted: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewTool")]
struct Tool {
    tool: String,
    run_count: u64,
    step_count: u64,
    attempt_count: u64,
    retried_step_count: u64,
    recovered_step_count: u64,
    throttled_count: u64,
    acts: Acts,
    took: Option<Lengths>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewModel")]
struct Model {
    model: Option<String>,
    run_count: u64,
    attempt_count: u64,
    throttled_count: u64,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    cost_usd: Option<f64>,
    took: Option<Lengths>,
}

/// How long attempts took, in milliseconds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewLengths")]
struct Lengths {
    count: u64,
    p50_ms: f64,
    p90_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewParameters")]
struct Set {
    model: Option<String>,
    parameters: Vec<String>,
    attempt_count: u64,
    run_count: u64,
    first_seen: String,
    last_seen: String,
}

/// Open unknowns of a tool, whenever their run began.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OverviewUnknowns")]
struct Unknowns {
    tool: String,
    open: u64,
    older_than_1h: u64,
    older_than_1d: u64,
    older_than_7d: u64,
    older_than_30d: u64,
    oldest_since: String,
}

/// Answers `GET /api/v1/overview`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let now_ns = format::now_ns();
    let asked = Asked::read(&params, &[], now_ns)?;
    let (figures, _) = gather(&state, &viewer.scope, &asked, now_ns).await?;
    let bins = figures.bins.iter().enumerate().map(|(at, bin)| span(&figures.stretch, at, bin));
    Ok(Answer(Overview {
        from: rfc3339(asked.from_ns.unwrap_or(figures.stretch.start_ns)),
        to: rfc3339(asked.to_ns.unwrap_or(now_ns)),
        step_seconds: figures.stretch.width_ns / 1_000_000_000,
        by_default: asked.by_default,
        unfolded_run_count: figures.unfolded,
        total: total(&figures),
        bins: bins.collect(),
        tools: figures.tools.iter().map(tool).collect(),
        models: figures.models.iter().map(|sum| model(sum, &figures)).collect(),
        parameters: figures.parameters.iter().map(set).collect(),
        unknowns: figures.unknowns.iter().map(unknowns).collect(),
    })
    .into_response())
}

fn span(stretch: &Stretch, at: usize, bin: &Bin) -> Span {
    Span {
        from: rfc3339(stretch.edge_ns(at)),
        to: rfc3339(stretch.edge_ns(at + 1)),
        run_count: bin.runs,
        acts: acts(&bin.tools),
        tool_step_count: bin.tools.steps,
        retried_step_count: bin.tools.retried,
        recovered_step_count: bin.tools.recovered,
        throttled_count: bin.tools.throttled + bin.models.throttled,
        model_call_count: bin.models.attempts,
        tokens_in: bin.tokens.0,
        tokens_out: bin.tokens.1,
        cost_usd: bin.cost_usd.map(rounded),
        cost_partial: bin.cost_is_partial,
        tools_took: bin.tools.took.map(lengths),
        models_took: bin.models.took.map(lengths),
    }
}

/// All bins together. Lengths can't be added up; those by name are in their lists.
fn total(figures: &Figures) -> Span {
    let (stretch, sum) = (&figures.stretch, |of: fn(&WorkSum) -> u64| figures.sum(|bin| of(&bin.tools)));
    Span {
        from: rfc3339(stretch.start_ns),
        to: rfc3339(stretch.end_ns()),
        run_count: figures.sum(|bin| bin.runs),
        acts: Acts {
            confirmed: sum(|sum| sum.confirmed),
            failed: sum(|sum| sum.failed),
            unknown: sum(|sum| sum.unknown),
            submitted: sum(|sum| sum.submitted),
        },
        tool_step_count: sum(|sum| sum.steps),
        retried_step_count: sum(|sum| sum.retried),
        recovered_step_count: sum(|sum| sum.recovered),
        throttled_count: figures.sum(|bin| bin.tools.throttled + bin.models.throttled),
        model_call_count: figures.sum(|bin| bin.models.attempts),
        tokens_in: figures.told(|bin| bin.tokens.0),
        tokens_out: figures.told(|bin| bin.tokens.1),
        cost_usd: figures.cost_usd().map(rounded),
        cost_partial: figures.cost_is_partial(),
        tools_took: None,
        models_took: None,
    }
}

fn acts(sum: &WorkSum) -> Acts {
    Acts { confirmed: sum.confirmed, failed: sum.failed, unknown: sum.unknown, submitted: sum.submitted }
}

fn tool(sum: &WorkSum) -> Tool {
    Tool {
        tool: sum.name.clone().unwrap_or_default(),
        run_count: sum.runs,
        step_count: sum.steps,
        attempt_count: sum.attempts,
        retried_step_count: sum.retried,
        recovered_step_count: sum.recovered,
        throttled_count: sum.throttled,
        acts: acts(sum),
        took: sum.took.map(lengths),
    }
}

fn model(sum: &WorkSum, figures: &Figures) -> Model {
    let name = sum.name.clone().unwrap_or_default();
    Model {
        run_count: sum.runs,
        attempt_count: sum.attempts,
        throttled_count: sum.throttled,
        tokens_in: sum.tokens_in,
        tokens_out: sum.tokens_out,
        cost_usd: figures.cost_of.get(&name).copied().map(rounded),
        took: sum.took.map(lengths),
        model: told(&name),
    }
}

fn told(name: &str) -> Option<String> {
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn lengths(took: Took) -> Lengths {
    Lengths {
        count: took.count,
        p50_ms: milliseconds(took.p50_us),
        p90_ms: milliseconds(took.p90_us),
        p99_ms: milliseconds(took.p99_us),
        max_ms: milliseconds(took.max_us),
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of a call are fewer than 2^53")]
fn milliseconds(us: u64) -> f64 {
    us as f64 / 1_000.0
}

fn set(set: &ParameterSet) -> Set {
    Set {
        model: told(&set.model),
        parameters: set.parameters.clone(),
        attempt_count: set.attempts,
        run_count: set.runs,
        first_seen: rfc3339(set.first_ns),
        last_seen: rfc3339(set.last_ns),
    }
}

fn unknowns(sum: &UnknownSum) -> Unknowns {
    let older = |at: usize| sum.older.get(at).copied().unwrap_or_default();
    Unknowns {
        tool: sum.tool_name.clone(),
        open: sum.open,
        older_than_1h: older(0),
        older_than_1d: older(1),
        older_than_7d: older(2),
        older_than_30d: older(3),
        oldest_since: rfc3339(sum.oldest_ns),
    }
}
