//! All that was done on or for an entity as CSV or JSON lines: streamed to the end, or failing in sight.
//! in sight.
use std::io;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::store::EntityFilter;
use crate::store::rows::RunCursor;
use crate::web::entity::gather::Question;
use crate::web::entity::names::Names;
use crate::web::entity::told::Told;
use crate::web::error::WebError;
use crate::web::format::rfc3339;
use crate::web::state::WebState;

/// Runs read at once.
const RUNS_AT_ONCE: u16 = 25;
/// Written in front of a cell that a spreadsheet would run.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Format {
    /// Comma-separated, RFC 4180, with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
}

impl Format {
    /// Reads the parameter `format`; `None` for a JSON answer.
    pub(in crate::web) fn read(word: Option<&str>) -> Result<Option<Self>, WebError> {
        match word {
            None | Some("json") => Ok(None),
            Some("csv") => Ok(Some(Self::Csv)),
            Some("jsonl") => Ok(Some(Self::Jsonl)),
            Some(_) => Err(WebError::Invalid("`format` is `json`, `csv` or `jsonl`".to_owned())),
        }
    }

    fn media(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Jsonl => "application/jsonl",
        }
    }
}

/// A step as one row.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntityStep")]
pub(in crate::web) struct Row<'a> {
    at: String,
    tie: &'static str,
    kind: &'static str,
    tool: Option<&'a str>,
    target: Option<&'a str>,
    sentence: &'a str,
    outcome: Option<&'static str>,
    evidence: Option<&'static str>,
    attempts: u64,
    missing_attempts: &'a [u32],
    held: u64,
    gate: &'static str,
    key: Option<&'a str>,
    value: Option<&'a str>,
    downstream_id: Option<&'a str>,
    run_id: &'a str,
    session_id: Option<&'a str>,
    step_id: &'a str,
    step_number: u32,
    agent: Option<&'a str>,
    agent_version: Option<&'a str>,
    model: Option<&'a str>,
    parameters: &'a [String],
    user: Option<&'a str>,
    approver: Option<&'a str>,
    policy_version: Option<&'a str>,
    workers: &'a [String],
    findings: Vec<&'static str>,
    story: &'a [String],
    trace_id: &'a str,
    span_id: &'a str,
}

impl<'a> From<&'a Told> for Row<'a> {
    fn from(told: &'a Told) -> Self {
        Self {
            at: rfc3339(told.at_ns),
            tie: told.tie.word(),
            kind: told.kind.word(),
            tool: told.tool.as_deref(),
            target: told.target.as_deref(),
            sentence: &told.sentence,
            outcome: told.outcome.map(|outcome| outcome.word()),
            evidence: told.evidence.map(|evidence| evidence.word()),
            attempts: told.attempts,
            missing_attempts: &told.missing,
            held: told.held,
            gate: told.gate.word(),
            key: told.key.as_deref(),
            value: told.value.as_deref(),
            downstream_id: told.downstream_id.as_deref(),
            run_id: &told.run_id,
            session_id: told.session_id.as_deref(),
            step_id: &told.step_id,
            step_number: told.number,
            agent: told.agent.as_deref(),
            agent_version: told.agent_version.as_deref(),
            model: told.model.as_deref(),
            parameters: &told.parameters,
            user: told.user.as_deref(),
            approver: told.approver.as_deref(),
            policy_version: told.policy.as_deref(),
            workers: &told.workers,
            findings: told.findings.iter().map(|(code, _)| *code).collect(),
            story: &told.story,
            trace_id: &told.trace_id,
            span_id: &told.span_id,
        }
    }
}

/// Where a stream stands.
struct Standing {
    state: WebState,
    scope: Scope,
    names: Names,
    filter: EntityFilter,
    now_ns: u64,
    format: Format,
    after: Option<RunCursor>,
    /// Rows that the counts promised, and rows that were written.
    promised: u64,
    written: u64,
    begun: bool,
    done: bool,
}

/// The answer: every row, whose number must be the one that the page counts.
pub(in crate::web) async fn rows(
    state: WebState,
    question: Question<'_>,
    format: Format,
) -> Result<Response, WebError> {
    let tally = question.tally(&state.store).await?;
    let promised = tally.tally.steps();
    let name = format!("attachment; filename=\"{}\"", file_name(question.names, format));
    let standing = Standing {
        state,
        scope: question.scope.clone(),
        names: question.names.clone(),
        filter: question.filter.clone(),
        now_ns: question.now_ns,
        format,
        after: None,
        promised,
        written: 0,
        begun: false,
        done: false,
    };
    let mut response = Body::from_stream(pieces(standing)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media()));
    headers.insert("recount-rows", HeaderValue::from(promised));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// A name that is safe as a file's: letters, digits, `-` and `_`.
pub(in crate::web) fn stem(names: &Names) -> String {
    let plain = |text: &str| -> String {
        let letters = text.chars().take(60);
        letters.map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect()
    };
    format!("{}-{}", plain(&names.asked.kind), plain(&names.asked.id))
}

fn file_name(names: &Names, format: Format) -> String {
    let ending = match format {
        Format::Csv => "csv",
        Format::Jsonl => "jsonl",
    };
    format!("{}.{ending}", stem(names))
}

fn pieces(standing: Standing) -> impl Stream<Item = io::Result<Bytes>> {
    unfold(standing, |mut standing| async move {
        if standing.done {
            return None;
        }
        let piece = standing.piece().await;
        if piece.is_err() {
            standing.done = true;
        }
        Some((piece, standing))
    })
}

impl Standing {
    async fn piece(&mut self) -> io::Result<Bytes> {
        let question =
            Question { scope: &self.scope, names: &self.names, filter: &self.filter, now_ns: self.now_ns };
        let place = (self.after.as_ref(), RUNS_AT_ONCE);
        let page = question.page(&self.state.store, &self.state.entities, place).await.map_err(failed)?;
        let mut out = String::new();
        if !self.begun && self.format == Format::Csv {
            out.push_str(&csv_line(COLUMNS.iter().map(|name| (*name).to_owned())));
        }
        for told in &page.told {
            match self.format {
                Format::Csv => out.push_str(&csv_line(cells(told))),
                Format::Jsonl => {
                    out.push_str(&serde_json::to_string(&Row::from(told)).map_err(io::Error::other)?);
                    out.push('\n');
                }
            }
        }
        self.begun = true;
        self.written += page.told.len() as u64;
        self.done = page.next.is_none();
        self.after = page.next;
        if self.done && self.written != self.promised {
            // Something arrived meanwhile: right is what the counts say now, or this is not the whole.
            let now = question.tally(&self.state.store).await.map_err(failed)?.tally.steps();
            if now != self.written {
                tracing::warn!(self.written, now, "an export was broken off: its records changed meanwhile");
                return Err(io::Error::other("the records changed while they were exported; ask again"));
            }
        }
        Ok(Bytes::from(out))
    }
}

fn failed(error: WebError) -> io::Error {
    tracing::warn!(%error, "an export was broken off");
    io::Error::other(error.to_string())
}

const COLUMNS: [&str; 27] = [
    "at",
    "tie",
    "kind",
    "sentence",
    "outcome",
    "evidence",
    "tool",
    "target",
    "value",
    "attempts",
    "held",
    "gate",
    "key",
    "downstream_id",
    "run_id",
    "session_id",
    "step_id",
    "step_number",
    "agent",
    "agent_version",
    "model",
    "parameters",
    "user",
    "approver",
    "policy_version",
    "findings",
    "story",
];

fn cells(told: &Told) -> [String; 27] {
    let row = Row::from(told);
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    [
        row.at.clone(),
        row.tie.to_owned(),
        row.kind.to_owned(),
        row.sentence.to_owned(),
        text(row.outcome),
        text(row.evidence),
        text(row.tool),
        text(row.target),
        text(row.value),
        row.attempts.to_string(),
        row.held.to_string(),
        row.gate.to_owned(),
        text(row.key),
        text(row.downstream_id),
        row.run_id.to_owned(),
        text(row.session_id),
        row.step_id.to_owned(),
        row.step_number.to_string(),
        text(row.agent),
        text(row.agent_version),
        text(row.model),
        row.parameters.join(" "),
        text(row.user),
        text(row.approver),
        text(row.policy_version),
        row.findings.join(" "),
        row.story.join(" "),
    ]
}

/// One line of CSV. What a spreadsheet would run as a formula gets an apostrophe in front.
pub(in crate::web) fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| quoted(&cell)).collect();
    format!("{}\r\n", cells.join(","))
}

fn quoted(cell: &str) -> String {
    let guard = if cell.starts_with(FORMULA_STARTS) { "'" } else { "" };
    if guard.is_empty() && !cell.contains(['"', ',', '\n', '\r']) {
        return cell.to_owned();
    }
    format!("\"{guard}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_run_by_a_spreadsheet() {
        for (cell, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@x", "\"'@x\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
        ] {
            assert_eq!(quoted(cell), written);
        }
        assert_eq!(csv_line(["a".to_owned(), "b\nc".to_owned()]), "a,\"b\nc\"\r\n");
    }
}
