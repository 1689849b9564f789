//! All that was done on or for an entity as a file: streamed to the end, or failing in sight.
use std::io;

use axum::body::Body;
use axum::http::HeaderValue;
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
use crate::web::export::format::Format;
use crate::web::export::list::unwritten;
use crate::web::export::written::Written;
use crate::web::format::rfc3339;
use crate::web::state::WebState;

/// Runs read at once.
const RUNS_AT_ONCE: u16 = 25;
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
    file: Written,
    after: Option<RunCursor>,
    /// Rows that the counts promised, and rows that were written.
    promised: u64,
    written: u64,
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
    let standing = Standing {
        state,
        scope: question.scope.clone(),
        names: question.names.clone(),
        filter: question.filter.clone(),
        now_ns: question.now_ns,
        file: Written::new::<Row<'_>>(format, &HEADS).map_err(unwritten)?,
        after: None,
        promised,
        written: 0,
        done: false,
    };
    let mut response =
        format.file(&stem(question.names), Body::from_stream(pieces(standing)).into_response());
    response.headers_mut().insert("recount-rows", HeaderValue::from(promised));
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
        let mut out = self.file.rows(page.told.iter().map(Row::from))?;
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
        if self.done {
            out.extend(self.file.end()?);
        }
        Ok(Bytes::from(out))
    }
}

fn failed(error: WebError) -> io::Error {
    tracing::warn!(%error, "an export was broken off");
    io::Error::other(error.to_string())
}

/// The columns of CSV.
const HEADS: [&str; 27] = [
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::export::sheet::columns;

    #[test]
    fn csv_has_columns_of_the_row() {
        let known: Vec<String> = columns::<Row<'_>>().into_iter().map(|column| column.name).collect();
        assert!(HEADS.iter().all(|head| known.iter().any(|name| name == head)), "{known:?}");
    }
}
