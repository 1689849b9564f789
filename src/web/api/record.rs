//! What stands for a body, tokens, redactions and findings, as the API writes them.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::content::ContentRef;
use crate::domain::finding::Finding as Noted;
use crate::domain::ids::{Digest, TraceId};
use crate::domain::record::{KeptProposal, Redaction};
use crate::domain::run::RunFinding;
use crate::domain::step::{Failure, Tokens};
use crate::web::format;
use crate::web::run::bodies::Bodies;
use crate::web::text::cut;

/// Longer bodies are cut in answers; `/contents` has them whole.
const BODY_BYTES_MAX: usize = 64 << 10;

/// What stands for a body. Without its text where it was not asked for or is not kept any more.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Content {
    digest: String,
    role: Option<String>,
    kind: Option<&'static str>,
    bytes: Option<u64>,
    preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_cut: Option<bool>,
}

impl Content {
    /// A body known by its digest only; what was loaded of it is filled in.
    pub(in crate::web) fn at(trace: TraceId, digest: Digest, bodies: &Bodies) -> Self {
        let mut content = Self {
            digest: digest.to_string(),
            role: None,
            kind: None,
            bytes: None,
            preview: None,
            body: None,
            body_cut: None,
        };
        if let Some(body) = bodies.get(&(trace, digest)) {
            content.role = Some(body.role.clone());
            content.kind = Some(body.kind.word());
            content.bytes = Some(body.bytes);
            content.preview = Some(crate::web::text::shortened(&body.text, 160));
            if body.whole {
                let shown = cut(&body.text, BODY_BYTES_MAX);
                content.body_cut = Some(shown.len() < body.text.len());
                content.body = Some(shown.to_owned());
            }
        }
        content
    }

    /// A body that a record refers to.
    pub(in crate::web) fn of(trace: TraceId, content: &ContentRef, bodies: &Bodies) -> Self {
        let known = Self::at(trace, content.digest, bodies);
        Self {
            role: Some(content.role.clone()),
            kind: Some(content.kind.word()),
            bytes: Some(content.bytes),
            preview: Some(content.preview.clone()),
            ..known
        }
    }
}

/// A proposed call.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Proposed {
    call_id: Option<String>,
    tool: String,
    arguments: Option<Content>,
    complete: bool,
}

impl Proposed {
    /// A proposed call.
    pub(in crate::web) fn of(trace: TraceId, kept: &KeptProposal, bodies: &Bodies) -> Self {
        Self {
            call_id: kept.call.call_id.clone(),
            tool: kept.call.tool.clone(),
            arguments: kept.call.arguments.as_ref().map(|content| Content::of(trace, content, bodies)),
            complete: kept.call.complete,
        }
    }
}

/// Token counts; null where not told.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct TokenCounts {
    #[serde(rename = "in")]
    input: Option<u64>,
    #[serde(rename = "out")]
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
    cache_apart: bool,
}

impl From<Tokens> for TokenCounts {
    fn from(tokens: Tokens) -> Self {
        Self {
            input: tokens.input,
            output: tokens.output,
            cache_read: tokens.cache_read,
            cache_write: tokens.cache_write,
            reasoning: tokens.reasoning,
            cache_apart: tokens.cache_apart,
        }
    }
}

/// An error as told.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct ErrorTold {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

impl From<&Failure> for ErrorTold {
    fn from(error: &Failure) -> Self {
        Self { kind: error.kind.clone(), message: error.message.clone() }
    }
}

/// What one redaction rule did at one place.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Redacted {
    path: String,
    rule: String,
    method: String,
    count: u32,
    bytes: u64,
}

impl From<&Redaction> for Redacted {
    fn from(done: &Redaction) -> Self {
        Self {
            path: done.path.clone(),
            rule: done.rule.clone(),
            method: done.method.clone(),
            count: done.count,
            bytes: done.bytes,
        }
    }
}

/// Where an attempt is.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct AttemptRef {
    trace_id: String,
    span_id: String,
}

/// Something that was noticed.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Finding {
    code: &'static str,
    severity: &'static str,
    message: String,
    /// Since when it goes on, where it does until somebody acts.
    since: Option<String>,
    steps: Vec<String>,
    attempts: Vec<AttemptRef>,
}

impl From<&RunFinding> for Finding {
    fn from(finding: &RunFinding) -> Self {
        let attempt = |(trace, span): &(TraceId, crate::domain::ids::SpanId)| AttemptRef {
            trace_id: trace.to_string(),
            span_id: span.to_string(),
        };
        Self {
            code: finding.code.word(),
            severity: finding.code.severity().word(),
            message: finding.message.clone(),
            since: finding.since_ns.map(format::rfc3339),
            steps: finding.step_ids.clone(),
            attempts: finding.spans.iter().map(attempt).collect(),
        }
    }
}

impl From<&Noted> for Finding {
    fn from(finding: &Noted) -> Self {
        Self {
            code: finding.code.word(),
            severity: finding.code.severity().word(),
            message: finding.message.clone(),
            since: None,
            steps: Vec::new(),
            attempts: Vec::new(),
        }
    }
}
