//! What can go wrong, and which of the two loops meets it.
use std::time::Duration;

use crate::demo::service::fault::Fault;

/// One story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scenario {
    /// Nothing goes wrong, in the designed loop.
    HappyPath,
    /// The refund is applied and the answer is lost; the naive loop tries again.
    TimeoutNaive,
    /// The same in the designed loop: unknown, looked up, confirmed.
    TimeoutDesigned,
    /// Refused with 429 until the naive loop gives up and ships an answer as if nothing were missing.
    ThrottledOut,
    /// Refused with 429 once; the designed loop waits as long as it is asked to.
    ThrottledDesigned,
    /// The mail service says OK and drops the mail; the designed loop reads it back.
    SilentNoOp,
    /// The refund is made, the order's update is refused.
    PartialCompletion,
    /// A worker loses its lease while it is about to act, and acts when it wakes up.
    StaleWorker,
    /// The mail is sent and the answer is lost, twice; the naive loop sends three.
    ThreeEmails,
    /// Unknown for longer than the provider keeps keys: the designed loop does not replay, it asks a person.
    KeyExpired,
    /// The worker dies after the refund was sent; another one picks the run up in a new trace.
    Resumed,
    /// Nothing goes wrong, in the naive loop.
    HappyNaive,
}

impl Scenario {
    /// Every story, in the order in which they are played.
    pub const ALL: [Self; 12] = [
        Self::TimeoutNaive,
        Self::TimeoutDesigned,
        Self::HappyPath,
        Self::ThrottledOut,
        Self::SilentNoOp,
        Self::PartialCompletion,
        Self::StaleWorker,
        Self::ThreeEmails,
        Self::KeyExpired,
        Self::Resumed,
        Self::ThrottledDesigned,
        Self::HappyNaive,
    ];

    /// The word that names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::HappyPath => "happy-path",
            Self::TimeoutNaive => "timeout-naive",
            Self::TimeoutDesigned => "timeout-designed",
            Self::ThrottledOut => "throttled-out",
            Self::ThrottledDesigned => "throttled-designed",
            Self::SilentNoOp => "silent-no-op",
            Self::PartialCompletion => "partial-completion",
            Self::StaleWorker => "stale-worker",
            Self::ThreeEmails => "three-emails",
            Self::KeyExpired => "key-expired",
            Self::Resumed => "resumed",
            Self::HappyNaive => "happy-naive",
        }
    }

    /// What happens, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::HappyPath => "nothing goes wrong",
            Self::TimeoutNaive => "the refund is applied, its answer is lost, and the loop tries again",
            Self::TimeoutDesigned => "the refund is applied, its answer is lost, and the loop looks it up",
            Self::ThrottledOut => "refused with 429 until the budget is spent, and reported as an answer",
            Self::ThrottledDesigned => "refused with 429 once, and sent again when asked to",
            Self::SilentNoOp => "the mail is accepted and dropped, which reading back shows",
            Self::PartialCompletion => "the refund is made and the order's update is refused",
            Self::StaleWorker => "a worker that lost its lease acts when it wakes up, and is refused",
            Self::ThreeEmails => "the mail is sent and its answer lost, twice, and the loop sends three",
            Self::KeyExpired => "unknown for longer than the provider keeps keys, left to a person",
            Self::Resumed => "the worker dies after the refund was sent, and another one resumes",
            Self::HappyNaive => "nothing goes wrong, as it happens",
        }
    }

    /// Whether the naive loop plays it: plain GenAI telemetry, no attribute of ours.
    pub fn is_naive(self) -> bool {
        match self {
            Self::TimeoutNaive | Self::ThrottledOut | Self::ThreeEmails | Self::HappyNaive => true,
            Self::HappyPath
            | Self::TimeoutDesigned
            | Self::ThrottledDesigned
            | Self::SilentNoOp
            | Self::PartialCompletion
            | Self::StaleWorker
            | Self::KeyExpired
            | Self::Resumed => false,
        }
    }

    /// What the service is told to do wrong, by operation.
    pub(super) fn faults(self) -> Vec<(&'static str, Vec<Fault>)> {
        let slow = |seconds| Fault::Slow(Duration::from_secs(seconds));
        match self {
            Self::HappyPath | Self::HappyNaive | Self::StaleWorker => vec![],
            Self::TimeoutNaive | Self::TimeoutDesigned | Self::Resumed => {
                vec![("refund", vec![Fault::LoseAnswer])]
            }
            Self::ThrottledOut => vec![("refund", vec![Fault::Throttle(10); 6])],
            Self::ThrottledDesigned => vec![("refund", vec![Fault::Throttle(20), slow(3)])],
            Self::SilentNoOp => vec![("mail", vec![Fault::Forget])],
            Self::PartialCompletion => vec![("update", vec![Fault::Refuse(422)])],
            Self::ThreeEmails => vec![("mail", vec![Fault::LoseAnswer, Fault::LoseAnswer, slow(11)])],
            Self::KeyExpired => vec![
                ("refund", vec![Fault::LoseAnswer]),
                ("find-refund", vec![Fault::Refuse(503), Fault::Refuse(503), Fault::Refuse(503)]),
            ],
        }
    }

    /// The tools that the agent is asked to use, in order.
    pub(super) fn goals(self) -> &'static [&'static str] {
        match self {
            Self::ThrottledOut => &["lookup_order", "issue_refund"],
            Self::PartialCompletion => &["lookup_order", "issue_refund", "update_order", "send_email"],
            Self::HappyPath
            | Self::HappyNaive
            | Self::TimeoutNaive
            | Self::TimeoutDesigned
            | Self::ThrottledDesigned
            | Self::SilentNoOp
            | Self::StaleWorker
            | Self::ThreeEmails
            | Self::KeyExpired
            | Self::Resumed => &["lookup_order", "issue_refund", "send_email"],
        }
    }

    /// The story of the run with this number: the whole cast once, then again from another place on.
    pub(super) fn of_run(number: usize) -> Self {
        let round = number / Self::ALL.len();
        Self::ALL.get((number + 5 * round) % Self::ALL.len()).copied().unwrap_or(Self::HappyPath)
    }
}
