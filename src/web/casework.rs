//! Where cases are worked on: what pages and the API append to them alike.
//!
//! An answer leaves only after the event is stored. Of two people who close a case at once one is told what
//! the other said.
use std::time::Duration;

use crate::access::Who;
use crate::domain::case::{Case, CaseAct, CaseEvent, CaseState, Resolution, pending};
use crate::domain::outcome::Outcome;
use crate::domain::policy::ToolPolicy;
use crate::domain::resolutions::{Standing, resolutions};
use crate::domain::scope::Scope;
use crate::store::StoreError;
use crate::store::queries::{Appended, append_case_event, case, case_events, case_known_as};
use crate::web::error::{Conflict, WebError};
use crate::web::format;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// How often somebody else may be faster before we give up.
const TRIES_MAX: usize = 8;
/// How often an insert is repeated while nobody knows whether it was kept.
const INSERTS_MAX: usize = 3;
/// How long an answer waits for lists to show what was appended.
const SHOWN_WITHIN: Duration = Duration::from_secs(3);
/// Longest note, evidence or name, in bytes.
const TEXT_BYTES_MAX: usize = 16 << 10;
const NAME_BYTES_MAX: usize = 200;

/// Who works on a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Actor {
    /// The name that is kept.
    pub(in crate::web) name: String,
    /// Whether it is a job, not a person.
    pub(in crate::web) by_job: bool,
}

impl Actor {
    /// Whoever works without having signed in.
    fn development() -> Self {
        Self { name: "development".to_owned(), by_job: false }
    }

    /// Whoever signed in, or the job that holds a key; in development mode whoever the request says.
    pub(in crate::web) fn of(viewer: &Viewer, by: Option<&str>, by_job: bool) -> Result<Self, WebError> {
        if viewer.development {
            return Self::named(by, by_job);
        }
        let name = viewer.name();
        let given = by.map(str::trim).filter(|given| !given.is_empty());
        if given.is_some_and(|given| given != name) {
            return Err(WebError::Field("by", "is whoever signed in: leave it out".to_owned()));
        }
        Ok(Self { name, by_job: matches!(viewer.account.who, Who::Key(..)) })
    }

    /// In development mode a request may name itself: there is nobody to ask.
    fn named(by: Option<&str>, by_job: bool) -> Result<Self, WebError> {
        let Some(name) = by.map(str::trim).filter(|name| !name.is_empty()) else {
            return Ok(Self { by_job, ..Self::development() });
        };
        if name.len() > NAME_BYTES_MAX {
            return Err(WebError::Field("by", format!("is longer than {NAME_BYTES_MAX} bytes")));
        }
        Ok(Self { name: name.to_owned(), by_job })
    }
}

/// What somebody wants to do to a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Wish {
    /// Take it.
    Claim,
    /// Give it to somebody else, or back to the queue.
    HandOver {
        /// To whom; `None` is the queue.
        to: Option<String>,
        /// A note.
        note: String,
    },
    /// Say something.
    Comment(String),
    /// Close it, or say that it still can't be told.
    Resolve {
        /// What became of the act.
        outcome: Outcome,
        /// What shows it.
        evidence: String,
        /// A note.
        note: String,
    },
    /// Agree with a resolution that waits for a second person.
    Agree {
        /// A note.
        note: String,
    },
    /// Open it again.
    Reopen(String),
}

impl Wish {
    /// Checks the texts.
    fn check(&self) -> Result<(), WebError> {
        let required = |name: &'static str, text: &str, remedy: &str| {
            if text.trim().is_empty() { Err(WebError::Field(name, remedy.to_owned())) } else { Ok(()) }
        };
        let short = |name: &'static str, text: &str| {
            if text.len() <= TEXT_BYTES_MAX {
                return Ok(());
            }
            Err(WebError::Field(name, format!("is longer than {TEXT_BYTES_MAX} bytes; link to it instead")))
        };
        match self {
            Self::Claim => Ok(()),
            Self::HandOver { to, note } => {
                if to.as_ref().is_some_and(|to| to.len() > NAME_BYTES_MAX) {
                    return Err(WebError::Field("to", format!("is longer than {NAME_BYTES_MAX} bytes")));
                }
                short("note", note)
            }
            Self::Comment(note) => {
                required("note", note, "is empty; say something")?;
                short("note", note)
            }
            Self::Resolve { outcome, evidence, note } => {
                if *outcome == Outcome::Submitted {
                    return Err(WebError::Field("outcome", "takes confirmed, failed or unknown".to_owned()));
                }
                required("evidence", evidence, "is empty; say or link what shows it")?;
                short("evidence", evidence)?;
                short("note", note)
            }
            Self::Agree { note } => short("note", note),
            Self::Reopen(note) => {
                required("note", note, "is empty; say why the case is opened again")?;
                short("note", note)
            }
        }
    }

    fn act(&self, case: &Case, policy: &ToolPolicy) -> CaseAct {
        match self.clone() {
            Self::Claim => CaseAct::Claim,
            Self::HandOver { to, note } => {
                let to = to.map(|to| to.trim().to_owned()).filter(|to| !to.is_empty());
                CaseAct::HandOver { to, note }
            }
            Self::Comment(note) => CaseAct::Comment(note),
            Self::Resolve { outcome, evidence, note } => {
                let needs_second = policy.second_person(case.value.as_deref());
                CaseAct::Resolve(Resolution { outcome, evidence, note, needs_second })
            }
            Self::Agree { note } => CaseAct::Agree { note },
            Self::Reopen(note) => CaseAct::Reopen(note),
        }
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::web) struct Done {
    /// The case with it.
    pub(in crate::web) case: Case,
    /// All its events, in order.
    pub(in crate::web) events: Vec<CaseEvent>,
    /// The event's id.
    pub(in crate::web) event_id: String,
}

/// A case as of now, with all its events: lists may be a moment behind, this is not.
pub(in crate::web) async fn look(
    state: &WebState,
    scope: &Scope,
    case_id: &str,
) -> Result<(Case, Vec<CaseEvent>), WebError> {
    let (ids, now_ns) = ([case_id.to_owned()], format::now_ns());
    let (found, mut events) =
        tokio::try_join!(case(&state.store, scope, case_id, now_ns), case_events(&state.store, scope, &ids))?;
    let found = match found {
        Some(found) => Some(found),
        None => case_known_as(&state.store, scope, case_id, now_ns).await?,
    };
    let mut found = found.ok_or_else(|| {
        let id = crate::web::text::plain(&crate::web::text::shortened(case_id, 80));
        WebError::NotFound(format!("There is no case {id}, or it has expired."))
    })?;
    // Some of it was appended before its key arrived, under an earlier id.
    if found.case_id != case_id || events.len() < usize::try_from(found.event_count).unwrap_or(usize::MAX) {
        let ids: Vec<String> = found.known_as.iter().chain([&found.case_id]).cloned().collect();
        events = case_events(&state.store, scope, &ids).await?;
        in_order(&mut events);
    }
    found.catch_up(&events);
    Ok((found, events))
}

/// Events in the order of their appending.
fn in_order(events: &mut [CaseEvent]) {
    events.sort_by(|one, other| (one.at_ns, &one.event_id).cmp(&(other.at_ns, &other.event_id)));
}

/// Appends what somebody wants to do to a case, if it is allowed. `saw` is the last event that they saw,
/// where they say it: then nobody may have appended anything since.
pub(in crate::web) async fn act(
    state: &WebState,
    scope: &Scope,
    case_id: &str,
    (actor, wish): (&Actor, &Wish),
    saw: Option<&str>,
) -> Result<Done, WebError> {
    wish.check()?;
    for _ in 0..TRIES_MAX {
        let (case, events) = look(state, scope, case_id).await?;
        let policy = state.settings.tools.policy(&case.tool);
        allowed((&case, &events), (actor, wish), saw, &policy)?;
        let event = event(&case, events.last(), actor, wish.act(&case, &policy))?;
        match append(state, scope, &event).await? {
            Appended::Yes(kept) => {
                let mut all: Vec<CaseEvent> =
                    events.into_iter().filter(|before| before.case_id != event.case_id).collect();
                all.extend(kept);
                in_order(&mut all);
                return shown(state, scope, (case, all), event).await;
            }
            Appended::No(after) if after.iter().all(|kept| events.contains(kept)) => {
                // Kept on another replica, and not to be seen here yet.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Appended::No(_) => {}
        }
    }
    Err(WebError::Unreachable)
}

/// Whether somebody may do this to a case as it stands.
fn allowed(
    (case, events): (&Case, &[CaseEvent]),
    (actor, wish): (&Actor, &Wish),
    saw: Option<&str>,
    policy: &ToolPolicy,
) -> Result<(), WebError> {
    let last = case.last_event_id.as_deref();
    if case.state.after(&wish.act(case, policy)).is_none() {
        return Err(WebError::Conflict(Box::new(conflict(case, events, wish))));
    }
    if let Some(saw) = saw.filter(|saw| Some(*saw) != last && !(saw.is_empty() && last.is_none())) {
        // What they saw is shown to nobody: it is theirs.
        tracing::debug!(saw.bytes = saw.len(), "a case has changed since it was looked at");
        let said = "This case has changed since you looked at it; look again and decide then".to_owned();
        return Err(WebError::Conflict(Box::new(Conflict { said, ..conflict(case, events, wish) })));
    }
    let closes = matches!(wish, Wish::Resolve { .. } | Wish::Agree { .. });
    if closes && actor.by_job && policy.people_only(case.value.as_deref()) {
        return Err(WebError::PeopleOnly);
    }
    let author = pending(events).map(|(event, _)| event.by.as_str());
    if matches!(wish, Wish::Agree { .. }) && (author == Some(actor.name.as_str()) || actor.by_job) {
        return Err(WebError::SecondPerson);
    }
    Ok(())
}

/// Why a case does not take what somebody wants, with the resolution that is in the way.
fn conflict(case: &Case, events: &[CaseEvent], wish: &Wish) -> Conflict {
    let told = resolutions(events, case.state);
    let counts = |standing: Standing| matches!(standing, Standing::Closed | Standing::Pending);
    let first = told.iter().rfind(|told| counts(told.standing));
    let said = match (case.state, first, wish) {
        (CaseState::Waiting, ..) => "This act has been sent and may still be answered; it is not unknown yet",
        (CaseState::Open, _, Wish::Agree { .. }) => {
            "Nobody has closed this case; there is nothing to agree with"
        }
        (CaseState::Open, ..) => "This case is open already",
        (CaseState::Pending, ..) => "This case is closed already and waits for a second person to agree",
        (CaseState::Resolved, Some(_), Wish::Resolve { .. }) => "Somebody closed this case first",
        (CaseState::Resolved, Some(_), _) => "This case is closed; open it again first",
        (CaseState::Resolved, None, _) => "Evidence has settled this case; open it again if you doubt it",
    };
    Conflict {
        said: said.to_owned(),
        resolution: first.map(|told| (told.event.clone(), told.resolution.clone())),
        state: case.state,
        outcome: case.outcome,
    }
}

fn event(case: &Case, last: Option<&CaseEvent>, actor: &Actor, act: CaseAct) -> Result<CaseEvent, WebError> {
    let mut dice = [0_u8; 16];
    getrandom::fill(&mut dice).map_err(|error| {
        tracing::error!(%error, "no random number for an event's id");
        WebError::Broken
    })?;
    // After the one before, whatever clocks say: the order of events is the order of their appending.
    let at_ns = format::now_ns().max(last.map_or(0, |last| last.at_ns.saturating_add(1)));
    Ok(CaseEvent {
        case_id: case.case_id.clone(),
        tool: case.tool.clone(),
        key: case.key.clone(),
        run_id: case.run_id.clone(),
        step_id: case.step_id.clone(),
        trace_id: case.trace_id,
        span_id: case.span_id,
        event_id: data_encoding::HEXLOWER.encode(&dice),
        at_ns,
        by: actor.name.clone(),
        by_job: actor.by_job,
        saw: last.map(|last| last.event_id.clone()),
        act,
    })
}

/// Inserts until the store confirms: whether it kept a row whose insert was not answered is unknown, and the
/// same row under the same token adds nothing.
async fn append(state: &WebState, scope: &Scope, event: &CaseEvent) -> Result<Appended, WebError> {
    let kept_days = state.settings.retention.of(&scope.project).longest_days();
    let mut tries = 0;
    loop {
        match append_case_event(&state.store, scope, event, kept_days).await {
            Err(StoreError::Unknown { .. }) if tries + 1 < INSERTS_MAX => tries += 1,
            Err(error) => return Err(error.into()),
            Ok(appended) => return Ok(appended),
        }
    }
}

/// The case with its new event; lists show it, unless that takes long.
async fn shown(
    state: &WebState,
    scope: &Scope,
    (mut case, events): (Case, Vec<CaseEvent>),
    event: CaseEvent,
) -> Result<Done, WebError> {
    let until = events.iter().position(|kept| kept.event_id == event.event_id).map_or(0, |place| place + 1);
    let before = case.state;
    case.catch_up(events.get(..until).unwrap_or_default());
    if before.after(&event.act).is_some() && case.last_event_id.as_deref() != Some(&event.event_id) {
        // Kept, and somebody else's counts: of two replicas' clocks the other was ahead.
        let said = "Somebody was faster; look at this case again".to_owned();
        let conflict = Conflict { said, resolution: None, state: case.state, outcome: case.outcome };
        return Err(WebError::Conflict(Box::new(conflict)));
    }
    let traces = case.traces.clone();
    let touched = (state.touch)(scope.project.clone(), traces);
    if tokio::time::timeout(SHOWN_WITHIN, touched).await.is_err() {
        tracing::warn!("what was appended to a case is kept, and shown in lists a little later");
    }
    Ok(Done { case, events, event_id: event.event_id })
}

/// The same for many cases, one after the other: for each, why it was refused. Stops where the store does not
/// answer; what was appended before stays.
pub(in crate::web) async fn act_on_all(
    state: &WebState,
    scope: &Scope,
    case_ids: &[String],
    (actor, wish): (&Actor, &Wish),
) -> Result<Vec<(String, Option<WebError>)>, WebError> {
    wish.check()?;
    let mut all = Vec::with_capacity(case_ids.len());
    for case_id in case_ids {
        match act(state, scope, case_id, (actor, wish), None).await {
            Ok(_) => all.push((case_id.clone(), None)),
            Err(error @ (WebError::Unreachable | WebError::TooSlow(_) | WebError::Broken))
                if all.is_empty() =>
            {
                return Err(error);
            }
            Err(error) => all.push((case_id.clone(), Some(error))),
        }
    }
    Ok(all)
}
