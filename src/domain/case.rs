//! An unknown that somebody owns, and what people and jobs appended to it.
use crate::domain::entity::Entity;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::words;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{DEADLINE, Move, Origin};

/// Something appended to a case. Never changed, never removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseEvent {
    /// The case: a digest that never moves when late records arrive.
    pub case_id: String,
    /// The tool of the act.
    pub tool: String,
    /// The act's key, where there is one.
    pub key: Option<String>,
    /// The run of the unknown attempt.
    pub run_id: String,
    /// The step of the unknown attempt.
    pub step_id: String,
    /// The trace of the unknown attempt.
    pub trace_id: TraceId,
    /// The span of the unknown attempt.
    pub span_id: SpanId,
    /// Its own id, for order among equals.
    pub event_id: String,
    /// When, nanoseconds since 1970, by the server's clock.
    pub at_ns: u64,
    /// Who.
    pub by: String,
    /// Whether that is a job, not a person.
    pub by_job: bool,
    /// The last event of the case that its author saw; `None` when there was none.
    pub saw: Option<String>,
    /// What.
    pub act: CaseAct,
}

/// What somebody did to a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseAct {
    /// Took it.
    Claim,
    /// Gave it to somebody else, or back to the queue.
    HandOver {
        /// To whom; `None` is the queue.
        to: Option<String>,
        /// A note.
        note: String,
    },
    /// Said something.
    Comment(String),
    /// Closed it, or noted that it still can't be told.
    Resolve(Resolution),
    /// A second person agrees with a resolution that needs one.
    Agree {
        /// A note.
        note: String,
    },
    /// Opened it again, or took back a resolution that nobody has agreed with yet.
    Reopen(String),
}

/// What somebody says became of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// Confirmed, failed, or still unknown.
    pub outcome: Outcome,
    /// What shows it: text or link. Required.
    pub evidence: String,
    /// A note.
    pub note: String,
    /// Whether it counts only once a second person agrees.
    pub needs_second: bool,
}

impl CaseAct {
    /// The word of the table and the API.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::HandOver { .. } => "hand_over",
            Self::Comment(_) => "comment",
            Self::Resolve(_) => "resolution",
            Self::Agree { .. } => "agree",
            Self::Reopen(_) => "reopen",
        }
    }
}

words! {
    /// Where a case stands.
    CaseState {
        /// Submitted, and not unknown yet.
        Waiting = "waiting",
        /// Nobody knows what became of the act.
        Open = "open",
        /// Somebody closed it, and a second person has not agreed yet.
        Pending = "pending",
        /// It is known: by a resolution, or by evidence.
        Resolved = "resolved",
    }
}

impl CaseState {
    /// Where a case stands after an act on it; `None` where it is not allowed. The whole table.
    pub fn after(self, act: &CaseAct) -> Option<Self> {
        match (self, act) {
            (state, CaseAct::Comment(_)) => Some(state),
            (Self::Open | Self::Pending, CaseAct::Claim | CaseAct::HandOver { .. }) => Some(self),
            (Self::Open, CaseAct::Resolve(resolution)) => Some(match resolution.outcome {
                Outcome::Unknown | Outcome::Submitted => Self::Open,
                Outcome::Confirmed | Outcome::Failed if resolution.needs_second => Self::Pending,
                Outcome::Confirmed | Outcome::Failed => Self::Resolved,
            }),
            (Self::Pending, CaseAct::Agree { .. }) => Some(Self::Resolved),
            (Self::Pending | Self::Resolved, CaseAct::Reopen(_)) => Some(Self::Open),
            (Self::Waiting | Self::Resolved, CaseAct::Claim | CaseAct::HandOver { .. })
            | (Self::Waiting | Self::Pending | Self::Resolved, CaseAct::Resolve(_))
            | (Self::Waiting | Self::Open | Self::Resolved, CaseAct::Agree { .. })
            | (Self::Waiting | Self::Open, CaseAct::Reopen(_)) => None,
        }
    }

    /// Whether it waits for somebody to find out.
    pub fn is_open(self) -> bool {
        match self {
            Self::Open | Self::Pending => true,
            Self::Waiting | Self::Resolved => false,
        }
    }
}

/// A case in one row: derived from records and events, can be rebuilt from nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Never moves when late records arrive.
    pub case_id: String,
    /// The idempotency key; `None` where nobody gave one: then the case is one attempt's.
    pub key: Option<String>,
    /// The tool.
    pub tool: String,
    /// What the act is on.
    pub target: Option<String>,
    /// Entities.
    pub entities: Vec<Entity>,
    /// The run of the first unknown attempt.
    pub run_id: String,
    /// Its step.
    pub step_id: String,
    /// Its trace.
    pub trace_id: TraceId,
    /// Its span.
    pub span_id: SpanId,
    /// Every run that used the key.
    pub run_ids: Vec<String>,
    /// The traces of its attempts.
    pub traces: Vec<TraceId>,
    /// The agent that acted.
    pub agent: Option<String>,
    /// The act's state.
    pub outcome: Outcome,
    /// Why.
    pub evidence: Evidence,
    /// When a submitted act becomes unknown by itself, nanoseconds since 1970.
    pub unknown_at_ns: Option<u64>,
    /// Where it stands.
    pub state: CaseState,
    /// The ids under which it was known before the key of its act arrived.
    pub known_as: Vec<String>,
    /// When it became unknown, the last time; `None` while it waits.
    pub opened_ns: Option<u64>,
    /// When it became known again; `None` while it is open.
    pub settled_ns: Option<u64>,
    /// When the act was first sent.
    pub started_ns: u64,
    /// When anything about it last changed.
    pub changed_ns: u64,
    /// Whose it is.
    pub owner: Option<String>,
    /// Since when.
    pub owner_since_ns: Option<u64>,
    /// Until when the provider keeps the key, as attempts say.
    pub key_expires_ns: Option<u64>,
    /// What is at stake, as text.
    pub value: Option<String>,
    /// Attempts that went out.
    pub attempt_count: u32,
    /// How often somebody asked for the truth.
    pub look_count: u32,
    /// Of these, how often no answer came.
    pub look_failed_count: u32,
    /// When somebody last asked.
    pub last_look_ns: Option<u64>,
    /// How its state came to be.
    pub path: Vec<Move>,
    /// How many events were folded.
    pub event_count: u32,
    /// The last of them.
    pub last_event_id: Option<String>,
    /// Records and case events folded.
    pub version: u64,
}

impl Case {
    /// Lets time pass: a submitted act whose deadline is over is unknown, without anybody writing it.
    pub fn pass(&mut self, now_ns: u64) {
        let Some(due) = self.unknown_at_ns.filter(|due| *due <= now_ns) else { return };
        if self.outcome != Outcome::Submitted {
            return;
        }
        (self.outcome, self.evidence) = (Outcome::Unknown, Evidence::Timeout);
        (self.state, self.opened_ns, self.settled_ns) = (CaseState::Open, Some(due), None);
        self.unknown_at_ns = None;
        self.changed_ns = self.changed_ns.max(due);
        self.path.push(lapsed(due));
    }

    /// Folds an event that is newer than those this row was made of; `false` where it is not allowed and
    /// changes nothing.
    fn take(&mut self, event: &CaseEvent) -> bool {
        let Some(state) = self.state.after(&event.act) else { return false };
        self.event_count = self.event_count.saturating_add(1);
        self.last_event_id = Some(event.event_id.clone());
        self.changed_ns = self.changed_ns.max(event.at_ns);
        match &event.act {
            CaseAct::Claim => self.owned(Some(event.by.clone()), event.at_ns),
            CaseAct::HandOver { to, .. } => self.owned(to.clone(), event.at_ns),
            CaseAct::Resolve(resolution) if state == CaseState::Resolved => {
                self.moved(resolution.outcome, event);
                self.settled_ns = Some(event.at_ns);
            }
            // It goes back to the queue.
            CaseAct::Resolve(_) if state == CaseState::Open => self.owned(None, event.at_ns),
            CaseAct::Reopen(_) => {
                if self.state == CaseState::Resolved {
                    self.moved(Outcome::Unknown, event);
                    (self.opened_ns, self.settled_ns) = (Some(event.at_ns), None);
                }
                self.owned(None, event.at_ns);
            }
            CaseAct::Resolve(_) | CaseAct::Agree { .. } | CaseAct::Comment(_) => {}
        }
        self.state = state;
        true
    }

    /// Folds what was appended after the events that this row was made of. What is not allowed changes
    /// nothing.
    pub fn catch_up(&mut self, events: &[CaseEvent]) {
        let known = |last: &String| events.iter().position(|event| event.event_id == *last);
        let from = match &self.last_event_id {
            // Rows are made of all events there were: one that is not among these is newer than they.
            Some(last) => known(last).map_or(events.len(), |place| place + 1),
            None => 0,
        };
        for (place, event) in events.iter().enumerate().skip(from) {
            let agreed = pending(events.get(..place).unwrap_or_default()).map(|(_, agreed)| agreed.outcome);
            let taken = self.take(event);
            if let (true, CaseAct::Agree { .. }, Some(outcome)) = (taken, &event.act, agreed) {
                self.moved(outcome, event);
                self.settled_ns = Some(event.at_ns);
            }
        }
    }

    fn owned(&mut self, owner: Option<String>, at_ns: u64) {
        self.owner_since_ns = owner.is_some().then_some(at_ns);
        self.owner = owner;
    }

    fn moved(&mut self, state: Outcome, event: &CaseEvent) {
        (self.outcome, self.evidence) = (state, Evidence::Resolution);
        self.path.push(Move {
            state,
            at_ns: event.at_ns,
            by: event.by.clone(),
            evidence: Evidence::Resolution,
            origin: Origin::Event(event.event_id.clone()),
        });
    }
}

/// The move of an act whose deadline passed.
pub fn lapsed(at_ns: u64) -> Move {
    Move {
        state: Outcome::Unknown,
        at_ns,
        by: DEADLINE.to_owned(),
        evidence: Evidence::Timeout,
        origin: Origin::Deadline,
    }
}

/// The resolution of these events that waits for a second person, with its event.
pub fn pending(events: &[CaseEvent]) -> Option<(&CaseEvent, &Resolution)> {
    let mut found = None;
    for event in events {
        match &event.act {
            CaseAct::Resolve(resolution) if resolution.needs_second => {
                let closes = matches!(resolution.outcome, Outcome::Confirmed | Outcome::Failed);
                found = found.or(closes.then_some((event, resolution)));
            }
            CaseAct::Agree { .. } | CaseAct::Reopen(_) => found = None,
            CaseAct::Resolve(_) | CaseAct::Claim | CaseAct::HandOver { .. } | CaseAct::Comment(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use CaseState::{Open, Pending, Resolved, Waiting};

    fn resolve(outcome: Outcome, needs_second: bool) -> CaseAct {
        let (evidence, note) = ("ledger".to_owned(), String::new());
        CaseAct::Resolve(Resolution { outcome, evidence, note, needs_second })
    }

    #[test]
    fn the_table_of_transitions() {
        let hand_over = CaseAct::HandOver { to: None, note: String::new() };
        let agree = CaseAct::Agree { note: String::new() };
        // Where each act leads from Waiting, Open, Pending and Resolved.
        let table: [(CaseAct, [Option<CaseState>; 4]); 9] = [
            (CaseAct::Claim, [None, Some(Open), Some(Pending), None]),
            (hand_over, [None, Some(Open), Some(Pending), None]),
            (CaseAct::Comment("x".to_owned()), [Some(Waiting), Some(Open), Some(Pending), Some(Resolved)]),
            (resolve(Outcome::Confirmed, false), [None, Some(Resolved), None, None]),
            (resolve(Outcome::Failed, false), [None, Some(Resolved), None, None]),
            (resolve(Outcome::Unknown, true), [None, Some(Open), None, None]),
            (resolve(Outcome::Failed, true), [None, Some(Pending), None, None]),
            (agree, [None, None, Some(Resolved), None]),
            (CaseAct::Reopen("x".to_owned()), [None, None, Some(Open), Some(Open)]),
        ];
        for (act, leads_to) in table {
            for (state, expected) in CaseState::ALL.iter().zip(leads_to) {
                assert_eq!(state.after(&act), expected, "{state} {}", act.word());
            }
        }
    }
}
