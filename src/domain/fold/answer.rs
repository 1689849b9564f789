//! What came back from the other side.
//!
//! For an act the question is never "error or not" but "may it have happened": a refusal is a no, a lost
//! answer is not. Whatever is not positively recognised as a refusal stays unclear.

/// What the other side is known to have said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It answered well.
    Fine,
    /// It will do it later (202).
    Accepted,
    /// It said no, with this status where one is known.
    Refused(Option<u16>),
    /// It said "not now" (429): nothing was done.
    Throttled,
    /// The call never left: no connection, arguments refused before the call, not approved.
    NeverSent(Why),
    /// It was sent and no answer came.
    Lost(Loss),
    /// It answered with a status that leaves open what it did (500, 502, 503, 504).
    Broken(u16),
    /// Something went wrong, and nothing says whether it was done.
    Unclear,
}

/// Why a call never left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// No connection could be made.
    NoConnection,
    /// The arguments or the tool were refused before the call.
    Invalid,
    /// Somebody or some policy said no.
    Denied,
}

/// How an answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The client stopped waiting.
    Timeout,
    /// The connection broke.
    Broke,
    /// The call was cancelled.
    Cancelled,
}

impl Answer {
    /// Whether the act may have happened although no good answer came.
    pub(super) fn may_have_happened(self) -> bool {
        match self {
            Self::Lost(_) | Self::Broken(_) | Self::Unclear => true,
            Self::Fine | Self::Accepted | Self::Refused(_) | Self::Throttled | Self::NeverSent(_) => false,
        }
    }

    /// Whether it looks like a missing answer: such an error never proves a "no".
    pub(super) fn like_timeout(self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Broken(code) => matches!(code, 502..=504),
            Self::Fine
            | Self::Accepted
            | Self::Refused(_)
            | Self::Throttled
            | Self::NeverSent(_)
            | Self::Unclear => false,
        }
    }
}
