//! Something odd or dangerous that we noticed, with the steps that show it.
use crate::domain::kind::words;

words! {
    /// How much a finding matters.
    Severity {
        /// Good to know.
        Info = "info",
        /// Look at it.
        Warn = "warn",
        /// Somebody may have been harmed.
        Danger = "danger",
    }
}

words! {
    /// Every finding there is. The words are the codes of the API.
    Code {
        /// An act ran again while an earlier attempt's outcome was unknown.
        RetriedWhileUnknown = "retried-while-unknown",
        /// As above, and under another key.
        KeyChanged = "key-changed",
        /// An act carries no idempotency key.
        NoKey = "no-key",
        /// One key was used with different arguments.
        ArgumentsChangedUnderKey = "arguments-changed-under-key",
        /// The same tool and target took effect more than once.
        DoubleEffect = "double-effect",
        /// An unknown outcome that nobody has looked up.
        UnknownOpen = "unknown-open",
        /// The provider's key window has passed: replay is no longer safe.
        KeyExpired = "key-expired",
        /// Confirmed by status alone where the tool's rule asks for a read-back.
        NotReadBack = "not-read-back",
        /// A read-back contradicts the answer: a silent no-op.
        ReadBackContradicts = "read-back-contradicts",
        /// A write with an epoch lower than one already seen.
        StaleEpoch = "stale-epoch",
        /// Two workers took turns in one run.
        WorkersInterleave = "workers-interleave",
        /// Attempt numbers start again.
        AttemptRestarted = "attempt-restarted",
        /// An attempt number is missing.
        AttemptMissing = "attempt-missing",
        /// Refused until the budget was spent; never executed.
        ThrottledOut = "throttled-out",
        /// Some of the run's acts took effect and others did not.
        PartialCompletion = "partial-completion",
        /// The model changed between attempts.
        ModelChanged = "model-changed",
        /// The parameters changed between attempts.
        ParametersChanged = "parameters-changed",
        /// The model proposed a call that was never executed.
        ProposedNotExecuted = "proposed-not-executed",
        /// A call was executed that no model proposed.
        ExecutedNotProposed = "executed-not-proposed",
        /// The executed arguments are not the proposed ones.
        ArgumentsDiffer = "arguments-differ",
        /// No durable intent was recorded before the call.
        IntentNotDurable = "intent-not-durable",
        /// The raw error of an unknown outcome was shown to the model.
        RawErrorShown = "raw-error-shown",
        /// Tried again before the time the refusal asked for.
        RetriedTooSoon = "retried-too-soon",
        /// A given outcome `failed` on an error that is no refusal; read as unknown.
        FailedIsUnknown = "failed-is-unknown",
        /// A tool nobody classified; it counts as an act.
        ToolUnclassified = "tool-unclassified",
        /// A model call without the snapshot of what it saw.
        SnapshotMissing = "snapshot-missing",
        /// Proposed arguments were cut off.
        ProposalIncomplete = "proposal-incomplete",
        /// A parent span has not arrived.
        ParentMissing = "parent-missing",
        /// Spans are each other's parents.
        ParentLoop = "parent-loop",
        /// The trace has no root.
        RootMissing = "root-missing",
        /// A span never ended.
        NeverEnded = "never-ended",
        /// Fewer steps than the run says it had.
        StepsMissing = "steps-missing",
        /// One span id with two contents.
        ConflictingVersions = "conflicting-versions",
        /// One trace gives two sessions (or runs) for one thing.
        ConflictingIdentity = "conflicting-identity",
        /// An end before its start.
        EndBeforeStart = "end-before-start",
        /// Client and server clocks differ by more than a minute.
        ClockSkew = "clock-skew",
        /// An attribute key came twice.
        RepeatedKey = "repeated-key",
        /// A value was cut to the limit.
        ValueCut = "value-cut",
        /// The SDK dropped something before sending.
        DroppedByClient = "dropped-by-client",
        /// Redaction could not be applied, so the content was withheld.
        ContentWithheld = "content-withheld",
        /// A value that a convention defines could not be read.
        Unreadable = "unreadable",
        /// A paused call (approval, interrupt) that looks like an error.
        Paused = "paused",
    }
}

impl Code {
    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            Self::DoubleEffect
            | Self::RetriedWhileUnknown
            | Self::KeyChanged
            | Self::ReadBackContradicts
            | Self::StaleEpoch
            | Self::ThrottledOut => Severity::Danger,
            Self::NoKey
            | Self::ArgumentsChangedUnderKey
            | Self::UnknownOpen
            | Self::KeyExpired
            | Self::NotReadBack
            | Self::WorkersInterleave
            | Self::AttemptMissing
            | Self::AttemptRestarted
            | Self::PartialCompletion
            | Self::ModelChanged
            | Self::ParametersChanged
            | Self::ExecutedNotProposed
            | Self::ArgumentsDiffer
            | Self::RawErrorShown
            | Self::RetriedTooSoon
            | Self::FailedIsUnknown
            | Self::ProposalIncomplete
            | Self::StepsMissing
            | Self::NeverEnded
            | Self::ConflictingVersions
            | Self::ConflictingIdentity
            | Self::ValueCut
            | Self::ContentWithheld => Severity::Warn,
            Self::ProposedNotExecuted
            | Self::IntentNotDurable
            | Self::ToolUnclassified
            | Self::SnapshotMissing
            | Self::ParentMissing
            | Self::ParentLoop
            | Self::RootMissing
            | Self::EndBeforeStart
            | Self::ClockSkew
            | Self::RepeatedKey
            | Self::DroppedByClient
            | Self::Unreadable
            | Self::Paused => Severity::Info,
        }
    }
}

/// One finding about one record, made while reading it. The fold makes those about runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was noticed.
    pub code: Code,
    /// One plain sentence; never contains trace content beyond names and ids.
    pub message: String,
}

impl Finding {
    /// A finding with its sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
