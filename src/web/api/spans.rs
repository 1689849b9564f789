//! `GET /traces/{trace_id}` and `GET /spans/{trace_id}/{span_id}`.
use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::conventions::rebuild;
use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::run::{Attempt as Tried, Run, RunStep};
use crate::domain::scope::Scope;
use crate::domain::value::Value;
use crate::store::Store;
use crate::store::queries::bodies;
use crate::store::rows::StepRow;
use crate::web::api::answer::{self, Answer};
use crate::web::api::attempt::Attempt;
use crate::web::api::otlp;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::segment;
use crate::web::openapi::operation::{either, of};
use crate::web::params::Params;
use crate::web::reading::{self, Found};
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Wants};
use crate::web::run::view::{has_span, hex_digits, span_id};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct RunsOfTrace {
    trace_id: String,
    run_ids: Vec<String>,
}

/// An attempt with everything kept, and the step it belongs to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeptAttempt")]
pub(in crate::web) struct Kept {
    #[serde(flatten)]
    attempt: Attempt,
    run_id: String,
    step_id: Option<String>,
    kind: Option<&'static str>,
    step_name: Option<String>,
    tool: Option<String>,
    tool_call_id: Option<String>,
    target: Option<String>,
    key: Option<String>,
    proposed_by: Option<String>,
}

/// The schema of a span: an attempt, or OTLP/JSON.
pub(in crate::web) fn schema(generator: &mut SchemaGenerator) -> Schema {
    either(generator, of::<Kept>, of::<serde_json::Map<String, serde_json::Value>>)
}

/// Answers `GET /api/v1/traces/{trace_id}`.
pub(in crate::web) async fn of_trace(
    State(state): State<WebState>,
    Path(trace): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let trace = trace_id(&trace)?;
    let run_ids = reading::runs_of_trace(&state.store, &viewer.scope, trace).await?;
    if let [only] = run_ids.as_slice() {
        let to = format!("{}/{}", state.links().to("/api/v1/runs"), segment(only));
        return Ok(Redirect::to(&to).into_response());
    }
    Ok(Answer(RunsOfTrace { trace_id: trace.to_string(), run_ids }).into_response())
}

fn trace_id(text: &str) -> Result<TraceId, WebError> {
    let id = hex_digits(text).and_then(|digits| TraceId::parse(&format!("{digits:0>32}")));
    id.ok_or_else(|| WebError::Invalid("a trace id has 32 hexadecimal digits".to_owned()))
}

/// Answers `GET /api/v1/spans/{trace_id}/{span_id}`; with `format=otlp` the span as OTLP/JSON.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((trace, span)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["format"])?;
    let span =
        span_id(&span).ok_or_else(|| WebError::Invalid("a span id has 16 hexadecimal digits".to_owned()))?;
    let ids = (trace_id(&trace)?, span);
    let as_otlp = match params.get("format") {
        None | Some("json") => false,
        Some("otlp") => true,
        Some(_) => return Err(WebError::Invalid("`format` is `json` or `otlp`".to_owned())),
    };
    let rows = reading::kept(&state.store, &viewer.scope, ids).await?;
    if rows.is_empty() {
        return Err(WebError::NotFound("No such span has arrived, or it has expired.".to_owned()));
    }
    let run_id = reading::run_of_span(&state.store, &viewer.scope, ids).await?;
    let run = reading::run(&state.store, &viewer.scope, &run_id, format::now_ns()).await?;
    let run = match run {
        Found::Run(mut run) => {
            state.settings.prices.apply(&mut run);
            Some(run)
        }
        Found::Moved(_) | Found::Several => None,
    };
    let place = run.as_deref().and_then(|run| find(run, ids.1));
    let row = chosen(rows, place.map(|(_, attempt)| attempt));
    let Some(row) = filled(&state.store, &viewer.scope, row).await? else {
        return Err(WebError::Broken);
    };
    if as_otlp {
        let json = HeaderValue::from_static("application/json");
        return Ok(([(CONTENT_TYPE, json)], otlp::span(&row)).into_response());
    }
    let bodies = reading::load(&state.store, &viewer.scope, &wants(&row, place)).await?;
    Ok(Answer(kept(&row, place, &bodies, run_id)).into_response())
}

fn find(run: &Run, span: SpanId) -> Option<(&RunStep, &Tried)> {
    let all = run.steps.iter().flat_map(|step| attempts(step).map(move |attempt| (step, attempt)));
    let mut found = all.filter(|(_, attempt)| has_span(attempt, span));
    found.next()
}

/// Of several versions, the one that the fold chose.
fn chosen(mut rows: Vec<StepRow>, attempt: Option<&Tried>) -> Option<StepRow> {
    let at = attempt
        .and_then(|attempt| rows.iter().position(|row| row.record.record_id == attempt.record.record_id));
    match at {
        Some(at) => Some(rows.swap_remove(at)),
        None => rows.into_iter().next(),
    }
}

/// Puts the bodies back into the values they were taken from.
async fn filled(store: &Store, scope: &Scope, row: Option<StepRow>) -> Result<Option<StepRow>, WebError> {
    let Some(mut row) = row else { return Ok(None) };
    let found = bodies(store, scope, row.record.facts.trace_id, &row.bodies).await?;
    let texts: BTreeMap<Digest, String> =
        found.into_iter().map(|body| (body.content.digest, body.text)).collect();
    let digests = std::mem::take(&mut row.bodies);
    let body = |index: usize| texts.get(digests.get(index)?).map(String::as_str);
    let events = row.events.iter_mut().flat_map(|event| event.attributes.iter_mut());
    let all =
        row.attributes.iter_mut().chain(&mut row.resource).chain(&mut row.scope.attributes).chain(events);
    for (_, value) in all {
        *value = rebuild(value, &body);
    }
    Ok(Some(row))
}

fn wants(row: &StepRow, place: Option<(&RunStep, &Tried)>) -> Wants {
    let record = &row.record;
    let joined = place.into_iter().flat_map(|(_, attempt)| [&attempt.arguments, &attempt.result]).flatten();
    let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
    let own = record.output.iter().chain(&record.arguments).chain(&record.result);
    let refs = own.chain(proposed).chain(joined).map(|content| content.digest);
    let trace = record.facts.trace_id;
    Wants {
        whole: record.context.iter().copied().chain(refs).map(|digest| (trace, digest)).collect(),
        ..Wants::default()
    }
}

fn kept(row: &StepRow, place: Option<(&RunStep, &Tried)>, bodies: &Bodies, run_id: String) -> Kept {
    let own = place.filter(|(_, attempt)| attempt.record.facts.span_id == row.record.facts.span_id);
    let mut attempt = match own {
        Some((_, attempt)) => Attempt::of(attempt, bodies),
        None => Attempt::of_record(&row.record, bodies),
    };
    let all: Vec<(String, Value)> = row.attributes.clone();
    attempt.attributes = answer::entries(&all);
    let step = place.map(|(step, _)| step);
    Kept {
        attempt,
        run_id,
        step_id: step.map(|step| step.step_id.clone()),
        kind: step.map(|step| step.kind.word()),
        step_name: step.map(|step| step.name.clone()),
        tool: step.and_then(|step| step.tool.clone()),
        tool_call_id: row.record.facts.tool_call_id.clone(),
        target: step.and_then(|step| step.target.clone()),
        key: row.record.facts.key.clone().or_else(|| step?.key.clone()),
        proposed_by: step.and_then(|step| step.proposed_by.clone()),
    }
}
