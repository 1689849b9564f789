//! `GET /findings`: what was noticed, in all runs or in one; and what every code means.
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::domain::finding::Code;
use crate::domain::fold::{About, about};
use crate::domain::scope::Scope;
use crate::store::queries::{FINDINGS_MAX, FindingCursor, FindingPage, FoundFinding, findings};
use crate::web::api::answer::Answer;
use crate::web::api::record::Finding;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format;
use crate::web::noticed::asked::Asked;
use crate::web::openapi::operation::{either, of};
use crate::web::params::Params;
use crate::web::reading::{self, Found};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Findings in an answer when nobody says how many.
const LIMIT: u16 = 50;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindingList")]
pub(in crate::web) struct List {
    findings: Vec<Listed>,
    next: Option<String>,
}

/// A finding of a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListedFinding")]
struct Listed {
    code: &'static str,
    severity: &'static str,
    message: String,
    since: Option<String>,
    run_id: String,
    run_name: String,
    agent: Option<String>,
    started_at: String,
    tools: Vec<String>,
    step_count: u32,
    steps: Vec<Place>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindingPlace")]
struct Place {
    number: u32,
    trace_id: String,
    span_id: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindingsOfRun")]
pub(in crate::web) struct OfRun {
    run_id: String,
    findings: Vec<Finding>,
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindingCodes")]
pub(in crate::web) struct Codes {
    codes: Vec<Meaning>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindingCode")]
struct Meaning {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    meaning: &'static str,
    matters: &'static str,
    remedy: &'static str,
}

/// The schema of a list, of all runs or of one.
pub(in crate::web) fn schema(generator: &mut SchemaGenerator) -> Schema {
    either(generator, of::<List>, of::<OfRun>)
}

/// Answers `GET /api/v1/findings`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &["limit", "format"])?;
    let format = Format::read(params.get("format"))?;
    let limit = params.number("limit", (1, FINDINGS_MAX))?.unwrap_or(LIMIT);
    let now_ns = format::now_ns();
    let narrow = ["agent", "tool", "week", "t", "from", "to", "cursor"];
    let of_run = params.get("run").filter(|_| narrow.iter().all(|name| params.get(name).is_none()));
    if let Some(format) = format {
        let after = asked.after.clone();
        let (asked, scope) = (Arc::new(asked), viewer.scope);
        let more =
            move |after| part(state.clone(), (scope.clone(), asked.clone()), (after, FINDINGS_MAX), now_ns);
        return listed(("findings", format), after, more).await;
    }
    if let Some(run_id) = of_run {
        // Of one run the answer is folded now, whole.
        return of_one(&state, &viewer, (run_id, &asked), now_ns).await;
    }
    let after = asked.after.clone();
    let (findings, next) = part(state, (viewer.scope, Arc::new(asked)), (after, limit), now_ns).await?;
    Ok(Answer(List { findings, next: next.map(|place| place.to_string()) }).into_response())
}

async fn part(
    state: WebState,
    (scope, asked): (Scope, Arc<Asked>),
    (after, limit): (Option<FindingCursor>, u16),
    now_ns: u64,
) -> Result<Part<Listed, FindingCursor>, WebError> {
    let page = match asked.is_empty() {
        true => FindingPage::default(),
        false => {
            let place = (after.as_ref(), limit);
            findings(&state.store, &scope, &asked.filter(now_ns, true), place, now_ns).await?
        }
    };
    Ok((page.findings.into_iter().map(Listed::from).collect(), page.next))
}

async fn of_one(
    state: &WebState,
    viewer: &Viewer,
    (run_id, asked): (&str, &Asked),
    now_ns: u64,
) -> Result<Response, WebError> {
    match reading::run(&state.store, &viewer.scope, run_id, now_ns).await? {
        Found::Run(run) => {
            let wanted = |code: Code| {
                asked.code.is_none_or(|asked| asked == code)
                    && asked.severity.is_none_or(|asked| asked == code.severity())
            };
            let found = run.findings.iter().filter(|finding| wanted(finding.code));
            let findings = found.map(Finding::from).collect();
            Ok(Answer(OfRun { findings, run_id: run.run_id, next: None }).into_response())
        }
        Found::Moved(run_id) => {
            Err(WebError::NotFound(format!("This run is now {}.", crate::web::text::plain(&run_id))))
        }
        Found::Several => {
            Err(WebError::NotFound("This trace holds several runs; ask for one of them.".to_owned()))
        }
    }
}

/// Answers `GET /api/v1/findings/codes`.
pub(in crate::web) async fn codes(_: Viewer, params: Params) -> Result<Response, WebError> {
    params.only(&[])?;
    let codes = Code::ALL
        .iter()
        .map(|code| {
            let About { title, means, matters, remedy } = about(*code);
            let severity = code.severity().word();
            Meaning { code: code.word(), severity, title, meaning: means, matters, remedy }
        })
        .collect();
    Ok(Answer(Codes { codes }).into_response())
}

impl From<FoundFinding> for Listed {
    fn from(found: FoundFinding) -> Self {
        let place = |step: &crate::domain::listing::ListedStep| Place {
            number: step.number,
            trace_id: step.trace_id.to_string(),
            span_id: step.span_id.to_string(),
        };
        Self {
            code: found.code.word(),
            severity: found.code.severity().word(),
            message: found.message,
            since: found.since_ns.map(format::rfc3339),
            run_id: found.run_id,
            run_name: found.run_name,
            agent: Some(found.agent).filter(|agent| !agent.is_empty()),
            started_at: format::rfc3339(found.listed_ns),
            tools: found.tools,
            step_count: found.step_count,
            steps: found.steps.iter().map(place).collect(),
        }
    }
}
