//! What people send about a case, what is wrong with it, and what they typed for showing it again.
use crate::domain::case::{Case, CaseState};
use crate::domain::outcome::Outcome;
use crate::domain::policy::ToolPolicy;
use crate::web::format;
use crate::web::params::Params;
use crate::web::text::{Text, plain, shortened};

/// Longest text of one field, in bytes.
const FIELD_BYTES_MAX: usize = 8 << 10;

/// What somebody typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Typed {
    /// The last event of the case that they saw; empty when there was none.
    pub(in crate::web) saw: String,
    /// The outcome chosen: its word, or nothing.
    pub(in crate::web) outcome: String,
    /// Where they looked, and what shows it.
    pub(in crate::web) evidence: String,
    /// The note, comment or reason.
    pub(in crate::web) note: String,
    /// To whom it goes.
    pub(in crate::web) to: String,
    /// The name its author gives, where nobody signs in.
    pub(in crate::web) by: String,
}

/// A field that can't be taken: its name and what is wrong, as a sentence.
pub(in crate::web) type Wrong = (&'static str, &'static str);

impl Typed {
    /// What a form sent.
    pub(in crate::web) fn read(form: &Params) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            saw: text("saw"),
            outcome: text("outcome"),
            evidence: text("evidence"),
            note: text("note"),
            to: text("to"),
            by: text("by"),
        }
    }

    /// What was typed, as one text: kept where the form it was for is gone.
    pub(in crate::web) fn kept(&self) -> String {
        let parts = [self.outcome.as_str(), self.evidence.as_str(), self.note.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }

    /// The event seen, as the record names it.
    pub(in crate::web) fn seen(&self) -> Option<String> {
        Some(self.saw.clone()).filter(|saw| !saw.is_empty())
    }

    /// The outcome of a resolution, or what its form lacks.
    pub(in crate::web) fn resolution(&self) -> Result<Outcome, Vec<Wrong>> {
        let outcome = match Outcome::from_word(&self.outcome) {
            Some(outcome @ (Outcome::Confirmed | Outcome::Failed | Outcome::Unknown)) => Some(outcome),
            Some(Outcome::Submitted) | None => None,
        };
        let mut wrong = Vec::new();
        if outcome.is_none() {
            wrong.push(("outcome", "Choose what happened."));
        }
        wrong.extend(self.lacks("evidence", "Say where you looked: an entry, a ticket, a link."));
        wrong.extend(self.lacks("note", "Say what it showed."));
        outcome.filter(|_| wrong.is_empty()).ok_or(wrong)
    }

    /// What is wrong with a field that must say something.
    pub(in crate::web) fn lacks(&self, name: &'static str, says: &'static str) -> Option<Wrong> {
        let text = match name {
            "evidence" => &self.evidence,
            "to" => &self.to,
            _ => &self.note,
        };
        match text.len() {
            0 => Some((name, says)),
            1..=FIELD_BYTES_MAX => None,
            _ => Some((name, "This is longer than 8 KB. Link to it instead.")),
        }
    }
}

/// The form that says what happened.
#[derive(Debug)]
pub(in crate::web) struct Settle {
    /// The choices: word, name, what it leads to, whether it is chosen.
    pub(in crate::web) choices: Vec<(&'static str, &'static str, String, bool)>,
    pub(in crate::web) typed: Typed,
    pub(in crate::web) wrong: Vec<Wrong>,
    /// Said above the button.
    pub(in crate::web) second: Option<String>,
}

impl Settle {
    /// The form of a case, with what was typed so far.
    pub(in crate::web) fn of(
        case: &Case,
        tool: &ToolPolicy,
        (typed, wrong): (Typed, Vec<Wrong>),
        now_ns: u64,
    ) -> Self {
        let ends_ns = tool.key_ends_ns(case.key_expires_ns, case.started_ns);
        let open_until = ends_ns.filter(|ends| case.key.is_some() && *ends > now_ns);
        let again = match open_until {
            Some(ends) => format!(
                "Failed. Nothing is held any more. It may be tried again under the same key until {} {} UTC.",
                format::day(ends, now_ns),
                format::minute(ends)
            )
            .replace("  ", " "),
            None => "Failed. Nothing is held any more: trying again is not a repeat.".to_owned(),
        };
        let second = tool.second_person(case.value.as_deref());
        Self {
            choices: choices(again, &typed.outcome),
            typed: Typed {
                evidence: plain(&typed.evidence),
                to: plain(&typed.to),
                by: plain(&typed.by),
                ..typed
            },
            wrong,
            second: second.then(|| {
                let value = case.value.as_deref().map(|value| format::stake(value, 40)).unwrap_or_default();
                format!("{value} is over this tool's limit: a second person must agree before it counts.")
            }),
        }
    }

    /// The form of many cases.
    pub(in crate::web) fn of_many((typed, wrong): (Typed, Vec<Wrong>)) -> Self {
        let again = "Failed. Nothing is held any more: trying again is not a repeat.".to_owned();
        Self { choices: choices(again, &typed.outcome), typed, wrong, second: None }
    }

    /// What is wrong with a field; empty when nothing is.
    pub(in crate::web) fn wrong_with(&self, name: &str) -> &'static str {
        self.wrong.iter().find(|(field, _)| *field == name).map(|(_, says)| *says).unwrap_or_default()
    }
}

fn choices(again: String, chosen: &str) -> Vec<(&'static str, &'static str, String, bool)> {
    [
        (
            Outcome::Confirmed,
            "It happened",
            "Confirmed. The run and the key say so from then on. Nothing is sent again.".to_owned(),
        ),
        (Outcome::Failed, "It did not happen", again),
        (
            Outcome::Unknown,
            "Still can't tell",
            "Stays unknown and held. What you found is added, and it goes back to the queue.".to_owned(),
        ),
    ]
    .into_iter()
    .map(|(outcome, name, leads_to)| (outcome.word(), name, leads_to, outcome.word() == chosen))
    .collect()
}

/// What may be done with a case now.
#[derive(Debug)]
pub(in crate::web) enum Doing {
    /// Nothing yet: its answer may still come.
    Wait(String),
    /// Say what happened.
    Settle(Box<Settle>),
    /// Agree with a resolution, or take it back.
    Agree {
        /// What was said, and by whom.
        said: Text,
        /// Why whoever looks can't agree; empty when they can.
        cannot: String,
    },
    /// Open it again.
    Reopen,
}

impl Doing {
    /// What may be done in a state.
    pub(in crate::web) fn of(
        case: &Case,
        tool: &ToolPolicy,
        pending: Option<(&str, Outcome)>,
        (typed, wrong): (Typed, Vec<Wrong>),
        (viewer, now_ns): (&str, u64),
    ) -> Self {
        match (case.state, pending) {
            (CaseState::Open, _) | (CaseState::Pending, None) => {
                Self::Settle(Box::new(Settle::of(case, tool, (typed, wrong), now_ns)))
            }
            (CaseState::Pending, Some((by, outcome))) => Self::Agree {
                said: Text::new(format!("{} says: {outcome}.", shortened(by, 60))),
                cannot: if by == viewer {
                    "It was you who said so. Somebody else must agree.".to_owned()
                } else {
                    String::new()
                },
            },
            (CaseState::Resolved, _) => Self::Reopen,
            (CaseState::Waiting, _) => Self::Wait(match case.unknown_at_ns {
                Some(due) => format!(
                    "Its answer may still come. It counts as unknown from {} UTC on.",
                    format::moment(due)
                ),
                None => "Its answer may still come.".to_owned(),
            }),
        }
    }
}

/// Names that are offered for handing over: owners seen so far.
pub(in crate::web) fn names(owners: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = owners.map(|name| plain(&shortened(&name, 60))).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(50);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolution_says_what_where_and_why() {
        let read = |form: &str| Typed::read(&Params::read(form));
        let whole = read("outcome=confirmed&evidence=+re_88213+&note=it+is+there&saw=e1");
        assert_eq!(whole.resolution(), Ok(Outcome::Confirmed));
        assert_eq!((whole.evidence.as_str(), whole.seen()), ("re_88213", Some("e1".to_owned())));
        for (form, fields) in [
            ("", vec!["outcome", "evidence", "note"]),
            ("outcome=submitted&evidence=x&note=y", vec!["outcome"]),
            ("outcome=done&evidence=x&note=y", vec!["outcome"]),
            ("outcome=failed&evidence=+&note=y", vec!["evidence"]),
            ("outcome=unknown&evidence=x", vec!["note"]),
        ] {
            let wrong = read(form).resolution().unwrap_err();
            assert_eq!(wrong.iter().map(|(name, _)| *name).collect::<Vec<_>>(), fields, "{form}");
        }
        let long = Typed {
            note: "x".repeat(9_000),
            evidence: "x".to_owned(),
            outcome: "failed".to_owned(),
            ..Typed::default()
        };
        assert!(long.resolution().is_err());
    }
}
