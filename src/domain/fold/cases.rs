//! Cases of actions: one a key and tool, or one an attempt where nobody gave a key.
use std::collections::BTreeMap;

use crate::domain::action::Action;
use crate::domain::case::{Case, CaseAct, CaseEvent, CaseState, pending};
use crate::domain::fold::case_id;
use crate::domain::fold::replay::Use;
use crate::domain::ids::{Project, SpanId, TraceId};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{Move, Origin, Telling};

/// Earlier ids of one case that are kept.
const KNOWN_AS_MAX: usize = 100;

/// The cases of an action: whatever of it is unknown, was, or may become it.
pub(super) fn of(
    project: &Project,
    action: &Action,
    uses: &[Use<'_>],
    (events, looks): (&[&CaseEvent], &[Telling]),
) -> Vec<Case> {
    if action.key_given {
        let found = |used: &&Use<'_>| may_be_unknown(&used.attempt.path, used.attempt.unknown_at_ns);
        let concerned = may_be_unknown(&action.path, action.unknown_at_ns);
        let anchor = uses.iter().find(found).or_else(|| uses.first()).filter(|_| concerned);
        let id = case_id::of_key(project, &action.tool, &action.key);
        let path = action.path.clone();
        return anchor
            .map(|anchor| {
                case((project, id), action, (uses, anchor), (path, action.unknown_at_ns), (events, looks))
            })
            .into_iter()
            .collect();
    }
    let concerned = uses
        .iter()
        .filter(|used| used.is_sent() && may_be_unknown(&used.attempt.path, used.attempt.unknown_at_ns));
    let of_attempt = |used: &Use<'_>| {
        let facts = &used.attempt.record.facts;
        let id = case_id::of_span(project, facts.trace_id, facts.span_id);
        let path = (used.attempt.path.clone(), used.attempt.unknown_at_ns);
        let mine = |event: &&&CaseEvent| (event.trace_id, event.span_id) == (facts.trace_id, facts.span_id);
        let events: Vec<&CaseEvent> = events.iter().filter(mine).copied().collect();
        case((project, id), action, (std::slice::from_ref(used), used), path, (&events, looks))
    };
    concerned.map(of_attempt).collect()
}

fn may_be_unknown(path: &[Move], unknown_at_ns: Option<u64>) -> bool {
    unknown_at_ns.is_some() || path.iter().any(|moved| moved.state == Outcome::Unknown)
}

fn case(
    (project, case_id): (&Project, String),
    action: &Action,
    (uses, anchor): (&[Use<'_>], &Use<'_>),
    (path, unknown_at_ns): (Vec<Move>, Option<u64>),
    (events, looks): (&[&CaseEvent], &[Telling]),
) -> Case {
    let facts = &anchor.attempt.record.facts;
    let (outcome, evidence) =
        path.last().map_or((Outcome::Submitted, Evidence::Given), |last| (last.state, last.evidence));
    let mut events: Vec<CaseEvent> = events.iter().copied().cloned().collect();
    events.sort_by(|one, other| (one.at_ns, &one.event_id).cmp(&(other.at_ns, &other.event_id)));
    let state = match outcome {
        Outcome::Unknown if pending(&events).is_some() => CaseState::Pending,
        Outcome::Unknown => CaseState::Open,
        Outcome::Submitted => CaseState::Waiting,
        Outcome::Confirmed | Outcome::Failed => CaseState::Resolved,
    };
    let (owner, owner_since_ns) = owner(&events);
    let looks = looked(uses, looks);
    let mut traces: Vec<TraceId> = uses.iter().map(|used| used.attempt.record.facts.trace_id).collect();
    traces.dedup();
    let earlier = uses.iter().filter(|used| action.key_given && used.is_sent()).map(|used| {
        let facts = &used.attempt.record.facts;
        case_id::of_span(project, facts.trace_id, facts.span_id)
    });
    Case {
        case_id,
        known_as: earlier.take(KNOWN_AS_MAX).collect(),
        key: action.key_given.then(|| action.key.clone()),
        tool: action.tool.clone(),
        target: action.target.clone(),
        entities: action.entities.clone(),
        run_id: anchor.run.run_id.clone(),
        step_id: anchor.step.step_id.clone(),
        trace_id: facts.trace_id,
        span_id: facts.span_id,
        run_ids: action.run_ids.clone(),
        traces,
        agent: anchor.run.agent.clone(),
        outcome,
        evidence,
        unknown_at_ns: unknown_at_ns.filter(|_| outcome == Outcome::Submitted),
        state,
        opened_ns: opened(&path),
        settled_ns: settled(&path),
        started_ns: uses.iter().map(|used| used.attempt.record.facts.started_ns).min().unwrap_or_default(),
        changed_ns: action.changed_ns,
        owner,
        owner_since_ns,
        key_expires_ns: action.key_expires_ns,
        value: action.value.clone(),
        attempt_count: u32::try_from(uses.iter().filter(|used| used.is_sent()).count()).unwrap_or(u32::MAX),
        look_count: u32::try_from(looks.len()).unwrap_or(u32::MAX),
        look_failed_count: u32::try_from(looks.values().filter(|(_, answered)| !answered).count())
            .unwrap_or(u32::MAX),
        last_look_ns: looks.values().map(|(at_ns, _)| *at_ns).max(),
        path,
        event_count: u32::try_from(events.len()).unwrap_or(u32::MAX),
        last_event_id: events.last().map(|event| event.event_id.clone()),
        version: action.version,
    }
}

/// Everybody who asked for the truth, in any run: when, and whether an answer came.
fn looked(uses: &[Use<'_>], looks: &[Telling]) -> BTreeMap<SpanId, (u64, bool)> {
    let mut found = BTreeMap::new();
    for used in uses {
        let asked = used.step.looks.iter().map(|look| (look.span_id, (look.at_ns, look.answered)));
        found.extend(asked);
    }
    for look in looks {
        if let Origin::Span { span_id, .. } = &look.told.origin {
            found.entry(*span_id).or_insert((look.told.at_ns, true));
        }
    }
    found
}

/// When it became unknown, the last time.
fn opened(path: &[Move]) -> Option<u64> {
    let mut opened = None;
    let mut before = Outcome::Submitted;
    for moved in path {
        if moved.state == Outcome::Unknown && before != Outcome::Unknown {
            opened = Some(moved.at_ns);
        }
        before = moved.state;
    }
    opened
}

/// When it became known again; `None` while it is unknown or never was.
fn settled(path: &[Move]) -> Option<u64> {
    let mut settled = None;
    let mut before = Outcome::Submitted;
    for moved in path {
        match (before, moved.state) {
            (Outcome::Unknown, Outcome::Confirmed | Outcome::Failed) => settled = Some(moved.at_ns),
            (_, Outcome::Unknown) => settled = None,
            (_, Outcome::Submitted | Outcome::Confirmed | Outcome::Failed) => {}
        }
        before = moved.state;
    }
    settled
}

fn owner(events: &[CaseEvent]) -> (Option<String>, Option<u64>) {
    let mut owner: Option<(String, u64)> = None;
    for event in events {
        match &event.act {
            CaseAct::Claim => owner = Some((event.by.clone(), event.at_ns)),
            CaseAct::HandOver { to, .. } => owner = to.clone().map(|to| (to, event.at_ns)),
            CaseAct::Resolve(resolution) if resolution.outcome == Outcome::Unknown => owner = None,
            CaseAct::Reopen(_) => owner = None,
            CaseAct::Resolve(_) | CaseAct::Agree { .. } | CaseAct::Comment(_) => {}
        }
    }
    owner.map_or((None, None), |(owner, since)| (Some(owner), Some(since)))
}
