//! `GET /keys/{key}`, `GET /actions`: what a gate or a reconciler needs to know.
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::action::{Action as Found, ActionUse};
use crate::domain::case::{Case as FoundCase, CaseEvent};
use crate::domain::fold::case_id;
use crate::domain::ids::Project;
use crate::domain::outcome::Outcome;
use crate::domain::policy::replay_safe;
use crate::domain::scope::Scope;
use crate::store::queries::{ActionCursor, ActionFilter, actions, compensations, key_actions, own_actions};
use crate::web::api::answer::Answer;
use crate::web::api::case::{Case, Moved};
use crate::web::casework;
use crate::web::entity::names::spelt;
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::list::{Part, listed};
use crate::web::format::{self, rfc3339};
use crate::web::key::spelt::{self, asked};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Actions in an answer when nobody says how many.
const LIMIT: u16 = 50;
const LIMIT_MAX: u16 = 500;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ActionList")]
pub(in crate::web) struct List {
    actions: Vec<Action>,
    next: Option<String>,
}

/// What an act intends, and what became of it.
#[derive(Serialize, JsonSchema)]
struct Action {
    key: String,
    key_given: bool,
    tool: String,
    target: Option<String>,
    entities: Vec<String>,
    state: &'static str,
    outcome: &'static str,
    evidence: &'static str,
    path: Vec<Moved>,
    attempts: Vec<Use>,
    attempt_count: u32,
    held_count: u32,
    runs: Vec<String>,
    agent: Option<String>,
    gate: &'static str,
    argument_drift: bool,
    key_expires_at: Option<String>,
    replay_safe: Option<bool>,
    unknown_at: Option<String>,
    started_at: String,
    changed_at: String,
    value: Option<String>,
    downstream_id: Option<String>,
    compensates: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeyUse")]
struct Use {
    run_id: String,
    step_id: String,
    attempt: u32,
    trace_id: String,
    span_id: String,
    started_at: String,
    ended_at: Option<String>,
    worker: Option<String>,
    epoch: Option<u64>,
    gate: &'static str,
    outcome: Option<&'static str>,
    reason: String,
}

impl From<ActionUse> for Use {
    fn from(used: ActionUse) -> Self {
        Self {
            run_id: used.run_id,
            step_id: used.step_id,
            attempt: used.number,
            trace_id: used.trace_id.to_string(),
            span_id: used.span_id.to_string(),
            started_at: rfc3339(used.started_ns),
            ended_at: used.ended_ns.map(rfc3339),
            worker: used.worker,
            epoch: used.epoch,
            gate: used.gate.word(),
            outcome: used.outcome.map(Outcome::word),
            reason: used.reason,
        }
    }
}

impl Action {
    fn of(found: Found, state: &WebState, now_ns: u64) -> Self {
        let policy = state.settings.tools.policy(&found.tool);
        let ends_ns = policy.key_ends_ns(found.key_expires_ns, found.started_ns).filter(|_| found.key_given);
        Self {
            entities: found.entities.iter().map(ToString::to_string).collect(),
            state: found.outcome.word(),
            outcome: found.outcome.word(),
            evidence: found.evidence.word(),
            path: found.path.iter().map(Moved::from).collect(),
            attempts: found.uses.into_iter().map(Use::from).collect(),
            gate: found.gate.word(),
            key_expires_at: ends_ns.map(rfc3339),
            replay_safe: replay_safe(found.key_given, ends_ns, found.outcome, now_ns),
            unknown_at: found.unknown_at_ns.map(rfc3339),
            started_at: rfc3339(found.started_ns),
            changed_at: rfc3339(found.changed_ns),
            key: found.key,
            key_given: found.key_given,
            tool: found.tool,
            target: found.target,
            attempt_count: found.attempt_count,
            held_count: found.held_count,
            runs: found.run_ids,
            agent: found.agent,
            argument_drift: found.argument_drift,
            value: found.value,
            downstream_id: found.downstream_id,
            compensates: found.compensates,
        }
    }
}

/// Answers `GET /api/v1/actions`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[
        "outcome",
        "tool",
        "entity",
        "account",
        "key",
        "older_than",
        "limit",
        "cursor",
        "format",
    ])?;
    let format = Format::read(params.get("format"))?;
    let now_ns = format::now_ns();
    let text = |name: &str| params.get(name).map(str::to_owned);
    let outcome = match params.get("outcome") {
        None => None,
        Some(word) => Some(Outcome::from_word(word).ok_or_else(|| {
            WebError::Field("outcome", "takes submitted, confirmed, failed or unknown".to_owned())
        })?),
    };
    let entity = text("account").map(|account| format!("account:{account}")).or_else(|| text("entity"));
    let entities = match entity {
        Some(entity) => spelt(&state, &viewer.scope, &entity).await?,
        None => Vec::new(),
    };
    let keys = text("key").iter().flat_map(|key| state.desk.all(&viewer.scope.project, key)).collect();
    let filter = ActionFilter {
        keys,
        outcome,
        tool: text("tool"),
        entities,
        started_before_ns: params.before("older_than", now_ns)?,
    };
    let limit = params.number("limit", (1, LIMIT_MAX))?.unwrap_or(LIMIT);
    let wrong = || WebError::Field("cursor", "is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| ActionCursor::parse(text).ok_or_else(wrong)).transpose()?;
    let asked = (viewer.scope, Arc::new(filter));
    if let Some(format) = format {
        let more = move |after| part(state.clone(), asked.clone(), (after, LIMIT_MAX), now_ns);
        return listed(("actions", format), after, more).await;
    }
    let (actions, next) = part(state, asked, (after, limit), now_ns).await?;
    Ok(Answer(List { actions, next: next.map(|cursor| cursor.to_string()) }).into_response())
}

async fn part(
    state: WebState,
    (scope, filter): (Scope, Arc<ActionFilter>),
    (after, limit): (Option<ActionCursor>, u16),
    now_ns: u64,
) -> Result<Part<Action, ActionCursor>, WebError> {
    let page = actions(&state.store, &scope, &filter, (after.as_ref(), limit), now_ns).await?;
    let actions = page.actions.into_iter().map(|action| Action::of(action, &state, now_ns));
    Ok((actions.collect(), page.next))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeyAnswer")]
pub(in crate::web) struct Key {
    #[serde(flatten)]
    action: Action,
    /// The case, where it is or was unknown.
    case: Option<Case>,
    /// The keys of actions that undo it.
    compensated_by: Vec<String>,
    /// The same key with other tools, or kept under another pseudonym.
    others: Vec<Other>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OtherTool")]
struct Other {
    key: String,
    tool: String,
    target: Option<String>,
    state: &'static str,
}

/// Answers `GET /api/v1/keys/{key}`: with `tool`, what that tool did under it.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(key): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["tool"])?;
    let now_ns = format::now_ns();
    let names = spelt::spelt(&state, &viewer.scope, &key);
    let keys = asked(&names);
    let (found, compensated_by) = tokio::try_join!(
        key_actions(&state.store, &viewer.scope, &keys, now_ns),
        compensations(&state.store, &viewer.scope, &keys)
    )?;
    let found = match found.is_empty() {
        true => own_actions(&state.store, &viewer.scope, &keys, now_ns).await?,
        false => found,
    };
    let tool = params.get("tool");
    let (mut found, others): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|action| tool.is_none_or(|tool| action.tool == tool));
    // Of several tools under one key, the one that needs somebody.
    found.sort_by_key(|action| (weight(action.outcome), std::cmp::Reverse(action.changed_ns)));
    let mut found = found.into_iter();
    let mut action = found.next().ok_or_else(|| {
        WebError::NotFound("No act under this key has arrived, or it has expired.".to_owned())
    })?;
    let others = found.chain(others).map(|other| Other {
        key: other.key,
        tool: other.tool,
        target: other.target,
        state: other.outcome.word(),
    });
    let others = others.collect();
    let case = case_of(&state, &viewer, &action).await?;
    if let Some((case, _)) = &case {
        // The case has heard of everything that was appended, the list of actions a moment later.
        (action.outcome, action.evidence) = (case.outcome, case.evidence);
        action.path.clone_from(&case.path);
    }
    let policy = state.settings.tools.policy(&action.tool);
    let case = case.map(|(case, events)| Case::of(case, &events, &policy, now_ns));
    let action = Action::of(action, &state, now_ns);
    Ok(Answer(Key { action, case, compensated_by, others }).into_response())
}

fn weight(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unknown => 0,
        Outcome::Submitted => 1,
        Outcome::Confirmed => 2,
        Outcome::Failed => 3,
    }
}

/// The case of an action that is or was unknown.
async fn case_of(
    state: &WebState,
    viewer: &Viewer,
    action: &Found,
) -> Result<Option<(FoundCase, Vec<CaseEvent>)>, WebError> {
    let project: &Project = &viewer.scope.project;
    if !action.path.iter().any(|moved| moved.state == Outcome::Unknown) {
        return Ok(None);
    }
    let asked = action.uses.iter().rev().find(|used| used.outcome == Some(Outcome::Unknown));
    let id = match asked.filter(|_| !action.key_given) {
        Some(used) => case_id::of_span(project, used.trace_id, used.span_id),
        None => case_id::of_key(project, &action.tool, &action.key),
    };
    match casework::look(state, &viewer.scope, &id).await {
        Ok(found) => Ok(Some(found)),
        Err(WebError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
