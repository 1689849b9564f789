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
}

impl Kind {
    /// Every kind, in the order in which they are told.
    pub(super) const ALL: [Self; 4] = [Self::Opened, Self::Aged, Self::KeyEnds, Self::Resolved];

    /// The word of the settings, of the table and of the message.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Opened => "unknown.opened",
            Self::Aged => "unknown.aged",
            Self::KeyEnds => "unknown.key_ends",
            Self::Resolved => "unknown.resolved",
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
        | (CaseState::Open | CaseState::Pending, Kind::Resolved) => false,
    };
    Kind::ALL.into_iter().filter(wanted).filter(|kind| !told.contains(kind)).collect()
}
