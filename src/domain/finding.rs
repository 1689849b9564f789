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
    /// Every finding there is. The words are the codes of the API; the rules of the fold say what each means.
    Code {
        /// An act ran again before anybody knew what became of the time before.
        RetriedWhileUnknown = "retried-while-unknown",
        /// The repeat of an unknown act carried another key.
        KeyChanged = "key-changed",
        /// Attempts of one step carry different keys although none of them was unknown.
        KeyPerAttempt = "key-per-attempt",
        /// One idempotency key was used for two targets.
        KeyReused = "key-reused",
        /// The idempotency key stands in the arguments that the model proposed.
        KeyFromModel = "key-from-model",
        /// An act was sent without an idempotency key.
        NoKey = "no-key",
        /// One key was used with different arguments.
        ArgumentsChangedUnderKey = "arguments-changed-under-key",
        /// The same intent took effect more than once.
        DoubleEffect = "double-effect",
        /// Nobody has found out what became of an act.
        UnknownOpen = "unknown-open",
        /// The provider has forgotten the key of an act that is open or was sent again.
        KeyExpired = "key-expired",
        /// An act was answered OK, its tool asks for a read-back, and none has come.
        NotReadBack = "not-read-back",
        /// A read-back does not confirm what the answer said.
        ReadBackContradicts = "read-back-contradicts",
        /// An act was sent under an epoch lower than one that had already begun.
        StaleEpoch = "stale-epoch",
        /// A worker went on after another had taken over, or two did one step at once.
        WorkersInterleave = "workers-interleave",
        /// The gate held a call, and a request went out below it all the same.
        SentThoughHeld = "sent-though-held",
        /// Attempt numbers of one step start again, as after a resume that forgot.
        AttemptRestarted = "attempt-restarted",
        /// Numbers that must have existed have not arrived.
        AttemptMissing = "attempt-missing",
        /// Every attempt was refused for going too fast; it never ran.
        ThrottledOut = "throttled-out",
        /// An attempt began before the time that the refusal before it asked for.
        RetriedTooSoon = "retried-too-soon",
        /// Something was started after the time that the run may take.
        BeyondBudget = "beyond-budget",
        /// Some acts of the run took effect and others did not.
        PartialCompletion = "partial-completion",
        /// The model was another one on a later attempt.
        ModelChanged = "model-changed",
        /// The parameters of the model call were others on a later attempt.
        ParametersChanged = "parameters-changed",
        /// The model proposed a call, went on, and the call never ran.
        ProposedNotExecuted = "proposed-not-executed",
        /// An act ran that no model call proposed, in a run whose proposals are known.
        ExecutedNotProposed = "executed-not-proposed",
        /// What ran is not what was proposed.
        ArgumentsDiffer = "arguments-differ",
        /// The arguments of a proposed call were cut off.
        ProposalIncomplete = "proposal-incomplete",
        /// A model call failed after its proposal was already executed, and the model was asked again.
        AskedAgain = "asked-again",
        /// A runtime that keeps keys wrote down no intent before the call.
        IntentNotDurable = "intent-not-durable",
        /// An act was unknown, and the model was handed the error as it came.
        RawErrorShown = "raw-error-shown",
        /// The runtime said failed where no answer came.
        FailedIsUnknown = "failed-is-unknown",
        /// A tool counts as acting because nobody said otherwise.
        ToolUnclassified = "tool-unclassified",
        /// A tool that counts as read-only sent a changing request.
        ReadWrote = "read-wrote",
        /// A model call came without what the model saw.
        SnapshotMissing = "snapshot-missing",
        /// A step’s parent has not arrived.
        ParentMissing = "parent-missing",
        /// Spans name each other as parents.
        ParentLoop = "parent-loop",
        /// No root of a trace has arrived.
        RootMissing = "root-missing",
        /// Something started and its end was never recorded.
        NeverEnded = "never-ended",
        /// The runtime counted more steps than have arrived.
        StepsMissing = "steps-missing",
        /// The sender left out reads.
        ReadsSampled = "reads-sampled",
        /// One span id came with two contents.
        ConflictingVersions = "conflicting-versions",
        /// Two sessions, users or run ids are given for one thing.
        ConflictingIdentity = "conflicting-identity",
        /// An end lies before its start.
        EndBeforeStart = "end-before-start",
        /// A client’s clock runs ahead of the server’s.
        ClockSkew = "clock-skew",
        /// An attribute key came more than once.
        RepeatedKey = "repeated-key",
        /// A value was cut to the limit.
        ValueCut = "value-cut",
        /// The SDK dropped something before sending.
        DroppedByClient = "dropped-by-client",
        /// Redaction could not be applied, so the content was not kept.
        ContentWithheld = "content-withheld",
        /// A value that a convention defines could not be read.
        Unreadable = "unreadable",
        /// A call waits for somebody and looks like an error.
        Paused = "paused",
    }
}

impl Code {
    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            Self::RetriedWhileUnknown
            | Self::KeyChanged
            | Self::DoubleEffect
            | Self::ReadBackContradicts
            | Self::StaleEpoch
            | Self::SentThoughHeld
            | Self::ThrottledOut => Severity::Danger,
            Self::KeyPerAttempt
            | Self::KeyReused
            | Self::KeyFromModel
            | Self::NoKey
            | Self::ArgumentsChangedUnderKey
            | Self::UnknownOpen
            | Self::KeyExpired
            | Self::NotReadBack
            | Self::WorkersInterleave
            | Self::AttemptRestarted
            | Self::AttemptMissing
            | Self::RetriedTooSoon
            | Self::BeyondBudget
            | Self::PartialCompletion
            | Self::ModelChanged
            | Self::ParametersChanged
            | Self::ExecutedNotProposed
            | Self::ArgumentsDiffer
            | Self::ProposalIncomplete
            | Self::AskedAgain
            | Self::RawErrorShown
            | Self::FailedIsUnknown
            | Self::ReadWrote
            | Self::NeverEnded
            | Self::StepsMissing
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
            | Self::ReadsSampled
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
