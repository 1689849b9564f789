//! An answer to one of the questions, with what it rests on and what would change it.
use crate::domain::kind::words;
use crate::domain::readiness::marks::Mark;
use crate::domain::readiness::sheet::{Example, ToolSheet};

words! {
    /// How a question is answered. Never yes without something that shows it.
    Answer {
        /// Everything that was seen says so.
        Yes = "yes",
        /// Some of it does, or a part of the question is open.
        Partly = "partly",
        /// What was seen speaks against it.
        No = "no",
        /// Nothing that was seen says anything either way.
        NotVisible = "not_visible",
        /// The question is not about tools of this kind.
        DoesNotApply = "does_not_apply",
    }
}

/// A reply about one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Why, in a sentence.
    pub why: String,
    /// What would change the answer; empty where it is yes.
    pub change: &'static str,
    /// What it rests on.
    pub proofs: Vec<Proof>,
}

/// Something that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What.
    pub what: &'static str,
    /// How often.
    pub count: u64,
    /// One place that shows it.
    pub example: Option<Example>,
}

impl Reply {
    /// A reply that rests on nothing yet.
    pub(super) fn new(answer: Answer, why: impl Into<String>, change: &'static str) -> Self {
        Self { answer, why: why.into(), change, proofs: Vec::new() }
    }

    /// With those of these marks that were seen as its proofs.
    pub(super) fn by(mut self, sheet: &ToolSheet, marks: &[(Mark, &'static str)]) -> Self {
        self.proofs.extend(marks.iter().filter_map(|(mark, what)| {
            let tally = sheet.tallies.get(mark).filter(|tally| tally.count > 0)?;
            Some(Proof { what, count: tally.count, example: tally.example.clone() })
        }));
        self
    }
}
