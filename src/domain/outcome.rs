//! What became of an act, what the gate decided before it, and why we believe either.
use crate::domain::kind::words;

words! {
    /// The four states of an act. A missing answer is `unknown`, never a "no".
    Outcome {
        /// Sent, no answer yet; or accepted but not yet seen done.
        Submitted = "submitted",
        /// The downstream system acknowledged it.
        Confirmed = "confirmed",
        /// The downstream system explicitly rejected it, or it was never sent.
        Failed = "failed",
        /// It can't be told.
        Unknown = "unknown",
    }
}

impl Outcome {
    /// Whether running the act again is unsafe before the truth is known.
    pub fn blocks_retry(self) -> bool {
        match self {
            Self::Submitted | Self::Unknown => true,
            Self::Confirmed | Self::Failed => false,
        }
    }
}

words! {
    /// Why we believe an outcome.
    Evidence {
        /// The runtime said so.
        Given = "given",
        /// The answer's status: worded "answered OK, not read back".
        Status = "status",
        /// An explicit refusal.
        Error = "error",
        /// No answer came.
        Timeout = "timeout",
        /// The state was read back.
        ReadBack = "read_back",
        /// A reconciliation step asked the downstream system.
        Reconcile = "reconcile",
        /// A person or job closed the case.
        Resolution = "resolution",
    }
}

words! {
    /// What the idempotency gate decided before the call.
    #[derive(Default)]
    Gate {
        /// No earlier record under this key: the call goes out.
        New = "new",
        /// Done before: the call is held and the first result returned.
        Duplicate = "duplicate",
        /// An earlier attempt's outcome is unknown: the call is held.
        Unknown = "unknown",
        /// No gate reported.
        #[default]
        None = "none",
    }
}

impl Gate {
    /// Whether the gate held the call, so that nothing was sent.
    pub fn held(self) -> bool {
        match self {
            Self::Duplicate | Self::Unknown => true,
            Self::New | Self::None => false,
        }
    }
}
