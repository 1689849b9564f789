//! What became of each resolution of a case: the history that nobody rewrites, with how it stands now.
use crate::domain::case::{CaseAct, CaseEvent, CaseState, Resolution};
use crate::domain::kind::words;
use crate::domain::outcome::Outcome;

words! {
    /// How a resolution stands.
    Standing {
        /// It closed the case, and counts.
        Closed = "closed",
        /// It counts once a second person agrees.
        Pending = "pending",
        /// It said that it still can't be told.
        Noted = "noted",
        /// Somebody opened the case again, or took it back before a second person agreed.
        Undone = "undone",
        /// Evidence that came later says otherwise: the case is open again.
        Contradicted = "contradicted",
        /// Somebody else had closed the case first.
        Overtaken = "overtaken",
    }
}

/// A resolution with its event and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told<'a> {
    /// Who, when.
    pub event: &'a CaseEvent,
    /// What.
    pub resolution: &'a Resolution,
    /// The second person's agreement.
    pub agreed: Option<&'a CaseEvent>,
    /// How it stands.
    pub standing: Standing,
}

/// The resolutions among the events of one case, in order; `state` is where the case stands now.
pub fn resolutions(events: &[CaseEvent], state: CaseState) -> Vec<Told<'_>> {
    let mut all: Vec<Told<'_>> = Vec::new();
    for event in events {
        let open = all.iter().rposition(|told| matches!(told.standing, Standing::Closed | Standing::Pending));
        let before = open.and_then(|place| all.get_mut(place));
        match (&event.act, before) {
            (CaseAct::Resolve(resolution), before) => {
                let standing = match (before, resolution.outcome) {
                    (_, Outcome::Unknown | Outcome::Submitted) => Standing::Noted,
                    (Some(first), _) => {
                        // Whoever could close it again saw it open: evidence had contradicted the first.
                        let knew = saw_after(events, event, first.event);
                        if knew {
                            first.standing = Standing::Contradicted;
                        }
                        match (knew, resolution.needs_second) {
                            (false, _) => Standing::Overtaken,
                            (true, true) => Standing::Pending,
                            (true, false) => Standing::Closed,
                        }
                    }
                    (None, _) if resolution.needs_second => Standing::Pending,
                    (None, _) => Standing::Closed,
                };
                all.push(Told { event, resolution, agreed: None, standing });
            }
            (CaseAct::Agree { .. }, Some(first)) if first.standing == Standing::Pending => {
                first.agreed = Some(event);
                first.standing = Standing::Closed;
            }
            (CaseAct::Reopen(_), Some(first)) => first.standing = Standing::Undone,
            (
                CaseAct::Agree { .. }
                | CaseAct::Reopen(_)
                | CaseAct::Claim
                | CaseAct::HandOver { .. }
                | CaseAct::Comment(_),
                _,
            ) => {}
        }
    }
    if state == CaseState::Open
        && let Some(closed) = all.iter_mut().rfind(|told| told.standing == Standing::Closed)
    {
        closed.standing = Standing::Contradicted;
    }
    all
}

/// Whether an event's author had seen another.
fn saw_after(events: &[CaseEvent], event: &CaseEvent, other: &CaseEvent) -> bool {
    let place = |id: &str| events.iter().position(|event| event.event_id == id);
    let saw = event.saw.as_deref().and_then(place);
    saw.is_some_and(|saw| place(&other.event_id).is_some_and(|other| saw >= other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SpanId, TraceId};

    fn event(number: u64, saw: Option<u64>, act: CaseAct) -> CaseEvent {
        CaseEvent {
            case_id: "c".to_owned(),
            tool: "refund".to_owned(),
            key: Some("k".to_owned()),
            run_id: String::new(),
            step_id: String::new(),
            trace_id: TraceId::default(),
            span_id: SpanId::default(),
            event_id: format!("e{number}"),
            at_ns: number,
            by: "maya".to_owned(),
            by_job: false,
            saw: saw.map(|saw| format!("e{saw}")),
            act,
        }
    }

    fn resolve(outcome: Outcome, needs_second: bool) -> CaseAct {
        let (evidence, note) = ("ledger".to_owned(), String::new());
        CaseAct::Resolve(Resolution { outcome, evidence, note, needs_second })
    }

    fn standings(events: &[CaseEvent], state: CaseState) -> Vec<Standing> {
        resolutions(events, state).iter().map(|told| told.standing).collect()
    }

    #[test]
    fn every_resolution_stays_and_says_what_became_of_it() {
        let first = event(1, None, resolve(Outcome::Confirmed, false));
        let late = event(2, None, resolve(Outcome::Failed, false));
        let raced = [first.clone(), late];
        assert_eq!(standings(&raced, CaseState::Resolved), [Standing::Closed, Standing::Overtaken]);
        assert_eq!(standings(std::slice::from_ref(&first), CaseState::Open), [Standing::Contradicted]);
        let again = [first.clone(), event(2, Some(1), resolve(Outcome::Failed, false))];
        assert_eq!(standings(&again, CaseState::Resolved), [Standing::Contradicted, Standing::Closed]);
        let reopened = [
            first,
            event(2, Some(1), CaseAct::Reopen("wrong order".to_owned())),
            event(3, Some(2), resolve(Outcome::Unknown, false)),
            event(4, Some(3), resolve(Outcome::Failed, true)),
            event(5, Some(4), CaseAct::Agree { note: String::new() }),
        ];
        let told = resolutions(&reopened, CaseState::Resolved);
        let standing: Vec<Standing> = told.iter().map(|told| told.standing).collect();
        assert_eq!(standing, [Standing::Undone, Standing::Noted, Standing::Closed]);
        assert_eq!(told.last().unwrap().agreed.unwrap().event_id, "e5");
        assert_eq!(
            standings(reopened.get(..4).unwrap(), CaseState::Pending),
            [Standing::Undone, Standing::Noted, Standing::Pending]
        );
    }
}
