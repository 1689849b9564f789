//! The part of the run page's state that lives in its address: what is shown, and which attempt is looked at.
use crate::domain::ids::SpanId;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::link::encoded;
use crate::web::run::bars::attempts;

/// Which steps are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::web) enum Show {
    /// All but plumbing.
    #[default]
    All,
    /// Acts only.
    Acts,
    /// Acts that can't be told yet.
    Unsettled,
    /// Steps with a failure or an error.
    Failed,
    /// Steps that were tried more than once.
    Retried,
    /// Steps that something was noticed about.
    Noticed,
    /// All, plumbing too.
    Everything,
}

impl Show {
    /// Every choice, in the order offered.
    pub(in crate::web) const ALL: [Self; 7] = [
        Self::All,
        Self::Acts,
        Self::Unsettled,
        Self::Failed,
        Self::Retried,
        Self::Noticed,
        Self::Everything,
    ];

    /// The word in the address.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Acts => "acts",
            Self::Unsettled => "unsettled",
            Self::Failed => "failed",
            Self::Retried => "retried",
            Self::Noticed => "noticed",
            Self::Everything => "everything",
        }
    }

    /// Whether the step is listed.
    pub(in crate::web) fn lists(self, step: &RunStep) -> bool {
        match self {
            Self::All => step.kind != Kind::Other || step.outcome.is_some(),
            Self::Acts => step.kind == Kind::Act,
            Self::Unsettled => {
                step.outcome.is_some_and(Outcome::blocks_retry) || attempts(step).any(unsettled)
            }
            Self::Failed => step.outcome == Some(Outcome::Failed) || attempts(step).any(went_wrong),
            Self::Retried => {
                step.attempts.len() > 1
                    || attempts(step).any(|attempt| attempt.record.facts.tries.is_some_and(|tries| tries > 1))
            }
            Self::Noticed => !step.findings.is_empty(),
            Self::Everything => true,
        }
    }
}

/// A side of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Tab {
    /// What the model saw.
    Saw,
    /// What it proposed.
    Proposed,
    /// What happened.
    Happened,
    /// The model and its parameters.
    Model,
    /// The key and the gate.
    Gate,
    /// The record as kept.
    Raw,
}

impl Tab {
    /// Every tab, in order.
    pub(in crate::web) const ALL: [Self; 6] =
        [Self::Saw, Self::Proposed, Self::Happened, Self::Model, Self::Gate, Self::Raw];

    /// The word in the address.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::Saw => "saw",
            Self::Proposed => "proposed",
            Self::Happened => "happened",
            Self::Model => "model",
            Self::Gate => "gate",
            Self::Raw => "raw",
        }
    }

    /// The name in two parts: a narrow inspector hides the first.
    pub(in crate::web) fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Saw => ("What it ", "saw"),
            Self::Proposed => ("What it ", "proposed"),
            Self::Happened => ("What ", "happened"),
            Self::Model => ("", "Model"),
            Self::Gate => ("", "Key & gate"),
            Self::Raw => ("", "Raw"),
        }
    }
}

/// The state in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct View {
    /// Which steps are listed.
    pub(in crate::web) show: Show,
    /// The number of the first listed row, from 1; `None` lets the selection decide.
    pub(in crate::web) from: Option<usize>,
    /// The attempt that is looked at.
    pub(in crate::web) span: Option<SpanId>,
    /// The side that is looked at.
    pub(in crate::web) tab: Option<Tab>,
    /// Whether messages that did not change are open too.
    pub(in crate::web) all_messages: bool,
    /// The step whose attempts are all listed.
    pub(in crate::web) unfold: Option<u32>,
    /// Steps whose steps below are folded away, by number, ascending.
    pub(in crate::web) closed: Vec<u32>,
    /// Whether the steps are read as a transcript.
    pub(in crate::web) transcript: bool,
    /// The question of the list one came from.
    pub(in crate::web) list: Option<String>,
}

/// The longest question that is carried along, in bytes: it stands in every link of the page.
const LIST_BYTES_MAX: usize = 400;
/// Most steps that one address folds.
const CLOSED_MAX: usize = 100;

impl View {
    /// Reads the pairs of a query string. What is not known is left at its default.
    pub(in crate::web) fn read<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut view = Self::default();
        for (name, value) in pairs {
            match name {
                "show" => {
                    view.show = Show::ALL.into_iter().find(|show| show.word() == value).unwrap_or_default();
                }
                "from" => view.from = value.parse().ok().filter(|from| *from > 0),
                "span" => view.span = span_id(value),
                "tab" => view.tab = Tab::ALL.into_iter().find(|tab| tab.word() == value),
                "messages" => view.all_messages = value == "all",
                "unfold" => view.unfold = value.parse().ok(),
                "closed" => {
                    let numbers = value.split(',').filter_map(|number| number.parse().ok());
                    view.closed = numbers.take(CLOSED_MAX).collect();
                    view.closed.sort_unstable();
                    view.closed.dedup();
                }
                "list" => {
                    view.list = Some(value.to_owned())
                        .filter(|list| !list.is_empty() && encoded(list).len() <= LIST_BYTES_MAX);
                }
                "view" => view.transcript = value == "transcript",
                _ => {}
            }
        }
        view
    }

    /// The query string of this state, from its question mark on.
    pub(in crate::web) fn query(&self) -> String {
        let mut pairs = Vec::new();
        if self.show != Show::default() {
            pairs.push(format!("show={}", self.show.word()));
        }
        if let Some(from) = self.from {
            pairs.push(format!("from={from}"));
        }
        if let Some(number) = self.unfold {
            pairs.push(format!("unfold={number}"));
        }
        if !self.closed.is_empty() {
            let numbers: Vec<String> = self.closed.iter().map(ToString::to_string).collect();
            pairs.push(format!("closed={}", numbers.join(",")));
        }
        if self.transcript {
            pairs.push("view=transcript".to_owned());
        }
        if let Some(list) = &self.list {
            pairs.push(format!("list={}", encoded(list)));
        }
        if let Some(span) = &self.span {
            pairs.push(format!("span={}", encoded(&span.to_string())));
        }
        if let Some(tab) = self.tab {
            pairs.push(format!("tab={}", tab.word()));
        }
        if self.all_messages {
            pairs.push("messages=all".to_owned());
        }
        format!("?{}", pairs.join("&"))
    }

    /// The same with the steps below one step folded away, or unfolded again.
    pub(in crate::web) fn toggled(&self, number: u32) -> String {
        let mut closed = self.closed.clone();
        match closed.binary_search(&number) {
            Ok(at) => drop(closed.remove(at)),
            Err(at) => closed.insert(at, number),
        }
        Self { closed, from: None, ..self.clone() }.query()
    }

    /// The address of an attempt in the list as it is shown now.
    pub(in crate::web) fn to(&self, attempt: &Attempt) -> String {
        let span = Some(attempt.record.facts.span_id);
        Self { span, tab: None, all_messages: false, ..self.clone() }.query()
    }
}

/// Reads a span id in any spelling people paste: either case, spaces around, leading zeros lost.
pub(in crate::web) fn span_id(text: &str) -> Option<SpanId> {
    SpanId::parse(&format!("{:0>16}", hex_digits(text)?))
}

/// The digits of a pasted id without dashes and spaces; `None` when anything else is in it.
pub(in crate::web) fn hex_digits(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|char| *char != '-' && !char.is_whitespace()).collect();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

/// The step and attempt that are looked at.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Look<'a> {
    /// The step.
    pub(in crate::web) step: &'a RunStep,
    /// The attempt.
    pub(in crate::web) attempt: &'a Attempt,
    /// The side.
    pub(in crate::web) tab: Tab,
}

impl<'a> Look<'a> {
    /// What the address asks for; else the first unsettled attempt, else the first act, else what went wrong,
    /// else the first step.
    pub(in crate::web) fn of(run: &'a Run, view: &View) -> Option<Self> {
        let all = || run.steps.iter().flat_map(|step| attempts(step).map(move |attempt| (step, attempt)));
        let asked = view.span.and_then(|span| all().find(|(_, attempt)| has_span(attempt, span)));
        let default = || {
            all()
                .find(|(_, attempt)| unsettled(attempt))
                .or_else(|| all().find(|(step, _)| step.kind == Kind::Act))
                .or_else(|| all().find(|(step, attempt)| !container(step) && went_wrong(attempt)))
                .or_else(|| all().find(|(_, attempt)| went_wrong(attempt)))
                .or_else(|| all().find(|(step, _)| !container(step)))
                .or_else(|| all().next())
        };
        let (step, attempt) = asked.or_else(default)?;
        let tab = view.tab.unwrap_or(match step.kind {
            // An error is what people look for; it stands with what happened.
            _ if went_wrong(attempt) => Tab::Happened,
            Kind::Act | Kind::Reconcile | Kind::Wait | Kind::Transport => Tab::Happened,
            Kind::Think | Kind::Read | Kind::Agent | Kind::Other => Tab::Saw,
        });
        Some(Self { step, attempt, tab })
    }

    /// Whether this attempt is the one.
    pub(in crate::web) fn is_at(&self, attempt: &Attempt) -> bool {
        std::ptr::eq(self.attempt, attempt)
    }

    /// The model call that proposed this attempt, where known.
    pub(in crate::web) fn proposer(&self, run: &'a Run) -> Option<(&'a RunStep, &'a Attempt)> {
        let proposed_by = self.attempt.proposed_by.as_deref().or(self.step.proposed_by.as_deref());
        let step = step_by_id(run, proposed_by?)?;
        Some((step, attempts(step).next_back()?))
    }
}

/// A container around work.
fn container(step: &RunStep) -> bool {
    matches!(step.kind, Kind::Agent | Kind::Other)
}

/// The step with this id.
pub(in crate::web) fn step_by_id<'a>(run: &'a Run, step_id: &str) -> Option<&'a RunStep> {
    run.steps.iter().find(|step| step.step_id == step_id)
}

/// Whether the span is the attempt's own, or one of the transport spans below it.
pub(in crate::web) fn has_span(attempt: &Attempt, span: SpanId) -> bool {
    attempt.record.facts.span_id == span
        || attempt.transports.iter().any(|transport| transport.facts.span_id == span)
}

/// The outcome that counts now.
pub(in crate::web) fn outcome_now(attempt: &Attempt) -> Option<Outcome> {
    attempt.now.map(|(outcome, _)| outcome).or(attempt.outcome)
}

/// Whether it can't be told yet what became of an attempt.
pub(in crate::web) fn unsettled(attempt: &Attempt) -> bool {
    outcome_now(attempt).is_some_and(Outcome::blocks_retry)
}

/// Whether an attempt failed or ended in an error.
pub(in crate::web) fn went_wrong(attempt: &Attempt) -> bool {
    let facts = &attempt.record.facts;
    outcome_now(attempt) == Some(Outcome::Failed)
        || facts.status == crate::domain::kind::Status::Error
        || facts.error.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_holds_the_whole_state() {
        for query in [
            "?",
            "?show=acts&from=501&unfold=3&closed=2,7&view=transcript&span=00f067aa0ba902b7&tab=raw&messages=all",
        ] {
            let pairs = query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
            assert_eq!(View::read(pairs).query(), query);
        }
        let list = "q=agent%3Ashop&t=24h";
        let view = View::read([("list", list)].into_iter());
        assert_eq!((view.list.as_deref(), view.query()), (Some(list), format!("?list={}", encoded(list))));
        assert_eq!(View::read([("list", "x".repeat(401).as_str())].into_iter()).list, None);
        assert_eq!(View::read([("show", "junk"), ("tab", "junk"), ("from", "0")].into_iter()).query(), "?");
    }

    #[test]
    fn ids_are_read_in_any_spelling() {
        for text in ["00F067AA0BA902B7", " 00f0-67aa-0ba9-02b7 ", "f067aa0ba902b7"] {
            assert_eq!(span_id(text).unwrap().to_string(), "00f067aa0ba902b7", "{text}");
        }
        for text in ["", "xyz", "00f067aa0ba902b7ff", "../../etc"] {
            assert_eq!(span_id(text), None, "{text}");
        }
    }
}
