//! What there is to tell about a case: a pure function of the case, of what was told, and of now.
use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::case::{Case, CaseState};
use crate::domain::outcome::Outcome;

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An act became unknown.
    Opened,
    /// It has been unknown for long.
    Aged,
    /// The provider forgets its key soon.
    KeyEnds,
    /// It is known again: by a resolution, or by evidence.
    Resolved,
    /// An alert began.
    Fired,
    /// An alert ended.
    Ended,
}

impl Kind {
    /// Every kind, in the order in which they are told.
    pub(super) const ALL: [Self; 6] =
        [Self::Opened, Self::Aged, Self::KeyEnds, Self::Resolved, Self::Fired, Self::Ended];

    /// The word of the settings, of the table and of the message.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Opened => "unknown.opened",
            Self::Aged => "unknown.aged",
            Self::KeyEnds => "unknown.key_ends",
            Self::Resolved => "unknown.resolved",
            Self::Fired => "alert.fired",
            Self::Ended => "alert.resolved",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// When a case is told about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Unknown for longer than this.
    pub(super) aged_after: Duration,
    /// The key ends sooner than this.
    pub(super) key_ends_within: Duration,
}

/// The how-manieth time it is that this act is unknown, from 1; late records do not change it as they change
/// times.
pub(super) fn episode(case: &Case) -> u32 {
    let mut count = 0;
    let mut before = Outcome::Submitted;
    for moved in &case.path {
        count += u32::from(moved.state == Outcome::Unknown && before != Outcome::Unknown);
        before = moved.state;
    }
    count
}

/// What is due, given what was told of this episode. `key_ends_ns` is when the provider forgets the key.
pub(super) fn due(
    case: &Case,
    told: &BTreeSet<Kind>,
    key_ends_ns: Option<u64>,
    limits: Limits,
    now_ns: u64,
) -> Vec<Kind> {
    let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let opened = case.opened_ns.unwrap_or(now_ns);
    let wanted = |kind: &Kind| match (case.state, kind) {
        (CaseState::Open | CaseState::Pending, Kind::Opened) => true,
        (CaseState::Open | CaseState::Pending, Kind::Aged) => {
            now_ns.saturating_sub(opened) >= ns(limits.aged_after)
        }
        (CaseState::Open | CaseState::Pending, Kind::KeyEnds) => key_ends_ns
            .is_some_and(|ends| ends > now_ns && ends.saturating_sub(now_ns) <= ns(limits.key_ends_within)),
        // Nobody needs to hear the end of what they never heard of.
        (CaseState::Resolved, Kind::Resolved) => told.contains(&Kind::Opened),
        (CaseState::Waiting | CaseState::Resolved, _)
        | (CaseState::Open | CaseState::Pending, Kind::Resolved | Kind::Fired | Kind::Ended) => false,
    };
    Kind::ALL.into_iter().filter(wanted).filter(|kind| !told.contains(kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SpanId, TraceId};
    use crate::domain::outcome::Evidence;
    use crate::domain::path::{Move, Origin};

    const HOUR_NS: u64 = 3_600_000_000_000;
    const LIMITS: Limits =
        Limits { aged_after: Duration::from_secs(3600), key_ends_within: Duration::from_secs(3600) };

    fn case(states: &[Outcome]) -> Case {
        let path = states.iter().zip(1..).map(|(state, at_ns)| Move {
            state: *state,
            at_ns,
            by: "w".to_owned(),
            evidence: Evidence::Given,
            origin: Origin::Deadline,
        });
        let outcome = states.last().copied().unwrap_or(Outcome::Unknown);
        Case {
            case_id: "c".to_owned(),
            key: Some("k".to_owned()),
            tool: "refund".to_owned(),
            target: None,
            entities: Vec::new(),
            run_id: String::new(),
            step_id: String::new(),
            trace_id: TraceId::default(),
            span_id: SpanId::default(),
            run_ids: Vec::new(),
            traces: Vec::new(),
            agent: None,
            outcome,
            evidence: Evidence::Given,
            unknown_at_ns: None,
            state: if outcome == Outcome::Unknown { CaseState::Open } else { CaseState::Resolved },
            opened_ns: Some(0),
            settled_ns: None,
            started_ns: 0,
            changed_ns: 0,
            owner: None,
            owner_since_ns: None,
            key_expires_ns: None,
            value: None,
            attempt_count: 1,
            look_count: 0,
            look_failed_count: 0,
            last_look_ns: None,
            path: path.collect(),
            event_count: 0,
            known_as: Vec::new(),
            last_event_id: None,
            version: 0,
        }
    }

    #[test]
    fn each_thing_is_told_once_an_episode() {
        use Outcome::{Confirmed, Submitted, Unknown};
        let open = case(&[Submitted, Unknown]);
        let told = |kinds: &[Kind]| kinds.iter().copied().collect::<BTreeSet<Kind>>();
        let none = BTreeSet::new();
        assert_eq!(due(&open, &none, None, LIMITS, 1), [Kind::Opened]);
        assert_eq!(due(&open, &none, Some(HOUR_NS), LIMITS, 1), [Kind::Opened, Kind::KeyEnds]);
        assert_eq!(due(&open, &told(&[Kind::Opened]), Some(3 * HOUR_NS), LIMITS, 1), []);
        assert_eq!(due(&open, &told(&[Kind::Opened]), Some(HOUR_NS), LIMITS, 2 * HOUR_NS), [Kind::Aged]);
        let settled = case(&[Submitted, Unknown, Confirmed]);
        assert_eq!(due(&settled, &told(&[Kind::Opened, Kind::Aged]), None, LIMITS, 9), [Kind::Resolved]);
        assert_eq!(due(&settled, &told(&[Kind::Opened, Kind::Resolved]), None, LIMITS, 9), []);
        assert_eq!(due(&settled, &none, None, LIMITS, 9), [], "nobody heard of it");
        let again = case(&[Submitted, Unknown, Confirmed, Unknown]);
        assert_eq!((episode(&open), episode(&settled), episode(&again)), (1, 1, 2));
    }
}
