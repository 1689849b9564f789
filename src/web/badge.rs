//! The word, class and glyph of every state: chosen here once, only printed by templates.
use std::borrow::Cow;

use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::run::{Tone, Whole};

/// An outcome, or another state that is shown in an outcome's place. Shape, frame and word all differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Badge {
    /// The class: `submitted`, `confirmed`, `failed`, `unknown`, `finding` or `none`. Also names the glyph.
    pub(in crate::web) state: &'static str,
    /// The word beside the glyph.
    pub(in crate::web) word: Cow<'static, str>,
}

impl Badge {
    /// An outcome in its own word.
    pub(in crate::web) fn outcome(outcome: Outcome) -> Self {
        Self { state: outcome.word(), word: outcome.word().into() }
    }

    /// An outcome in other words, such as `2 of 3`.
    pub(in crate::web) fn saying(outcome: Outcome, word: impl Into<Cow<'static, str>>) -> Self {
        Self { state: outcome.word(), word: word.into() }
    }

    /// Something that was noticed.
    pub(in crate::web) fn finding(word: impl Into<Cow<'static, str>>) -> Self {
        Self { state: "finding", word: word.into() }
    }

    /// Nothing happened, and which nothing.
    pub(in crate::web) fn none(word: impl Into<Cow<'static, str>>) -> Self {
        Self { state: "none", word: word.into() }
    }

    /// An error on something that is no act: there is no outcome to speak of.
    pub(in crate::web) fn error() -> Self {
        Self { state: "failed", word: "error".into() }
    }
}

/// What the gate decided: the chip beside an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) struct GateChip {
    /// The class; also names the glyph.
    pub(in crate::web) gate: &'static str,
    /// The word.
    pub(in crate::web) word: &'static str,
}

impl GateChip {
    /// The chip of a decision.
    pub(in crate::web) fn of(gate: Gate) -> Self {
        let word = match gate {
            Gate::New => "new",
            Gate::Duplicate => "duplicate",
            Gate::Unknown => "unknown",
            Gate::None => "no gate",
        };
        Self { gate: gate.word(), word }
    }
}

/// The class and glyph of a kind of step.
pub(in crate::web) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Think | Kind::Read | Kind::Act | Kind::Reconcile | Kind::Wait | Kind::Agent | Kind::Other => {
            kind.word()
        }
        Kind::Transport => "other",
    }
}

/// A small fact beside a name: an icon and a few words, no frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Signal {
    /// The icon's name in the sprite, without `i-`.
    pub(in crate::web) icon: &'static str,
    /// The words.
    pub(in crate::web) text: String,
    /// `plain`, `warn`, `unknown` or `failed`.
    pub(in crate::web) tone: &'static str,
}

impl Signal {
    /// A plain fact.
    pub(in crate::web) fn plain(icon: &'static str, text: impl Into<String>) -> Self {
        Self { icon, text: text.into(), tone: "plain" }
    }

    /// A fact to look at.
    pub(in crate::web) fn warn(icon: &'static str, text: impl Into<String>) -> Self {
        Self { icon, text: text.into(), tone: "warn" }
    }
}

/// The class of a verdict; also names its glyph.
pub(in crate::web) fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::None => "none",
        Tone::Confirmed => "confirmed",
        Tone::Submitted => "submitted",
        Tone::Failed => "failed",
        Tone::Unknown => "unknown",
        Tone::Finding => "finding",
    }
}

/// How we know, after what is known: "answered OK, not read back".
pub(in crate::web) fn evidence(outcome: Outcome, evidence: Evidence) -> &'static str {
    match (evidence, outcome) {
        (Evidence::Given, _) => "as the runtime reported",
        (Evidence::Status, Outcome::Confirmed) => "answered OK, not read back",
        (Evidence::Status, _) => "from the answer's status",
        (Evidence::Error, Outcome::Failed) => "explicitly refused",
        (Evidence::Error, _) => "an error that is no refusal",
        (Evidence::Timeout, _) => "no answer",
        (Evidence::ReadBack, _) => "read back",
        (Evidence::Reconcile, _) => "found by look-up",
        (Evidence::Resolution, _) => "settled by a person or job",
    }
}

/// The two halves of the verdict on completeness: tone class, icon and heading.
pub(in crate::web) fn whole(whole: Whole) -> (&'static str, &'static str, &'static str) {
    match whole {
        Whole::Yes => ("whole", "check", "Record complete"),
        Whole::No => ("gaps", "gap", "Record has gaps"),
        Whole::NotProvable => ("open", "info", "No gap seen"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_never_borrows_the_look_of_failed_or_done() {
        let states: Vec<&str> = Outcome::ALL.iter().map(|outcome| Badge::outcome(*outcome).state).collect();
        assert_eq!(states, ["submitted", "confirmed", "failed", "unknown"]);
        assert_eq!(GateChip::of(Gate::None).word, "no gate");
        assert_eq!(evidence(Outcome::Confirmed, Evidence::Status), "answered OK, not read back");
    }
}
