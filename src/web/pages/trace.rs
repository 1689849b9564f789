//! `/traces/{trace_id}` and `/spans/{trace_id}/{span_id}`: from ids in any spelling to their run.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::ids::{SpanId, TraceId};
use crate::web::error::WebError;
use crate::web::page::{Page, Shell};
use crate::web::reading;
use crate::web::run::view::{hex_digits, span_id};
use crate::web::state::WebState;
use crate::web::text::{Text, shortened};
use crate::web::viewer::Viewer;

/// The page of a trace that holds several runs.
#[derive(Template)]
#[template(path = "pages/trace.html")]
pub(in crate::web) struct TracePage {
    shell: Shell,
    trace: String,
    runs: Vec<(Text, String)>,
}

/// Answers `/traces/{trace_id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(trace): Path<String>,
    viewer: Viewer,
) -> Result<Response, WebError> {
    let trace = trace_id(&trace)?;
    let runs = reading::runs_of_trace(&state.store, &viewer.scope, trace).await?;
    if let [run_id] = runs.as_slice() {
        return Ok(Redirect::to(&state.links().run(run_id)).into_response());
    }
    let shell = Shell::of(&state, &viewer, "Runs");
    let runs = runs.iter().map(|id| (Text::new(shortened(id, 120)), shell.links.run(id))).collect();
    Ok(Page(TracePage { shell, trace: trace.to_string(), runs }).into_response())
}

/// Answers `/spans/{trace_id}/{span_id}`.
pub(in crate::web) async fn span(
    State(state): State<WebState>,
    Path((trace, span)): Path<(String, String)>,
    viewer: Viewer,
) -> Result<Response, WebError> {
    let ids = (trace_id(&trace)?, span_of(&span)?);
    let run_id = reading::run_of_span(&state.store, &viewer.scope, ids).await?;
    Ok(Redirect::to(&format!("{}?span={}", state.links().run(&run_id), ids.1)).into_response())
}

/// Reads a trace id in any spelling people paste: either case, dashes, spaces, leading zeros lost.
fn trace_id(text: &str) -> Result<TraceId, WebError> {
    let digits = hex_digits(text).unwrap_or_default();
    let wrong = || WebError::Invalid("a trace id has 32 hexadecimal digits".to_owned());
    if digits.is_empty() { Err(wrong()) } else { TraceId::parse(&format!("{digits:0>32}")).ok_or_else(wrong) }
}

fn span_of(text: &str) -> Result<SpanId, WebError> {
    span_id(text).ok_or_else(|| WebError::Invalid("a span id has 16 hexadecimal digits".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_ids_are_read_in_any_spelling() {
        for text in [
            "008efff798038103d269b633813fc703",
            "008EFFF798038103D269B633813FC703",
            "008efff7-9803-8103-d269-b633813fc703",
            " 8efff798038103d269b633813fc703 ",
        ] {
            assert_eq!(trace_id(text).unwrap().to_string(), "008efff798038103d269b633813fc703", "{text}");
        }
        for text in ["", "zz", "008efff798038103d269b633813fc70300", "../x"] {
            assert!(trace_id(text).is_err(), "{text}");
        }
    }
}
