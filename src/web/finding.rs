//! Every finding in words: its title beside a flag, and the sentence that explains it on `/about/findings`.
use crate::domain::finding::{Code, Severity};

/// Code, title and explanation.
const WORDS: &[(Code, &str, &str)] = &[
    (
        Code::RetriedWhileUnknown,
        "Retried while unknown",
        "An act ran again before anybody knew what became of the attempt before. If the first one \
         took effect, so may the second. Look the effect up first, or send both under one idempotency \
         key.",
    ),
    (
        Code::KeyChanged,
        "Key changed",
        "An act ran again under another idempotency key, so the receiving system could not see that \
         it is the same. Derive the key from run, step, tool and target, never from the words a model \
         used.",
    ),
    (
        Code::NoKey,
        "No key",
        "An act was sent without an idempotency key. Nothing can recognise a repeat. Send one, and \
         tell us as recount.action.key.",
    ),
    (
        Code::ArgumentsChangedUnderKey,
        "Same key, other arguments",
        "One idempotency key was used with different arguments. The receiving system may have refused \
         the second, or answered it with the result of the first.",
    ),
    (
        Code::DoubleEffect,
        "Same effect twice",
        "The same tool took effect on the same target more than once where one intent can be seen. \
         Somebody may have been paid, charged or written to twice.",
    ),
    (
        Code::UnknownOpen,
        "Unknown, not looked up",
        "Nobody has looked up yet what became of this act. Ask the receiving system.",
    ),
    (
        Code::KeyExpired,
        "Key window passed",
        "The receiving system no longer remembers the idempotency key, so sending again would count \
         as new. Only a look-up is safe now.",
    ),
    (
        Code::NotReadBack,
        "Not read back",
        "The answer said OK, and the rule for this tool asks that the effect is read back before it \
         counts. It was not.",
    ),
    (
        Code::ReadBackContradicts,
        "Read-back contradicts",
        "The answer said OK, but reading the state back shows that nothing changed: a silent no-op.",
    ),
    (
        Code::StaleEpoch,
        "Stale worker",
        "A worker wrote with an epoch lower than one already seen: it had lost the run to another \
         worker and went on.",
    ),
    (
        Code::WorkersInterleave,
        "Two workers at once",
        "Two workers took turns in one run. Check that only one holds its lease.",
    ),
    (
        Code::AttemptRestarted,
        "Attempts start again",
        "Attempt numbers begin again within a step, so they can't tell repeats apart.",
    ),
    (
        Code::AttemptMissing,
        "Attempt missing",
        "An attempt number is skipped: that attempt never arrived here.",
    ),
    (
        Code::ThrottledOut,
        "Throttled, never done",
        "The call was refused until its budget of tries was spent, and then given up. It was never \
         executed; what depends on its answer has none.",
    ),
    (Code::PartialCompletion, "Partly done", "Some acts of the run took effect and others did not."),
    (Code::ModelChanged, "Model changed", "Attempts of one step were answered by different models."),
    (Code::ParametersChanged, "Parameters changed", "Attempts of one step ran with different parameters."),
    (
        Code::ProposedNotExecuted,
        "Proposed, not executed",
        "The model proposed a call that was never executed, as far as was recorded.",
    ),
    (
        Code::ExecutedNotProposed,
        "Executed, not proposed",
        "A call was executed that no recorded model answer proposed.",
    ),
    (
        Code::ArgumentsDiffer,
        "Arguments differ",
        "The executed arguments are not the ones the model proposed.",
    ),
    (
        Code::IntentNotDurable,
        "Intent not recorded first",
        "The act was not recorded as submitted before it was sent. A crash in between would have left \
         no trace.",
    ),
    (
        Code::RawErrorShown,
        "Raw error shown",
        "After an unknown outcome the model was shown the raw error, which reads like a failure. Tell \
         it the state instead: unknown, and that a look-up is pending.",
    ),
    (
        Code::RetriedTooSoon,
        "Retried too soon",
        "It was tried again before the time that the refusal asked for.",
    ),
    (
        Code::FailedIsUnknown,
        "Reported failed, is unknown",
        "The runtime reported a failure, but the error is no refusal: the effect may have happened. \
         It is shown as unknown.",
    ),
    (
        Code::ToolUnclassified,
        "Tool not classified",
        "Nothing says whether this tool has effects, so it counts as an act. Classify it in \
         recount.toml.",
    ),
    (
        Code::SnapshotMissing,
        "Snapshot missing",
        "What the model saw was not sent. Turn on content capture in the instrumentation.",
    ),
    (
        Code::ProposalIncomplete,
        "Proposal cut off",
        "The proposed arguments were cut off, for example by a token limit.",
    ),
    (
        Code::ParentMissing,
        "Parent not received",
        "The span above this one has not arrived; it may still come.",
    ),
    (
        Code::ParentLoop,
        "Parents in a loop",
        "Spans name each other as parents. They are shown as top-level steps.",
    ),
    (
        Code::RootMissing,
        "No root",
        "The trace has no root span: the outermost part of the run has not arrived.",
    ),
    (Code::NeverEnded, "Never closed", "Something started and its end was never recorded."),
    (Code::StepsMissing, "Steps missing", "The runtime counted more steps than arrived here."),
    (
        Code::ConflictingVersions,
        "Two versions",
        "One span id arrived with two different contents. Both are kept; the one that ended last is \
         shown.",
    ),
    (Code::ConflictingIdentity, "Two identities", "One trace gives two runs or sessions for the same thing."),
    (Code::EndBeforeStart, "End before start", "An end lies before its start: the client's clock jumped."),
    (Code::ClockSkew, "Clocks differ", "The client's clock and ours differ by more than a minute."),
    (
        Code::RepeatedKey,
        "Attribute repeated",
        "An attribute came more than once; all are kept, the last one counts.",
    ),
    (Code::ValueCut, "Value cut", "A value was longer than the limit and was cut; the mark shows where."),
    (
        Code::DroppedByClient,
        "Dropped by the client",
        "The SDK says that it dropped attributes, events or links before sending.",
    ),
    (
        Code::ContentWithheld,
        "Content withheld",
        "Redaction could not be applied, so the content was not kept.",
    ),
    (
        Code::Unreadable,
        "Value unreadable",
        "A value that a convention defines could not be read. It is kept as it came.",
    ),
    (Code::Paused, "Paused", "The call was paused, for approval for example. That is no error."),
];

/// The title of a finding.
pub(in crate::web) fn title(code: Code) -> &'static str {
    words(code).0
}

/// What a finding means, and what to do about it.
pub(in crate::web) fn explained(code: Code) -> &'static str {
    words(code).1
}

/// A code that is not in the table is shown by its own word; a test keeps the table whole.
fn words(code: Code) -> (&'static str, &'static str) {
    let found = WORDS.iter().find(|(known, _, _)| *known == code);
    found.map_or((code.word(), ""), |(_, title, text)| (title, text))
}

/// How a severity reads.
pub(in crate::web) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Danger => "somebody may have been harmed",
        Severity::Warn => "look at it",
        Severity::Info => "good to know",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_once() {
        for code in Code::ALL {
            assert_eq!(WORDS.iter().filter(|(known, _, _)| known == code).count(), 1, "{code}");
            assert!(explained(*code).ends_with('.'), "{code}");
        }
    }
}
