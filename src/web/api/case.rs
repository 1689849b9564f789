//! A case, as the API writes it.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::case::{Case as Found, CaseAct, CaseEvent, CaseState};
use crate::domain::path::{Move, Origin};
use crate::domain::policy::{ToolPolicy, replay_safe};
use crate::domain::resolutions::{Told, resolutions};
use crate::web::format::rfc3339;

/// A case.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Case {
    case_id: String,
    key: Option<String>,
    tool: String,
    target: Option<String>,
    entities: Vec<String>,
    run_id: String,
    step_id: String,
    trace_id: String,
    span_id: String,
    runs: Vec<String>,
    agent: Option<String>,
    state: &'static str,
    outcome: &'static str,
    evidence: &'static str,
    started_at: String,
    opened_at: Option<String>,
    settled_at: Option<String>,
    changed_at: String,
    unknown_at: Option<String>,
    owner: Option<String>,
    owner_since: Option<String>,
    policy: &'static str,
    people_only: bool,
    second_person: bool,
    key_expires_at: Option<String>,
    replay_safe: Option<bool>,
    value: Option<String>,
    attempts: u32,
    looks: Looks,
    path: Vec<Moved>,
    resolutions: Vec<Resolution>,
    pending: Option<Resolution>,
    /// What to say as `saw` when nobody may have appended anything since.
    last_event: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Looks {
    count: u32,
    unanswered: u32,
    last_at: Option<String>,
}

/// One move of a state.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Moved {
    state: &'static str,
    at: String,
    by: String,
    evidence: &'static str,
    run_id: Option<String>,
    trace_id: Option<String>,
    span_id: Option<String>,
    event_id: Option<String>,
}

impl From<&Move> for Moved {
    fn from(moved: &Move) -> Self {
        let (span, event_id) = match &moved.origin {
            Origin::Span { run_id, trace_id, span_id } => (Some((run_id, trace_id, span_id)), None),
            Origin::Event(event_id) => (None, Some(event_id.clone())),
            Origin::Deadline => (None, None),
        };
        Self {
            state: moved.state.word(),
            at: rfc3339(moved.at_ns),
            by: moved.by.clone(),
            evidence: moved.evidence.word(),
            run_id: span.map(|(run_id, ..)| run_id.clone()),
            trace_id: span.map(|(_, trace_id, _)| trace_id.to_string()),
            span_id: span.map(|(.., span_id)| span_id.to_string()),
            event_id,
        }
    }
}

/// What somebody said became of an act, and how that stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::web) struct Resolution {
    event_id: String,
    at: String,
    by: String,
    by_job: bool,
    outcome: &'static str,
    evidence: String,
    note: String,
    standing: &'static str,
    agreed_by: Option<String>,
    agreed_at: Option<String>,
}

impl From<&Told<'_>> for Resolution {
    fn from(told: &Told<'_>) -> Self {
        Self {
            event_id: told.event.event_id.clone(),
            at: rfc3339(told.event.at_ns),
            by: told.event.by.clone(),
            by_job: told.event.by_job,
            outcome: told.resolution.outcome.word(),
            evidence: told.resolution.evidence.clone(),
            note: told.resolution.note.clone(),
            standing: told.standing.word(),
            agreed_by: told.agreed.map(|event| event.by.clone()),
            agreed_at: told.agreed.map(|event| rfc3339(event.at_ns)),
        }
    }
}

impl Case {
    /// A case with its events, as its tool's policy sees it now.
    pub(in crate::web) fn of(case: Found, events: &[CaseEvent], policy: &ToolPolicy, now_ns: u64) -> Self {
        let told = resolutions(events, case.state);
        let all: Vec<Resolution> = told.iter().map(Resolution::from).collect();
        let key_ends_ns = policy.key_ends_ns(case.key_expires_ns, case.started_ns);
        let key_ends_ns = key_ends_ns.filter(|_| case.key.is_some());
        Self {
            entities: case.entities.iter().map(ToString::to_string).collect(),
            trace_id: case.trace_id.to_string(),
            span_id: case.span_id.to_string(),
            runs: case.run_ids,
            // A second person is still asked: the question is open.
            state: if case.state == CaseState::Pending { "open" } else { case.state.word() },
            outcome: case.outcome.word(),
            evidence: case.evidence.word(),
            started_at: rfc3339(case.started_ns),
            opened_at: case.opened_ns.map(rfc3339),
            settled_at: case.settled_ns.map(rfc3339),
            changed_at: rfc3339(case.changed_ns),
            unknown_at: case.unknown_at_ns.map(rfc3339),
            owner_since: case.owner_since_ns.map(rfc3339),
            policy: policy.on_unknown.word(),
            people_only: policy.people_only(case.value.as_deref()),
            second_person: policy.second_person(case.value.as_deref()),
            key_expires_at: key_ends_ns.map(rfc3339),
            replay_safe: replay_safe(case.key.is_some(), key_ends_ns, case.outcome, now_ns),
            attempts: case.attempt_count,
            looks: Looks {
                count: case.look_count,
                unanswered: case.look_failed_count,
                last_at: case.last_look_ns.map(rfc3339),
            },
            path: case.path.iter().map(Moved::from).collect(),
            pending: all.iter().rfind(|one| one.standing == "pending").cloned(),
            resolutions: all,
            last_event: case.last_event_id,
            case_id: case.case_id,
            key: case.key,
            tool: case.tool,
            target: case.target,
            run_id: case.run_id,
            step_id: case.step_id,
            agent: case.agent,
            owner: case.owner,
            value: case.value,
        }
    }
}

/// Something appended to a case.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CaseEvent")]
pub(in crate::web) struct Event {
    event_id: String,
    at: String,
    by: String,
    by_job: bool,
    act: &'static str,
    to: Option<String>,
    outcome: Option<&'static str>,
    evidence: Option<String>,
    note: Option<String>,
}

impl From<&CaseEvent> for Event {
    fn from(event: &CaseEvent) -> Self {
        let (mut to, mut outcome, mut evidence) = (None, None, None);
        let note = match &event.act {
            CaseAct::Claim => "",
            CaseAct::HandOver { to: whom, note } => {
                to.clone_from(whom);
                note
            }
            CaseAct::Comment(note) | CaseAct::Reopen(note) | CaseAct::Agree { note } => note,
            CaseAct::Resolve(resolution) => {
                outcome = Some(resolution.outcome.word());
                evidence = Some(resolution.evidence.clone());
                &resolution.note
            }
        };
        Self {
            event_id: event.event_id.clone(),
            at: rfc3339(event.at_ns),
            by: event.by.clone(),
            by_job: event.by_job,
            act: event.act.word(),
            to,
            outcome,
            evidence,
            note: Some(note.to_owned()).filter(|note| !note.is_empty()),
        }
    }
}
