//! One attempt, as the API writes it.
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::content::ContentRef;
use crate::domain::cost::CostSource;
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run;
use crate::web::api::answer;
use crate::web::api::record::{Content, ErrorTold, Finding, Proposed, Redacted, TokenCounts};
use crate::web::format::rfc3339;
use crate::web::run::bodies::Bodies;

/// One attempt.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Attempt {
    /// Null on what is no attempt of a step: an exchange below one.
    attempt: Option<u32>,
    /// How many tries the span covers, where its runtime counts them itself.
    tries: Option<u32>,
    given: bool,
    link: Option<&'static str>,
    trace_id: String,
    span_id: String,
    parent_span_id: Option<String>,
    name: String,
    started_at: String,
    ended_at: Option<String>,
    latency_ms: Option<u64>,
    received_at: String,
    worker: Option<String>,
    epoch: Option<u64>,
    seq: Option<u64>,
    gate: &'static str,
    outcome: Option<&'static str>,
    evidence: Option<&'static str>,
    outcome_now: Option<&'static str>,
    evidence_now: Option<&'static str>,
    reason: String,
    status: &'static str,
    error: Option<ErrorTold>,
    model: Option<String>,
    model_requested: Option<String>,
    provider: Option<String>,
    parameters: Option<Box<RawValue>>,
    finish_reasons: Vec<String>,
    tokens: Option<TokenCounts>,
    cost_usd: Option<f64>,
    /// `given`, or `computed` from the prices of the settings.
    cost_source: Option<&'static str>,
    context: Vec<Content>,
    new_in_context: Vec<String>,
    context_ref: Option<String>,
    output: Vec<Content>,
    proposed: Vec<Proposed>,
    arguments: Option<Content>,
    result: Option<Content>,
    http_status: Option<u16>,
    downstream_id: Option<String>,
    value: Option<String>,
    exchanges: Vec<Exchange>,
    redactions: Vec<Redacted>,
    rules_version: String,
    findings: Vec<Finding>,
    versions: usize,
    pub(in crate::web) attributes: Option<Box<RawValue>>,
}

/// An HTTP or MCP exchange below an attempt.
#[derive(Debug, Serialize, JsonSchema)]
struct Exchange {
    trace_id: String,
    span_id: String,
    name: String,
    started_at: String,
    ended_at: Option<String>,
    method: Option<String>,
    http_status: Option<u16>,
    error: Option<ErrorTold>,
}

impl Attempt {
    /// An attempt of a step.
    pub(in crate::web) fn of(attempt: &run::Attempt, bodies: &Bodies) -> Self {
        let trace = attempt.record.facts.trace_id;
        let content = |own: &Option<ContentRef>, joined: &Option<ContentRef>| {
            own.as_ref().or(joined.as_ref()).map(|content| Content::of(trace, content, bodies))
        };
        let mut below =
            attempt.transports.iter().filter_map(|record| record.facts.http.as_ref()?.status_code);
        let plain = Self::of_record(&attempt.record, bodies);
        Self {
            attempt: Some(attempt.number),
            given: attempt.given,
            link: attempt.link,
            outcome: attempt.outcome.map(|outcome| outcome.word()),
            evidence: attempt.evidence.map(|evidence| evidence.word()),
            outcome_now: attempt.now.map(|(outcome, _)| outcome.word()),
            evidence_now: attempt.now.map(|(_, evidence)| evidence.word()),
            reason: attempt.reason.clone(),
            new_in_context: attempt.new_in_context.iter().map(ToString::to_string).collect(),
            arguments: content(&attempt.record.arguments, &attempt.arguments),
            result: content(&attempt.record.result, &attempt.result),
            http_status: plain.http_status.or_else(|| below.next_back()),
            exchanges: attempt.transports.iter().map(Exchange::of).collect(),
            versions: attempt.versions.len(),
            cost_usd: attempt.cost.map(|cost| cost.usd),
            cost_source: attempt.cost.map(|cost| cost.source.word()),
            ..plain
        }
    }

    /// A record that is no attempt of its own.
    pub(in crate::web) fn of_record(record: &Record, bodies: &Bodies) -> Self {
        let facts = &record.facts;
        let trace = facts.trace_id;
        let content = |content: &ContentRef| Content::of(trace, content, bodies);
        let is_think = facts.kind == Kind::Think;
        Self {
            attempt: None,
            tries: facts.tries,
            given: false,
            link: None,
            trace_id: trace.to_string(),
            span_id: facts.span_id.to_string(),
            parent_span_id: facts.parent_span_id.map(|id| id.to_string()),
            name: facts.name.clone(),
            started_at: rfc3339(facts.started_ns),
            ended_at: facts.ended_ns.map(rfc3339),
            latency_ms: facts.ended_ns.map(|end| end.saturating_sub(facts.started_ns) / 1_000_000),
            received_at: rfc3339(record.received_ns),
            worker: facts.worker.clone(),
            epoch: facts.epoch,
            seq: facts.seq,
            gate: facts.gate.word(),
            outcome: None,
            evidence: None,
            outcome_now: None,
            evidence_now: None,
            reason: String::new(),
            status: facts.status.word(),
            error: facts.error.as_ref().map(ErrorTold::from),
            model: facts.model.clone(),
            model_requested: facts.model_requested.clone(),
            provider: facts.provider.clone(),
            parameters: answer::object(&facts.parameters),
            finish_reasons: facts.finish_reasons.clone(),
            tokens: is_think.then(|| TokenCounts::from(facts.tokens)),
            cost_usd: facts.cost_usd,
            cost_source: facts.cost_usd.map(|_| CostSource::Given.word()),
            context: record.context.iter().map(|digest| Content::at(trace, *digest, bodies)).collect(),
            new_in_context: Vec::new(),
            context_ref: facts.context_ref.clone(),
            output: record.output.iter().map(content).collect(),
            proposed: record.proposed.iter().map(|kept| Proposed::of(trace, kept, bodies)).collect(),
            arguments: record.arguments.as_ref().map(content),
            result: record.result.as_ref().map(content),
            http_status: facts.http.as_ref().and_then(|http| http.status_code),
            downstream_id: facts.downstream_id.clone(),
            value: facts.value.clone(),
            exchanges: Vec::new(),
            redactions: record.redactions.iter().map(Redacted::from).collect(),
            rules_version: record.rules_version.clone(),
            findings: facts.findings.iter().map(Finding::from).collect(),
            versions: 0,
            attributes: None,
        }
    }
}

impl Exchange {
    fn of(record: &Record) -> Self {
        let facts = &record.facts;
        Self {
            trace_id: facts.trace_id.to_string(),
            span_id: facts.span_id.to_string(),
            name: facts.name.clone(),
            started_at: rfc3339(facts.started_ns),
            ended_at: facts.ended_ns.map(rfc3339),
            method: facts.http.as_ref().and_then(|http| http.method.clone()),
            http_status: facts.http.as_ref().and_then(|http| http.status_code),
            error: facts.error.as_ref().map(ErrorTold::from),
        }
    }
}
