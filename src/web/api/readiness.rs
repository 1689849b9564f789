//! `GET /readiness`: the six answers for each tool of each agent, as JSON or CSV.
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::readiness::{Decided, Proof, QUESTIONS, Question, Reply, ToolSheet, overall};
use crate::web::api::answer::Answer;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::params::Params;
use crate::web::readiness::{Asked, decided};
use crate::web::state::WebState;
use crate::web::text::{cut, plain};
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Readiness {
    days: Option<u64>,
    from: String,
    to: String,
    questions: Vec<Answered>,
    tools: Vec<Tool>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolReadiness")]
struct Tool {
    agent: Option<String>,
    agent_version: Option<String>,
    tool: String,
    kind: &'static str,
    answers: Vec<Answered>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReadinessAnswer")]
struct Answered {
    question: u8,
    text: &'static str,
    answer: &'static str,
    why: String,
    change: Option<&'static str>,
    evidence: Vec<Seen>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReadinessProof")]
struct Seen {
    what: &'static str,
    count: u64,
    run_id: Option<String>,
    step_number: Option<u32>,
    span_id: Option<String>,
}

/// Answers `GET /api/v1/readiness`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &["format"])?;
    let as_csv = match params.get("format") {
        None | Some("json") => false,
        Some("csv") => true,
        Some(other) => {
            let word = plain(cut(other, 20));
            return Err(WebError::Invalid(format!("`format` can't be `{word}`: it is json or csv")));
        }
    };
    let now_ns = format::now_ns();
    let sheets = asked.sheets(&state, &viewer.scope, now_ns).await?;
    let decided = &decided(&state, &viewer.scope.project);
    if as_csv {
        return Ok(csv(&sheets, decided));
    }
    let (from_ns, to_ns) = asked.span(now_ns);
    Ok(Answer(Readiness {
        days: asked.by_days().then_some(asked.days),
        from: format::rfc3339(from_ns),
        to: format::rfc3339(to_ns.unwrap_or(now_ns)),
        questions: QUESTIONS.iter().map(|q| answered(q, overall(q, &sheets, decided))).collect(),
        tools: sheets.iter().map(|sheet| tool(sheet, decided)).collect(),
    })
    .into_response())
}

fn tool(sheet: &ToolSheet, decided: &Decided) -> Tool {
    let told = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Tool {
        agent: told(&sheet.agent),
        agent_version: told(&sheet.agent_version),
        tool: sheet.tool.clone(),
        kind: if sheet.acts() { "act" } else { "read" },
        answers: QUESTIONS.iter().map(|q| answered(q, (q.ask)(sheet, decided))).collect(),
    }
}

fn answered(question: &Question, reply: Reply) -> Answered {
    Answered {
        question: question.number,
        text: question.text,
        answer: reply.answer.word(),
        change: Some(reply.change).filter(|change| !change.is_empty()),
        evidence: reply.proofs.iter().map(seen).collect(),
        why: reply.why,
    }
}

fn seen(proof: &Proof) -> Seen {
    let example = proof.example.as_ref();
    Seen {
        what: proof.what,
        count: proof.count,
        run_id: example.map(|example| example.run_id.clone()),
        step_number: example.map(|example| example.number),
        span_id: example.map(|example| example.span_id.to_string()),
    }
}

/// One line for each tool and question.
fn csv(sheets: &[ToolSheet], decided: &Decided) -> Response {
    let mut out = String::from("agent,tool,kind,question,answer,why,change,example_run,example_step\r\n");
    for sheet in sheets {
        for question in QUESTIONS {
            let reply = (question.ask)(sheet, decided);
            let example = reply.proofs.iter().find_map(|proof| proof.example.clone()).unwrap_or_default();
            let cells = [
                sheet.agent.as_str(),
                &sheet.tool,
                if sheet.acts() { "act" } else { "read" },
                &question.number.to_string(),
                reply.answer.word(),
                &reply.why,
                reply.change,
                &example.run_id,
                &example.number.to_string(),
            ];
            out += &cells.map(cell).join(",");
            out += "\r\n";
        }
    }
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    let name = HeaderValue::from_static("attachment; filename=\"readiness.csv\"");
    headers.insert(CONTENT_DISPOSITION, name);
    (headers, out).into_response()
}

/// A cell in quotes. A spreadsheet takes what begins with one of these for a formula.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_any_text_and_no_formula() {
        assert_eq!(cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell("@x"), "\"'@x\"");
        assert_eq!(cell(""), "\"\"");
    }
}
