//! A run in one line, as the API writes it.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::cost::rounded;
use crate::domain::price::Prices;
use crate::domain::summary::RunSummary;
use crate::web::format::rfc3339;

/// A run in one line.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Summary {
    run_id: String,
    session_id: Option<String>,
    name: String,
    agent: Option<String>,
    agent_version: Option<String>,
    service: Option<String>,
    environment: Option<String>,
    user_id: Option<String>,
    started_at: String,
    ended_at: Option<String>,
    duration_ms: Option<u64>,
    received_at: String,
    state: &'static str,
    outcome: &'static str,
    verdict: String,
    step_count: u32,
    attempt_count: u32,
    retry_count: u32,
    act_count: u32,
    unknown_count: u32,
    failed_count: u32,
    confirmed_count: u32,
    submitted_count: u32,
    /// Acts that were unknown and closed by a resolution: counted above as what it says.
    resolved_count: u32,
    reconcile_count: u32,
    error_count: u32,
    finding_codes: Vec<&'static str>,
    models: Vec<String>,
    tools: Vec<String>,
    entities: Vec<String>,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    cost_usd: Option<f64>,
    /// `given`, `computed` from the prices of the settings, or `mixed`; null where nothing is known.
    cost_source: Option<&'static str>,
    /// Some model calls cost an unknown sum: `cost_usd` is at least this.
    cost_partial: bool,
    complete: &'static str,
    traces: Vec<String>,
}

impl Summary {
    /// The line, with what the run costs at these prices.
    pub(in crate::web) fn of(run: RunSummary, prices: &Prices) -> Self {
        let cost = prices.total(&run);
        Self {
            cost_usd: cost.map(|cost| rounded(cost.usd)),
            cost_source: cost.map(|cost| cost.source.word()),
            cost_partial: cost.is_some_and(|cost| cost.partial),
            started_at: rfc3339(run.started_ns),
            ended_at: run.ended_ns.map(rfc3339),
            duration_ms: run.ended_ns.map(|end| end.saturating_sub(run.started_ns) / 1_000_000),
            received_at: rfc3339(run.received_ns),
            state: run.state.word(),
            outcome: run.outcome,
            unknown_count: run.acts_unknown,
            failed_count: run.acts_failed,
            confirmed_count: run.acts_confirmed,
            submitted_count: run.acts_submitted,
            resolved_count: run.acts_resolved,
            finding_codes: run.finding_codes.iter().map(|code| code.word()).collect(),
            complete: run.complete.word(),
            traces: run.traces.iter().map(ToString::to_string).collect(),
            run_id: run.run_id,
            session_id: run.session_id,
            name: run.name,
            agent: run.agent,
            agent_version: run.agent_version,
            service: run.service,
            environment: run.environment,
            user_id: run.user_id,
            verdict: run.verdict,
            step_count: run.step_count,
            attempt_count: run.attempt_count,
            retry_count: run.retry_count,
            act_count: run.act_count,
            reconcile_count: run.reconcile_count,
            error_count: run.error_count,
            models: run.models,
            tools: run.tools,
            entities: run.entities,
            tokens_in: run.tokens_in,
            tokens_out: run.tokens_out,
        }
    }
}
